; (n) Mandelbrot set of 160 x 100 points with at most 100 steps each, N times, on the x87
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 20
%endif
        finit
        xor     si, si
o:      mov     word [y], 0
r:      mov     word [x], 0
c:      fild    word [x]
        fmul    qword [scale]
        fsub    qword [left]
        fstp    qword [re]
        fild    word [y]
        fmul    qword [scale]
        fsub    qword [below]
        fstp    qword [im]
        fldz
        fldz
        mov     cx, 100
l:      fld     st1
        fmul    st0, st0
        fld     st1
        fmul    st0, st0
        fld     st1
        fadd    st0, st1
        fcomp   qword [four]
        fstsw   ax
        sahf
        ja      outside
        fsubp   st1, st0
        fadd    qword [re]
        fxch    st2
        fmulp   st1, st0
        fadd    st0, st0
        fadd    qword [im]
        loop    l
        jmp     short done
outside:
        fstp    st0
        fstp    st0
done:   fstp    st0
        fstp    st0
        add     si, cx
        inc     word [x]
        cmp     word [x], 160
        jb      c
        inc     word [y]
        cmp     word [y], 100
        jb      r
        dec     word [turns]
        jnz     o
        mov     ax, si
%include "common.inc"
        FINISH
turns   dw      N
x       dw      0
y       dw      0
scale   dq      0.02
left    dq      2.0
below   dq      1.0
re      dq      0.0
im      dq      0.0
four    dq      4.0
