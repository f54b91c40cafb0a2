; The number of the function is in the wrong half of AX.
        .model  tiny
        .code
        org     100h
start:  mov     ah, 0
        mov     dx, offset text
        mov     al, 9
        int     21h
        mov     ax, 4C00h
        int     21h
text    db      'Hello$'
        end     start
