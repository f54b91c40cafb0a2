; Nothing ends the program, and the letters behind it are ARPL, an instruction of protected mode.
        .model tiny
        .code
        org 100h
start:  mov dx, offset text
        mov ah, 9
        int 21h
text    db 'case$'
        end start
