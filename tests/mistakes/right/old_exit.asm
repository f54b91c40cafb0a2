; INT 21h with AH = 0 in a COM program, whose CS is its PSP.
        .model tiny
        .code
        org 100h
start:  mov ax, 4Ch
        int 21h
        end start
