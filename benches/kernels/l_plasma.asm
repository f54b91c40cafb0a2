; (l) mode 13h: N pictures, each pixel by STOSB from a table by XLAT, and a band of words copied back by MOVSW
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 200
%endif
        mov     ax, 13h
        int     10h
        mov     ax, 0A000h
        mov     es, ax
        cld
        mov     bx, table
        mov     di, bx
        mov     cx, 256
        xor     ax, ax
t:      mov     [di], al
        inc     di
        add     al, 3
        xor     al, 5Ah
        loop    t
        mov     bp, N
p:      xor     di, di
        mov     dx, 200
y:      mov     cx, 320
x:      mov     ax, cx
        add     ax, bp
        add     al, dl
        xlat
        stosb
        loop    x
        dec     dx
        jnz     y
        push    ds
        push    es
        pop     ds
        mov     si, 320*100
        xor     di, di
        mov     cx, 160*20
m:      movsw
        loop    m
        pop     ds
        dec     bp
        jnz     p
        mov     ax, [es:320*50+17]
        push    ax
        mov     ax, 3
        int     10h
        pop     ax
%include "common.inc"
        FINISH
        align 64
table:
