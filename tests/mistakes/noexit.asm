; Nothing ends the program.
        .model small
        .stack 100h
        .data
text    db 'Hello$'
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset text
        mov ah, 9
        int 21h
        end start
