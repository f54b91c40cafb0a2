; With procedures that nobody calls.
        .model tiny
        .code
        org 100h
start:
        mov dx, offset hello
        mov ah, 9
        int 21h
        xor bx, bx
        jmp next

beep    proc
        mov dl, 7
        mov ah, 2
        int 21h
        ret
beep    endp

upper   proc
        cmp al, 'a'
        jb out1
        cmp al, 'z'
        ja out1
        sub al, 20h
out1:   ret
upper   endp

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

square  proc
        mul ax
        mov bx, ax
        xchg ax, dx
        add ax, bx
        ret
square  endp

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

wait1   proc
        mov cx, 1000
here:   nop
        loop here
        ret
wait1   endp

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
