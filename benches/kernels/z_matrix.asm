; (z) N products of matrices of 16 x 16 doubles on the x87, with integers, so that every x87 agrees
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 100
%endif
        fninit
        mov     cx, 256
        mov     di, a
i:      mov     ax, cx
        and     ax, 7
        mov     [word_], ax
        fild    word [word_]
        fst     qword [di]
        fstp    qword [di+2048]
        add     di, 8
        dec     cx
        jnz     i
        mov     bp, N
o:      mov     si, a           ; row
        mov     di, c
        mov     dh, 16
r:      mov     bx, b           ; column
        mov     dl, 16
k:      fldz
        push    si
        push    bx
        mov     cx, 16
e:      fld     qword [si]
        fmul    qword [bx]
        faddp   st1, st0
        add     si, 8
        add     bx, 128
        dec     cx
        jnz     e
        pop     bx
        pop     si
        fstp    qword [di]
        add     di, 8
        add     bx, 8
        dec     dl
        jnz     k
        add     si, 128
        dec     dh
        jnz     r
        dec     bp
        jnz     o
        fld     qword [c+136]
        fistp   word [word_]
        mov     ax, [word_]
%include "common.inc"
        FINISH
word_   dw      0
        align 8
a       equ     4000h
b       equ     4800h
c       equ     5000h
