; (z) N x 1,000 sums of numbers of 16 decimal digits with DAA, and of unpacked digits with AAA and AAM
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 50
%endif
        mov     bp, N
o:      mov     dx, 1000
l:      mov     si, a
        mov     di, b
        mov     cx, 8
        clc
s:      mov     al, [si]
        adc     al, [di]
        daa
        mov     [di], al
        inc     si
        inc     di
        dec     cx
        jnz     s
        mov     al, dl
        and     al, 7
        mov     bl, 9
        mul     bl
        aam
        add     al, ah
        aaa
        add     [c], ax
        dec     dx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, [b]
        xor     ax, [b+6]
        add     ax, [c]
%include "common.inc"
        FINISH
a       db      12h, 34h, 56h, 78h, 91h, 23h, 45h, 07h
b       times 8 db 0
c       dw      0
