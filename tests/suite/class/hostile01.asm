; Hostile: prints without an end.
        .386
code    segment use16 'code'
        assume cs:code, ds:code
        org 100h
start:  mov dx, offset text
        mov ah, 9
        int 21h
        jmp start
text    db 512 dup ('Total: 27 '), '$'
code    ends
        end start
