; (o) N x 10,000 calls as a compiler's large model makes them: far pointers, frames, RETF with parameters
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 100
%endif
        mov     [f+2], cs
        mov     bp, N
        xor     si, si
o:      mov     cx, 10000
l:      push    cx
        push    ds
        mov     ax, list
        push    ax
        push    cx
        call    far [f]
        add     si, ax
        pop     cx
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, si
%include "common.inc"
        FINISH
; adds a number to an element of a list and returns the element
add_to: push    bp
        mov     bp, sp
        push    bx
        push    es
        les     bx, [bp+8]
        mov     ax, [bp+6]
        and     ax, 30
        add     bx, ax
        mov     ax, [bp+6]
        push    cs
        call    twice
        add     [es:bx], ax
        mov     ax, [es:bx]
        pop     es
        pop     bx
        pop     bp
        retf    6
twice:  pushf
        shl     ax, 1
        popf
        retf
f       dw      add_to, 0
list    times 16 dw 0
