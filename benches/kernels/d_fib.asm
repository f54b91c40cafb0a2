; (d) recursive Fibonacci numbers: calls, the stack, compares. N times fib(24); result = fib(24) = B520h
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 100
%endif
        mov     bp, N
o:      mov     ax, 24
        call    fib
        dec     bp
        jnz     o
%include "common.inc"
        FINISH
; AX = fib(AX); changes BX
fib:    cmp     ax, 2
        jb      r
        push    ax
        dec     ax
        call    fib
        pop     bx
        push    ax
        lea     ax, [bx-2]
        call    fib
        pop     bx
        add     ax, bx
r:      ret
