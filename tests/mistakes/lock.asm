; LOCK before an instruction that later processors do not lock.
        .model tiny
        .code
        org 100h
start:  mov bx, 5
        db 0F0h
        mov ax, bx
        mov ax, 4C00h
        int 21h
        end start
