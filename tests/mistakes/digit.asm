; AL alone is loaded before a division of AX.
        .model small
        .stack 100h
        .data
number  db 42
        .code
start:  mov ax, @data
        mov ds, ax
        mov al, number
        mov bl, 5
        div bl
        mov ax, 4C00h
        int 21h
        end start
