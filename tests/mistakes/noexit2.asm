; Nothing ends the program, and variables follow it.
        .model tiny
        .code
        org 100h
start:  mov dx, offset text
        mov ah, 9
        int 21h
text    db 'Hello$', 0FFh, 0FFh
        end start
