; All of it: an EXE with other names, registers, instructions, comments and order, parts in line, and procedures that nobody calls.
        .model small
        .stack 200h
        .data
set1    db 'aeiou'
text2   db 13, 10, 'vowels: $'
text1   db 'Type a text, and a full stop: $'
        .code
unused  proc
        push ax
        mov ah, 2
        mov dl, ' '
        int 21h
        pop ax
        ret
unused  endp

write   proc                    ; the number in AX, in decimal
        sub cx, cx
        mov si, 10
w1:     sub dx, dx
        div si
        push dx
        add cx, 1
        test ax, ax
        jnz w1
w2:     pop dx
        mov ah, 2
        add dl, '0'
        int 21h
        dec cx
        jnz w2
        ret
write   endp

main    proc
        mov ax, @data
        mov ds, ax
        mov ah, 9
        lea dx, text1
        int 21h
        mov bp, 0
m1:     mov ah, 1
        int 21h
        cmp al, 46
        je m4
        or al, 20h              ; the procedure of old, in line
        lea di, set1
        mov cx, 5
m2:     cmp al, [di]
        je m3
        add di, 1
        loop m2
        jmp m1
m3:     add bp, 1
        jmp m1
m4:     mov ah, 9
        lea dx, text2
        int 21h
        mov ax, bp
        call write
        mov ah, 4Ch
        mov al, 0
        int 21h
main    endp
        end main
