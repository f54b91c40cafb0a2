; The procedures come first, the one that prints before the one that looks.
        .model tiny
        .code
        org 100h
start:  jmp main

print   proc
        mov di, 10
        xor cx, cx
digit:  xor dx, dx
        div di
        push dx
        inc cx
        or ax, ax
        jnz digit
show:   pop dx
        add dl, '0'
        mov ah, 2
        int 21h
        loop show
        ret
print   endp

vowel   proc
        or al, 20h
        mov si, offset vowels
        mov cx, 5
again:  cmp al, [si]
        je yes
        inc si
        loop again
        clc
        ret
yes:    stc
        ret
vowel   endp

main:   mov dx, offset hello
        mov ah, 9
        int 21h
        xor bx, bx
next:   mov ah, 1
        int 21h
        cmp al, '.'
        je done
        call vowel
        jnc next
        inc bx
        jmp next
done:   mov dx, offset answer
        mov ah, 9
        int 21h
        mov ax, bx
        call print
        mov ax, 4C00h
        int 21h

hello   db 'Type a text, and a full stop: $'
answer  db 13, 10, 'vowels: $'
vowels  db 'aeiou'
        end start
