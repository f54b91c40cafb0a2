        .model small
        .stack 100h
        .data
name_   db 'NONE.TXT', 0
handle  dw ?
buffer  db 16 dup (0)
        .code
start:  mov ax, @data
        mov ds, ax
        mov ax, 3D00h
        mov dx, offset name_
        int 21h
        mov handle, ax
        mov bx, ax
        mov ah, 3Fh
        mov cx, 16
        mov dx, offset buffer
        int 21h
        mov ax, 4C00h
        int 21h
        end start
