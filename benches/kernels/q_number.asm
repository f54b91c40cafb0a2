; (q) N x 1,000 numbers: greatest common divisors by DIV, and decimal digits by DIV
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 300
%endif
        mov     bp, N
        xor     si, si
o:      mov     cx, 1000
l:      mov     ax, cx
        mov     bx, 12345
g:      xor     dx, dx
        div     bx
        mov     ax, bx
        mov     bx, dx
        or      bx, bx
        jnz     g
        add     si, ax
        mov     ax, cx
        mov     di, digits
        mov     bx, 10
d:      xor     dx, dx
        div     bx
        add     dl, '0'
        mov     [di], dl
        inc     di
        or      ax, ax
        jnz     d
        add     si, [digits]
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, si
%include "common.inc"
        FINISH
digits  times 6 db 0
