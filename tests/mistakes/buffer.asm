; The loop fills more than its buffer, and an address follows it.
        .model small
        .stack 100h
        .data
buffer  db 6 dup (0)
next    dw finish
        .code
start:  mov ax, @data
        mov ds, ax
        mov bx, 0
        mov cx, 10
fill:   mov buffer[bx], 'x'
        inc bx
        loop fill
        jmp next
finish: mov ax, 4C00h
        int 21h
        end start
