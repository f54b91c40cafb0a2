; The procedure counts in the register of the loop that calls it.
        .model small
        .stack 100h
        .code
main:   mov cx, 10
rows:   call row
        loop rows
        mov ax, 4C00h
        int 21h
row     proc
        mov cx, 5
cells:  inc bx
        loop cells
        ret
row     endp
        end main
