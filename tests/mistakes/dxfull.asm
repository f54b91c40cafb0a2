; DX holds the rest of a multiplication when AX is divided.
        .model small
        .stack 100h
        .data
width_  dw 300
        .code
start:  mov ax, @data
        mov ds, ax
        mov ax, 1000
        mul width_
        call average
        mov ax, 4C00h
        int 21h
average proc
        mov bx, 2
        div bx
        ret
average endp
        end start
