; A buffer of four bytes on the stack is filled with ten.
        .model small
        .stack 100h
        .code
main:   call fill
        mov ax, 4C00h
        int 21h
fill    proc
        push bp
        mov bp, sp
        sub sp, 4
        mov cx, 10
        push ss
        pop es
        lea di, [bp-4]
        mov al, 'A'
        ; Eight bytes up stands where
        ; the procedure was called from.
        rep stosb
        mov sp, bp
        pop bp
        ret
fill    endp
        end main
