; The number of an entry is not doubled.
        .model small
        .stack 100h
        .data
table   dw first, second
        .code
main:   mov ax, @data
        mov ds, ax
        mov bx, 1
        call table[bx]
first:  mov ax, 4C00h
        int 21h
second: mov ax, 4C01h
        int 21h
        end main
