; (y) N x 1,000 additions and shifts of numbers of 64 bytes, with the carry kept in pushed flags
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 20
%endif
        mov     bp, N
o:      mov     dx, 1000
l:      mov     si, a
        mov     di, b
        mov     cx, 32
        clc
        pushf
s:      popf
        mov     ax, [si]
        adc     [di], ax
        pushf
        add     si, 2
        add     di, 2
        dec     cx
        jnz     s
        popf
        mov     di, b
        mov     cx, 32
        lahf
r:      sahf
        rcl     word [di], 1
        lahf
        inc     di
        inc     di
        dec     cx
        jnz     r
        dec     dx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, [b+62]
        xor     ax, [b]
%include "common.inc"
        FINISH
a:
%assign number 1
%rep 32
        dw      number*2027
%assign number number+1
%endrep
b       times 32 dw 1
