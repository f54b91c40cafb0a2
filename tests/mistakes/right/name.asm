; As name.asm, with DS loaded, and a divisor.
        .model small
        .stack 100h
        .data
filler  db 10Ah dup (1)
n1      db 5
        .code
start:  mov ax, @data
        mov ds, ax
        mov ax, 10
        mov dl, n1
        div dl
finish: mov ax, 4C00h
        int 21h
        end start
