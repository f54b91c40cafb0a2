; A switch to protected mode.
        .386p
        .model tiny
        .code
        org 100h
start:  mov eax, cr0
        or al, 1
        mov cr0, eax
        ret
        end start
