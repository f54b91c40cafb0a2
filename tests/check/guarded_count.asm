        .model small
        .stack 100h
        .data
count   dw 0
        .code
start:  mov ax, @data
        mov ds, ax
        mov cx, count
        jcxz done
again:  inc count
        loop again
done:   mov ax, 4C00h
        int 21h
        end start
