; The routine of the timer returns as a procedure does.
        .model small
        .stack 100h
        .code
main:   push cs
        pop ds
        mov dx, offset tick
        mov ax, 251Ch
        int 21h
wait_:  inc bx
        jmp wait_
tick    proc
        inc dx
        ret
tick    endp
        end main
