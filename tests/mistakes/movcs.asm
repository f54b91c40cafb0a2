; MOV to CS, which only the 8086 has.
        .model tiny
        .code
        org 100h
start:  mov ax, cs
        db 8Eh, 0C8h    ; mov cs, ax
        mov ax, 4C00h
        int 21h
        end start
