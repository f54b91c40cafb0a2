; The frame that everybody begins with.
        .model tiny
        .code
        org 100h
start:
        mov dx, offset hello
        mov ah, 9
        int 21h

        ; your code

        mov ax, 4C00h
        int 21h

hello   db 'Type a text, and a full stop: $'
        end start
