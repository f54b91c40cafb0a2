; (u) N x 10,000 DOS calls (current drive) through a far routine that saves the registers
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 20
%endif
        mov     [f+2], cs
        mov     bp, N
        xor     si, si
o:      mov     cx, 10000
l:      call    far [f]
        inc     si
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, si
%include "common.inc"
        FINISH
drive:  push    bp
        mov     bp, sp
        push    si
        push    di
        push    ds
        push    cs
        pop     ds
        mov     ah, 19h
        int     21h
        mov     [last], al
        pop     ds
        pop     di
        pop     si
        pop     bp
        retf
f       dw      drive, 0
last    db      0
