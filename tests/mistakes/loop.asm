; CX counts two loops at once.
        .model small
        .stack 100h
        .code
start:  mov cx, 5
rows:   mov cx, 3
cells:  inc ax
        loop cells
        loop rows
        mov ax, 4C00h
        int 21h
        end start
