; Nothing ends the program: its data are executed as instructions that leave it somewhere else.
        .model tiny
        .code
        org 100h
start:  mov dx, offset text
        mov ah, 9
        int 21h
text    db 'Hello, these are data', 13, 10, '$'
        end start
