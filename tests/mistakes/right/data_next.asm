; As data_next.asm, with its end.
        .model tiny
        .code
        org 100h
start:  mov dx, offset text
        mov ah, 9
        int 21h
        mov ax, 4C00h
        int 21h
text    db 'Hello, these are data', 13, 10, '$'
        end start
