; Counts vowels.
        .model tiny
        .code
        org 100h
start:
        mov dx, offset hello
        mov ah, 9
        int 21h
        xor bx, bx                      ; the vowels so far
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

; Carry is set if AL is a vowel.
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

; Prints AX.
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

hello   db 'Type a text, and a full stop: $'
answer  db 13, 10, 'vowels: $'
vowels  db 'aeiou'
        end start
