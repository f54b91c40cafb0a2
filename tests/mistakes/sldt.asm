; An instruction of protected mode.
        .286p
        .model tiny
        .code
        org 100h
start:  mov ax, 1
        sldt ax
        ret
        end start
