; (z) scrolls a text screen by N lines with REP MOVSW, and clears the last line with REP STOSW
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 1000
%endif
        mov     ax, 0B800h
        mov     es, ax
        mov     ds, ax
        xor     bx, bx
        cld
        xor     di, di
        mov     cx, 2000
        xor     ax, ax
        rep     stosw
        mov     bp, N
o:      mov     si, 160
        xor     di, di
        mov     cx, 1920
        rep     movsw
        mov     cx, 80
        mov     ax, bp
        rep     stosw
        add     bx, [0]
        dec     bp
        jnz     o
        push    cs
        pop     ds
        mov     ax, bx
%include "common.inc"
        FINISH
