; DX gets the first letters of the text, not its address.
        .model small
        .stack 100h
        .data
greeting dw 'eH', 'll', '$o'
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, greeting
        mov ah, 9
        int 21h
        mov ax, 4C00h
        int 21h
        end start
