; (z) N x 1,000 reals that are truncated to integers as C does it: with the control word of the truncation,
; and then the former one
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 100
%endif
        mov     bp, N
        finit
        fnstcw  [round]
        mov     ax, [round]
        or      ah, 0Ch
        mov     [chop], ax
o:      mov     cx, 1000
        fldz
l:      fadd    qword [step]
        fld     st0
        fmul    qword [scale]
        fldcw   [chop]
        fistp   dword [whole]
        fldcw   [round]
        mov     bx, [whole]
        and     bx, 0Fh
        add     bx, bx
        inc     word [counts + bx]
        dec     cx
        jnz     l
        fstp    st0
        dec     bp
        jnz     o
        mov     ax, [counts + 6]
%include "common.inc"
        FINISH
step    dq      0.25
scale   dq      1.5
round   dw      0
chop    dw      0
whole   dd      0
counts  times 16 dw 0
