; A division by zero, and DS that still points to the PSP: there, finish is at the offset of n1.
        .model small
        .stack 100h
        .data
filler  db 10Ah dup (1)
n1      db 5
        .code
start:  mov ax, 10
        mov bl, 0
        mov dl, n1
        div bl
finish: mov ax, 4C00h
        int 21h
        end start
