; DS is never loaded, and AH=09h prints from the PSP.
        .model small
        .stack 100h
        .data
greeting db 'Hello$'
        .code
start:  mov dx, offset greeting
        mov ah, 9
        int 21h
        mov ax, 4C00h
        int 21h
        end start
