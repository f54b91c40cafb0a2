; A near CALL, and RETF.
        .model small
        .stack 100h
        .code
start:  call show
        mov ax, 4C00h
        int 21h
show:   mov dl, 'x'
        mov ah, 2
        int 21h
        retf
        end start
