; One comparison a vowel, and AAM for the digits.
        .model tiny
        .code
        org 100h
start:
        mov dx, offset hello
        mov ah, 9
        int 21h
read:   mov ah, 1
        int 21h
        cmp al, '.'
        jz finish
        and al, 0DFh
        cmp al, 'A'
        jz hit
        cmp al, 'E'
        jz hit
        cmp al, 'I'
        jz hit
        cmp al, 'O'
        jz hit
        cmp al, 'U'
        jnz read
hit:    inc count
        jmp read
finish: mov ah, 9
        lea dx, said
        int 21h
        mov al, count
        aam
        mov bx, ax
        cmp bh, 0
        jz units
        mov dl, bh
        or dl, 30h
        mov ah, 2
        int 21h
units:  mov dl, bl
        or dl, 30h
        mov ah, 2
        int 21h
        mov ax, 4C00h
        int 21h
count   db 0
hello   db 'Type a text, and a full stop: $'
said    db 13, 10, 'vowels: $'
        end start
