; A text by its address, from a variable.
        .model small
        .stack 100h
        .data
greeting db 'Hello$'
where_  dw greeting
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, where_
        mov ah, 9
        int 21h
        mov ax, 4C00h
        int 21h
        end start
