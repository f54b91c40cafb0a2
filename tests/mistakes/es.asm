; ES is never loaded with the screen's segment: STOSW writes over the program.
        .model small
        .stack 100h
        .code
start:  xor di, di
        mov ax, 0720h
        mov cx, 2000
        cld
        rep stosw
        mov ax, 4C00h
        int 21h
        end start
