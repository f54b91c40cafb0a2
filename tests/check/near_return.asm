        .model small
        .stack 100h
        .code
start:  mov ax, 4C00h
        push ax
        call near ptr sum
        add sp, 2
        int 21h
sum:    retn
        end start
