; A COM program without ORG 100h.
        .model tiny
        .code
start:  mov bx, count
        mov ax, 100
        xor dx, dx
        div bx
        mov ax, 4C00h
        int 21h
        dw 26 dup (0)
count   dw 5
        end start
