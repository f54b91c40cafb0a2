; A keyboard routine that does not tell the interrupt controller that it is done.
        .model tiny
        .code
        org 100h
start:  mov dx, offset pressed
        mov ax, 2509h
        int 21h
again:  cmp count, 4
        jb again
        mov ax, 4C00h
        int 21h
pressed:push ax
        in al, 60h
        inc cs:count
        pop ax
        iret
count   db 0
        end start
