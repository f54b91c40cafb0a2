        .model small
        .stack 100h
        .code
start:  push ax
        call far ptr sum
        add sp, 2
        mov ax, 4C00h
        int 21h
sum:    retn
        end start
