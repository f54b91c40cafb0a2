; (z) N x 50,000 calls of an interrupt routine of the program: INT, IRET, registers on the stack
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 10
%endif
        xor     ax, ax
        mov     es, ax
        mov     word [es:60h*4], routine
        mov     [es:60h*4+2], cs
        mov     bp, N
o:      mov     cx, 50000
l:      int     60h
        add     ax, cx
        dec     cx
        jnz     l
        dec     bp
        jnz     o
%include "common.inc"
        FINISH
routine:
        push    bx
        mov     bx, ax
        shl     bx, 1
        xor     ax, bx
        inc     ax
        pop     bx
        iret
