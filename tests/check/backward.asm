        .model small
        .stack 100h
        .data
from    db 'abcd'
to      db 16 dup (0)
        .code
start:  mov ax, @data
        mov ds, ax
        mov es, ax
        call move
        mov di, offset to + 8
        mov al, 'x'
        stosb
        mov ax, 4C00h
        int 21h
move    proc
        std
        mov si, offset from + 3
        mov di, offset to + 3
        mov cx, 4
        rep movsb
        ret
move    endp
        end start
