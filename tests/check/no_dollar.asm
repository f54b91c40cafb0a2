; The text has no end except by chance.
        .model  tiny
        .code
        org     100h
start:  mov     dx, offset text
        mov     ah, 9
        jmp     print
text    db      'Hello'
print:  int     21h
        mov     ax, 4C00h
        int     21h
        db      '$'
        end     start
