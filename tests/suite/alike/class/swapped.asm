; Counts vowels in BP, with other registers, and the data in another order.
        .model tiny
        .code
        org 100h
start:  jmp main
vowels  db 'aeiou'
answer  db 13, 10, 'vowels: $'
hello   db 'Type a text, and a full stop: $'
main:   mov dx, offset hello
        mov ah, 9
        int 21h
        xor bp, bp
next:   mov ah, 1
        int 21h
        cmp al, '.'
        je done
        call vowel
        jnc next
        inc bp
        jmp next
done:   mov dx, offset answer
        mov ah, 9
        int 21h
        mov ax, bp
        call print
        mov ax, 4C00h
        int 21h

vowel   proc
        or al, 20h
        mov di, offset vowels
        mov cx, 5
again:  cmp al, [di]
        je yes
        inc di
        loop again
        clc
        ret
yes:    stc
        ret
vowel   endp

print   proc
        mov bx, 10
        xor cx, cx
digit:  xor dx, dx
        div bx
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
        end start
