; A PUSH without its POP: RET takes the number for an address.
        .model small
        .stack 100h
        .code
start:  call print
        mov ax, 4C00h
        int 21h
print   proc
        mov ax, 0F000h
        push ax
        mov dl, 'x'
        mov ah, 2
        int 21h
        ret
print   endp
        end start
