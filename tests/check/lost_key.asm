; The key is in AL, until the line end is printed: DOS leaves that there.
        .model small
        .stack 100h
        .code
start:  mov ah, 1
        int 21h
        mov ah, 2
        mov dl, 13
        int 21h
        mov dl, 10
        int 21h
        cmp al, 'y'
        jne other
        mov ax, 4C01h
        int 21h
other:  mov ax, 4C00h
        int 21h
        end start
