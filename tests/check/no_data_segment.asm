; DS is never loaded: the PSP is read.
        .model  small
        .stack  100h
        .data
first   db      'A'
        .code
start:  mov     dl, first
        mov     ah, 2
        int     21h
        mov     ax, 4C00h
        int     21h
        end     start
