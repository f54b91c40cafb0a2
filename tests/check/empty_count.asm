        .model small
        .stack 100h
        .data
count   dw 0
        .code
start:  mov ax, @data
        mov ds, ax
        mov cx, count
again:  inc count
        loop again
        mov ax, 4C00h
        int 21h
        end start
