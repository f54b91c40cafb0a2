; A jump through a table whose entry was never filled in.
        .model small
        .stack 100h
        .data
table   dw 4 dup (8000h)
        .code
start:  mov ax, @data
        mov ds, ax
        mov bx, 2
        jmp table[bx]
        end start
