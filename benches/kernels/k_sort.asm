; (k) bubble sort of 256 words, N times, as students write it: nested loops, XCHG with memory, subroutines with a frame
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 600
%endif
        mov     bp, N
o:      mov     di, list
        mov     cx, 256
        mov     ax, 12345
f:      mov     [di], ax
        mov     dx, 25173
        mul     dx
        add     ax, 13849
        add     di, 2
        loop    f
        push    bp
        mov     ax, 256
        push    ax
        mov     ax, list
        push    ax
        call    sort
        pop     bp
        dec     bp
        jnz     o
        mov     ax, [list+200]
%include "common.inc"
        FINISH
sort:   push    bp
        mov     bp, sp
        mov     cx, [bp+6]
        dec     cx
s:      push    cx
        mov     si, [bp+4]
c:      mov     ax, [si]
        cmp     ax, [si+2]
        jle     n
        xchg    ax, [si+2]
        mov     [si], ax
n:      add     si, 2
        loop    c
        pop     cx
        loop    s
        pop     bp
        ret     4
        align 64
list:
