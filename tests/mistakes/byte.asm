; 600 / 2 does not fit into AL.
        .model tiny
        .code
        org 100h
start:  mov ax, 600
        mov bl, 2
        div bl
        ret
        end start
