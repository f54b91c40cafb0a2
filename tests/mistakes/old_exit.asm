; 4Ch in AL instead of AH: INT 21h with AH = 0 ends COM programs alone.
        .model small
        .stack 100h
        .code
start:  mov ax, 4Ch
        int 21h
        end start
