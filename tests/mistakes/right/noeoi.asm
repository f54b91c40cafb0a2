; As noeoi.asm, with its EOI.
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
        mov al, 20h
        out 20h, al
        pop ax
        iret
count   db 0
        end start
