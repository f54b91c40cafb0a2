; The timer's routine preserves the registers that it uses, and ends the interrupt.
        .model  tiny
        .code
        org     100h
start:  mov     ax, 3508h
        int     21h
        mov     word ptr old, bx
        mov     word ptr old+2, es
        mov     ax, 2508h
        mov     dx, offset tick
        int     21h
again:  cmp     ticks, 1
        jb      again
        mov     ax, 2508h
        lds     dx, old
        int     21h
        mov     ax, 4C00h
        int     21h
tick:   push    ax
        inc     cs:ticks
        mov     al, 20h
        out     20h, al
        pop     ax
        iret
ticks   dw      0
old     dd      0
        end     start
