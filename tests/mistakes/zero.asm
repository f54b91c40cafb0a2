; An average of nothing.
        .model small
        .stack 100h
        .data
count   dw 0
        .code
start:  mov ax, @data
        mov ds, ax
        mov ax, 100
        cwd
        idiv count
        mov ax, 4C00h
        int 21h
        end start
