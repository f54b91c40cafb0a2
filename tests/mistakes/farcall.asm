; A far CALL, and a near RET: the segment stays on the stack, and the next RET takes it for an address.
        .model small
        .stack 100h
        .code
start:  call work
        mov ax, 4C00h
        int 21h
work:   call far ptr show
        retn
show:   mov dl, 'x'
        mov ah, 2
        int 21h
        retn
        end start
