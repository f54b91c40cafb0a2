; As psp_text.asm, with DS loaded.
        .model small
        .stack 100h
        .data
greeting db 'Hello$'
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset greeting
        mov ah, 9
        int 21h
        mov ax, 4C00h
        int 21h
        end start
