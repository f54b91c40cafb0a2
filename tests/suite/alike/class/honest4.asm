; A table of 256 bytes and XLAT; the number by a procedure that calls itself.
        .model tiny
        .code
        org 100h
start:
        mov dx, offset hello
        mov ah, 9
        int 21h
        mov bx, offset table
        mov si, offset vowels
fill:   lodsb
        mov di, ax
        and di, 0FFh
        mov byte ptr [bx + di], 1
        cmp si, offset vowels + 10
        jb fill
read:   mov ah, 8
        int 21h
        mov dl, al
        mov ah, 2
        int 21h
        mov al, dl
        cmp al, '.'
        je out1
        xlat
        mov ah, 0
        add total, ax
        jmp read
out1:   mov dx, offset said
        mov ah, 9
        int 21h
        mov ax, total
        call number
        int 20h

number: mov cx, 10
        mov dx, 0
        div cx
        push dx
        cmp ax, 0
        je one
        call number
one:    pop ax
        add al, '0'
        int 29h
        ret

total   dw 0
hello   db 'Type a text, and a full stop: $'
said    db 13, 10, 'vowels: $'
vowels  db 'aeiouAEIOU'
table   db 256 dup (0)
        end start
