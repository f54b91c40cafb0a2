; adapter.asm: prints what a program can read of the display adapter: BIOS answers, data area,
; readable registers.
;
; One line each, numbers in hexadecimal. INT 10h AH=02h, 0Eh, 12h, 1Ah; INT 11h; INT 16h AH=00h.
; Assembles with UASM and JWasm.

        include video.inc

        .model  tiny
        .code
        org     100h

; Prints a line: its name, and AX.
line    macro   text
        local   name_, over
        push    ax
        mov     si, offset name_
        call    write
        pop     ax
        call    write_word
        jmp     over
name_   db      text, ' ', 0
over:
endm

start:  mov     ax, 0003h
        int     10h
        int     11h
        and     ax, 0030h
        line    'INT 11h'
        mov     ax, 40h
        mov     es, ax
        mov     ax, es:[4Ah]
        line    'columns'
        mov     al, es:[84h]
        xor     ah, ah
        line    'last row'
        mov     ax, es:[85h]
        line    'height'
        mov     ax, es:[87h]
        line    '0040:0087'
        mov     ax, es:[89h]
        line    '0040:0089'
        mov     ax, 1A00h
        mov     bx, 0EEEEh
        int     10h
        push    bx
        line    'INT 10h/1A00h'
        pop     ax
        line    'BX'
        mov     ax, 1200h
        mov     bx, 0FF10h
        int     10h
        mov     ax, bx
        line    'INT 10h/12h/10h BX'
        mov     ax, 1130h
        mov     bh, 6
        mov     cx, 0EEEEh
        push    es
        int     10h
        pop     es
        mov     ax, cx
        line    'INT 10h/1130h CX'
; Registers: the DAC's index, the CRTC's second and its cursor, a text mode's CGA mode register.
        mov     dx, DAC_WRITE
        mov     al, 5Ah
        out     dx, al
        in      al, dx
        xor     ah, ah
        line    '3C8h'
        mov     dx, CRTC
        mov     al, 1
        out     dx, al
        inc     dx
        in      al, dx
        xor     ah, ah
        line    'CRTC 1'
        mov     dx, CRTC
        mov     al, 0Eh
        out     dx, al
        inc     dx
        mov     al, 12h
        out     dx, al
        in      al, dx
        xor     ah, ah
        line    'CRTC 0Eh'
        mov     dx, 3D8h
        in      al, dx
        xor     ah, ah
        line    '3D8h'
        mov     dx, GRAPHICS
        mov     al, 6
        out     dx, al
        inc     dx
        in      al, dx
        xor     ah, ah
        line    '3CFh'
        mov     ax, 0B800h              ; the memory's end: a CGA has 16 KiB at two addresses
        mov     es, ax
        mov     word ptr es:[3FFEh], 1234h
        mov     word ptr es:[7FFEh], 0720h
        mov     ax, es:[3FFEh]
        line    'B800:3FFE'
        finish

; Writes the text at SI, up to a zero byte. Changes AX, BX, SI.
write   proc
        lodsb
        or      al, al
        jz      written
        mov     ah, 0Eh
        mov     bx, 0007h
        int     10h
        jmp     write
written:
        ret
write   endp

; Writes AX and ends the line. Changes AX, BX, CX, DX.
write_word proc
        mov     dx, ax
        mov     cx, 4
digit:  push    cx
        mov     cl, 4
        rol     dx, cl
        mov     al, dl
        and     al, 0Fh
        cmp     al, 10
        jb      decimal
        add     al, 7
decimal:
        add     al, '0'
        mov     ah, 0Eh
        mov     bx, 0007h
        int     10h
        pop     cx
        loop    digit
        mov     ax, 0E0Dh
        int     10h
        mov     ax, 0E0Ah
        int     10h
        ret
write_word endp

        end     start
