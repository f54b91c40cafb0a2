; (z) N x 10,000 turns that toggle the speaker and write an entry of the palette: IN, OUT
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 10
%endif
        mov     bp, N
        xor     bx, bx
o:      mov     cx, 10000
l:      in      al, 61h
        xor     al, 2
        out     61h, al
        and     ax, 3
        add     bx, ax
        mov     dx, 3C8h
        mov     al, cl
        out     dx, al
        inc     dx
        mov     al, bl
        and     al, 3Fh
        out     dx, al
        shr     al, 1
        out     dx, al
        shr     al, 1
        out     dx, al
        xor     bl, al
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        in      al, 61h
        and     al, 0FCh
        out     61h, al
        mov     ax, bx
%include "common.inc"
        FINISH
