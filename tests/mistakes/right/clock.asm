; A loop that waits for the BIOS's clock.
        .model tiny
        .code
        org 100h
start:  mov ax, 40h
        mov es, ax
        mov ax, es:[6Ch]
again:  cmp ax, es:[6Ch]
        je again
        mov ax, 4C00h
        int 21h
        end start
