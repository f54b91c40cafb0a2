; A main program that ends with RET, as one of a high-level language would.
        .model small
        .stack 100h
        .code
start:  mov dl, 'x'
        mov ah, 2
        int 21h
        ret
        end start
