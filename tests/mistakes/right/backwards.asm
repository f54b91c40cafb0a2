; As backwards.asm, with CLD.
        .model small
        .stack 100h
        .data
room    db 20 dup (0)
greeting db 'Hello$'
gap     db 30 dup (0)
copy    db 6 dup (0)
        .code
start:  mov ax, @data
        mov ds, ax
        mov es, ax
        cld
        mov si, offset greeting
        mov di, offset copy
        mov cx, 6
        rep movsb
        mov dx, offset copy
        mov ah, 9
        int 21h
        mov ax, 4C00h
        int 21h
        end start
