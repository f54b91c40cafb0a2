; The buffer for a line does not say how long it is.
        .model  tiny
        .code
        org     100h
start:  mov     dx, offset buffer
        mov     ah, 0Ah
        int     21h
        mov     ax, 4C00h
        int     21h
buffer  db      ?, ?, 20 dup (?)
        end     start
