; {name}: a COM program in NASM's syntax. It needs NASM.
;
; Run it:    oxbox run {name}.asm
; Build it:  oxbox build {name}.asm -o {name}.com

        bits    16                      ; code for real mode
        org     100h                    ; DOS loads a COM program at offset 100h

section .text

start:  mov     cx, 3                   ; how often
.again: mov     dx, message             ; in NASM a name is its address
        mov     ah, 9                   ; DOS function 09h: print up to '$'
        int     21h
        dec     byte [left]             ; and brackets are what is stored there
        loop    .again                  ; a name with a dot belongs to the name before

        mov     al, [left]
        mov     ah, 4Ch                 ; end; the exit code is what is left: 0
        int     21h

section .data

message db      'Hello from NASM', 13, 10, '$'
left    db      3
