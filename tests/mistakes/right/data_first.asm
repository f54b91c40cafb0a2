; As data_first.asm, with a jump over the data.
        .model tiny
        .code
        org 100h
first:  jmp start
numbers db 0Fh, 0Ah, 3, 4
start:  mov al, numbers
        mov ax, 4C00h
        int 21h
        end first
