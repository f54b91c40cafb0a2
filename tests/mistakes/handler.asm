; A division within an interrupt routine of the program's own.
        .model small
        .stack 100h
        .code
start:  push cs
        pop ds
        mov dx, offset handler
        mov ax, 2560h
        int 21h
        int 60h
        mov ax, 4C00h
        int 21h
handler:xor bl, bl
        div bl
        iret
        end start
