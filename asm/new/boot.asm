; {name}: a boot sector. It runs without DOS, with the BIOS alone.
;
; Run it:    oxbox run {name}.asm
; Build it:  oxbox build {name}.asm -o {name}.img     (for a floppy of a real PC)

        .8086
code    segment
        assume  cs:code, ds:code, es:nothing, ss:nothing
        org     7C00h                   ; the BIOS loads the sector at 0000:7C00

start:  cli                             ; no interrupt between SS and SP
        mov     ax, 0
        mov     ss, ax
        mov     sp, 7C00h               ; the stack grows down from the sector
        sti
        mov     ds, ax
        cld                             ; LODSB counts upwards

        mov     si, offset message
next:   lodsb                           ; AL: the next character
        or      al, al
        jz      wait_for_key            ; 0 ends the text
        mov     ah, 0Eh                 ; BIOS function 0Eh: print AL
        mov     bx, 0007h               ; page 0, light grey
        int     10h
        jmp     next

wait_for_key:
        mov     ah, 0                   ; BIOS function 00h: wait for a key
        int     16h
        mov     si, offset bye
        jmp     next

message db      'Hello from the boot sector. Press a key.', 13, 10, 0
bye     db      'Still here.', 13, 10, 0

        org     7DFEh                   ; the last two bytes of 512
        dw      0AA55h                  ; the mark of a boot sector

code    ends
        end     start
