; As interrupts_off.asm, with STI.
        .model tiny
        .code
        org 100h
start:  mov dx, offset tick
        mov ax, 251Ch
        int 21h
        sti
again:  cmp count, 4
        jb again
        mov ax, 4C00h
        int 21h
tick:   inc cs:count
        iret
count   db 0
        end start
