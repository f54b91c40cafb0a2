; (z) N x 1,000 sines and cosines
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 4
%endif
        mov     bp, N
        xor     si, si
        finit
o:      mov     cx, 1000
        mov     word [angle], 0
l:      fild    word [angle]
        fmul    qword [step]
        fld     st0
        fsin
        fxch
        fcos
        fmul    st0, st1
        fadd
        fabs
        fsqrt
        fcomp   qword [limit]
        fnstsw  ax
        sahf
        jbe     n
        inc     si
n:      inc     word [angle]
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, si
%include "common.inc"
        FINISH
step    dq      0.01
limit   dq      0.9
angle   dw      0
