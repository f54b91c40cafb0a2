; The key is kept over the calls that print; the printed character may be read back from AL.
        .model small
        .stack 100h
        .data
text    db 'Hello$'
        .code
start:  mov ax, @data
        mov ds, ax
        mov ah, 1
        int 21h
        push ax
        mov dx, offset text
        mov ah, 9
        int 21h
        pop ax
        cmp al, 'y'
        jne other
        mov dl, al
        mov ah, 2
        int 21h
        inc al
        mov bx, ax
        mov ah, 9
        mov dx, offset text
        int 21h
        xor al, al
        cmp bl, al
other:  mov ah, 9
        int 21h
        mov ah, 4Ch
        int 21h
        end start
