; DS is never loaded with @data: the count that is read is a word of the PSP's.
        .model small
        .stack 100h
        .data
        dw 16 dup (0)
count   dw 4
total   dw 20
        .code
start:  mov ax, 20
        xor dx, dx
        div count
        mov ax, 4C00h
        int 21h
        end start
