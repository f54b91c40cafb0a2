; (z) N x 1,000 rotations of a point in fixed point, and its projection: IMUL, SHRD, IDIV
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 40
%endif
        mov     bp, N
o:      mov     word [x], 10000
        mov     word [y], 500
        mov     cx, 1000
l:      mov     ax, [x]
        imul    word [cosine]
        mov     bx, ax
        mov     si, dx
        mov     ax, [y]
        imul    word [sine]
        sub     bx, ax
        sbb     si, dx
        shrd    bx, si, 14
        push    bx
        mov     ax, [x]
        imul    word [sine]
        mov     bx, ax
        mov     si, dx
        mov     ax, [y]
        imul    word [cosine]
        add     bx, ax
        adc     si, dx
        shrd    bx, si, 14
        mov     [y], bx
        pop     word [x]
        mov     ax, [x]
        cwd
        idiv    word [z]
        add     [sum], ax
        inc     byte [z]
        or      word [z], 100h
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, [sum]
%include "common.inc"
        FINISH
x       dw      0
y       dw      0
z       dw      300
cosine  dw      16380
sine    dw      286
sum     dw      0
