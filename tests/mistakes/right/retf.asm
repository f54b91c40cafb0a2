; A near CALL with RET, and a far one with RETF; PUSH CS makes a far CALL of a near one.
        .model small
        .stack 100h
        .code
start:  push cs
        call show
        call far ptr show
        call near ptr one
        mov ax, 4C00h
        int 21h
one:    ret
show:   mov dl, 'x'
        mov ah, 2
        int 21h
        retf
        end start
