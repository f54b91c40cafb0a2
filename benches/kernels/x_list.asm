; (x) N walks through a list of 1,000 elements in 16 segments, linked by far pointers
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 300
%endif
        mov     ax, cs
        add     ax, 1000h       ; elements at 1000h paragraphs and up
        mov     bx, 16
        mov     cx, 1000
        xor     di, di
b:      mov     es, ax          ; next, and a number
        mov     dx, ax
        add     dx, 64
        dec     bx
        jnz     s
        mov     bx, 16
        sub     dx, 1024
        lea     si, [di+6]
        jmp     short j
s:      mov     si, di
j:      mov     [es:di], si
        mov     [es:di+2], dx
        mov     [es:di+4], cx
        mov     di, si
        mov     ax, dx
        dec     cx
        jnz     b
        mov     bp, N
        xor     dx, dx
o:      mov     ax, cs
        add     ax, 1000h
        mov     es, ax
        xor     di, di
        mov     cx, 1000
w:      add     dx, [es:di+4]
        mov     [es:di+4], dx
        les     di, [es:di]
        dec     cx
        jnz     w
        dec     bp
        jnz     o
        mov     ax, dx
%include "common.inc"
        FINISH
