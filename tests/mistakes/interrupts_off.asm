; A clock routine that is to end a loop, and CLI before the loop.
        .model tiny
        .code
        org 100h
start:  mov dx, offset tick
        mov ax, 251Ch
        int 21h
        cli
again:  cmp count, 4
        jb again
        mov ax, 4C00h
        int 21h
tick:   inc cs:count
        iret
count   db 0
        end start
