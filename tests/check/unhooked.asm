; The old vector is brought back.
        .model  tiny
        .code
        org     100h
start:  mov     ax, 351Ch
        int     21h
        mov     word ptr old, bx
        mov     word ptr old+2, es
        mov     ax, 251Ch
        mov     dx, offset tick
        int     21h
again:  cmp     ticks, 3
        jb      again
        mov     ax, 251Ch
        lds     dx, old
        int     21h
        mov     ax, 4C00h
        int     21h
tick:   inc     cs:ticks
        iret
ticks   dw      0
old     dd      0
        end     start
