; Instructions replaced by others that do the same.
        .model tiny
        .code
        org 100h
start:
        lea dx, hello
        mov ah, 9
        int 21h
        mov bx, 0
next:   mov ah, 1
        int 21h
        cmp al, '.'
        jne go_on
        jmp done
go_on:  call vowel
        jnc next
        add bx, 1
        jmp next
done:   mov ah, 9
        lea dx, answer
        int 21h
        mov ax, bx
        call print
        mov ah, 4Ch
        int 21h

vowel   proc
        or al, 20h
        lea si, vowels
        mov cx, 5
again:  cmp [si], al
        je yes
        add si, 1
        dec cx
        jnz again
        clc
        ret
yes:    stc
        ret
vowel   endp

print   proc
        mov di, 10
        mov cx, 0
digit:  sub dx, dx
        div di
        push dx
        add cx, 1
        test ax, ax
        jne digit
show:   pop dx
        add dl, '0'
        mov ah, 2
        int 21h
        dec cx
        jnz show
        ret
print   endp

hello   db 'Type a text, and a full stop: $'
answer  db 13, 10, 'vowels: $'
vowels  db 'aeiou'
        end start
