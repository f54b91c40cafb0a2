; (v) N x 2,000 copies, fills, comparisons and searches of 3 to 10 bytes with repeated string instructions
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 100
%endif
        mov     bp, N
        xor     dx, dx
        cld
o:      mov     bx, 2000
l:      mov     ax, bx
        and     ax, 7
        add     ax, 3
        mov     cx, ax
        mov     si, text
        mov     di, buffer
        rep     movsb
        mov     cx, ax
        mov     si, text
        mov     di, buffer
        repe    cmpsb
        add     dx, si
        mov     cx, ax
        mov     di, buffer
        mov     al, 'q'
        repne   scasb
        add     dx, cx
        mov     cx, 4
        mov     di, buffer
        rep     stosw
        dec     bx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, dx
%include "common.inc"
        FINISH
text    db      "a quick brown fox"
buffer  times 20 db 0
