; A COM program that begins with its data.
        .model tiny
        .code
        org 100h
first   label near
numbers db 0Fh, 0Ah, 3, 4
start:  mov al, numbers
        mov ax, 4C00h
        int 21h
        end first
