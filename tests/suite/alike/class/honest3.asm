; Reads all of the text first, looks with SCASB, prints by subtracting tens.
        .model small
        .stack 100h
        .data
hello   db 'Type a text, and a full stop: $'
said    db 13, 10, 'vowels: $'
vowels  db 'aeiouAEIOU'
text    db 200 dup (?)
        .code
main    proc
        mov ax, @data
        mov ds, ax
        mov es, ax
        mov ah, 9
        mov dx, offset hello
        int 21h
        mov di, offset text
get:    mov ah, 1
        int 21h
        stosb
        cmp al, '.'
        jne get
        mov si, offset text
        xor dx, dx
look:   lodsb
        cmp al, '.'
        je told
        mov di, offset vowels
        mov cx, 10
        repne scasb
        jne look
        inc dx
        jmp look
told:   push dx
        mov ah, 9
        mov dx, offset said
        int 21h
        pop bx
        mov dl, '0'
tens:   cmp bx, 10
        jb ones
        sub bx, 10
        inc dl
        jmp tens
ones:   cmp dl, '0'
        je last
        mov ah, 2
        int 21h
last:   mov dl, bl
        add dl, '0'
        mov ah, 2
        int 21h
        mov ax, 4C00h
        int 21h
main    endp
        end main
