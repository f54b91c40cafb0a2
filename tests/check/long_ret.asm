        .model small
        .stack 100h
        .code
start:  push ax
        call sum
        mov ax, 4C00h
        int 21h
sum     proc
        ret 4
sum     endp
        end start
