; A set of bits, a letter each; the answer is put into the text.
        .386
code    segment use16 'code'
        assume cs:code, ds:code
        org 100h
start:  mov ah, 9
        mov dx, offset hello
        int 21h
        xor di, di
key:    mov ah, 1
        int 21h
        movzx ecx, al
        sub cl, '.'
        jz over
        add cl, '.'
        and cl, 1Fh
        mov eax, 1
        shl eax, cl
        test eax, 208222h
        setnz dl
        movzx dx, dl
        add di, dx
        jmp key
over:   mov ax, di
        mov bl, 10
        div bl
        add word ptr digits, ax
        cmp digits, '0'
        jne tell
        mov digits, ' '
        mov al, digits + 1
        mov digits, al
        mov digits + 1, '$'
tell:   mov ah, 9
        mov dx, offset said
        int 21h
        mov ah, 4Ch
        int 21h
hello   db 'Type a text, and a full stop: $'
said    db 13, 10, 'vowels: '
digits  db '00$'
code    ends
        end start
