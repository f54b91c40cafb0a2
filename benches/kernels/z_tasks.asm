; (z) N x 10,000 turns of two tasks, each with a stack segment of its own
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 4
%endif
        mov     ax, cs
        add     ax, 1000h
        mov     [other+2], ax
        mov     es, ax
        mov     word [other], 0E6h
        mov     word [es:0EEh], task
        mov     bp, N
o:      mov     cx, 10000
l:      call    yield
        add     bx, cx
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, [sum]
%include "common.inc"
        FINISH
task:   xor     ax, ax
.l:     inc     ax
        xor     ax, 55h
        add     [sum], ax
        call    yield
        jmp     .l
yield:  push    ax
        push    bx
        push    cx
        push    bp
        mov     [own], sp
        mov     [own+2], ss
        cli
        mov     ss, [other+2]
        mov     sp, [other]
        sti
        mov     ax, [own]
        mov     [other], ax
        mov     ax, [own+2]
        mov     [other+2], ax
        pop     bp
        pop     cx
        pop     bx
        pop     ax
        ret
sum     dw      0
own     dw      0, 0
other   dw      0, 0
