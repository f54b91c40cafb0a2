; The h behind 21 is missing.
        .model small
        .stack 100h
        .code
main:   mov ax, 4C00h
        int 21
        end main
