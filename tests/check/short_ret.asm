        .model small
        .stack 100h
        .code
start:  mov cx, 200
again:  push ax
        push ax
        call sum
        loop again
        mov ax, 4C00h
        int 21h
sum     proc
        ret 2
sum     endp
        end start
