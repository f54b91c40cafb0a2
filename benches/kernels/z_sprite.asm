; (z) N x 1,000 sprites of 16 x 16 pixels in mode 13h, a line by REP MOVSB or REP MOVSW, and the clearing of each
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 10
%endif
        mov     ax, 13h
        int     10h
        mov     ax, 0A000h
        mov     es, ax
        mov     bp, N
        xor     bx, bx
o:      mov     dx, 1000
l:      mov     di, bx
        and     di, 7FFFh
        push    di
        mov     si, sprite
        mov     ah, 8
line:   mov     cx, 16
        rep     movsb
        add     di, 320 - 16
        mov     cx, 8
        rep     movsw
        add     di, 320 - 16
        dec     ah
        jnz     line
        pop     di
        add     bl, [es:di + 325]
        test    bx, 3
        jz      keep
        mov     ax, 1010h
        mov     si, 16
clear:  mov     cx, 8
        rep     stosw
        add     di, 320 - 16
        dec     si
        jnz     clear
keep:   add     bx, 77
        dec     dx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, 3
        int     10h
        mov     ax, bx
%include "common.inc"
        FINISH
sprite:
%assign i 0
%rep 256
        db      i * 7 & 255
%assign i i + 1
%endrep
