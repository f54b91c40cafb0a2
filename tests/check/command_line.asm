; DS is the PSP, and the command line is meant.
        .model  small
        .stack  100h
        .code
start:  mov     dl, ds:[80h]
        add     dl, '0'
        mov     ah, 2
        int     21h
        mov     ax, 4C00h
        int     21h
        end     start
