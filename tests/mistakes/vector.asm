; An interrupt without a handler.
        .model small
        .stack 100h
        .code
start:  mov ah, 4Ch
        int 60h
        end start
