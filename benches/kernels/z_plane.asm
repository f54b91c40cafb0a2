; (z) N lines of 640 pixels in mode 12h with write mode 2, registers set for each pixel
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 40
%endif
        mov     ax, 12h
        int     10h
        mov     ax, 0A000h
        mov     es, ax
        mov     bp, N
o:      mov     word [x], 0
        mov     word [y], 0
        mov     word [error], 320
        mov     cx, 640
l:      mov     bx, [x]
        mov     ax, 80
        mul     word [y]
        mov     di, bx
        shr     di, 1
        shr     di, 1
        shr     di, 1
        add     di, ax
        push    cx
        mov     cl, bl
        and     cl, 7
        mov     ah, 80h
        shr     ah, cl
        mov     dx, 3CEh
        mov     al, 8           ; the bit mask
        out     dx, ax
        mov     ax, 0205h       ; write mode 2
        out     dx, ax
        mov     al, [es:di]
        mov     ax, bp
        mov     [es:di], al
        pop     cx
        inc     word [x]
        sub     word [error], 479
        jns     n
        add     word [error], 640
        inc     word [y]
n:      dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     dx, 3CEh
        mov     ax, 0FF08h
        out     dx, ax
        mov     ax, 0005h
        out     dx, ax
        mov     ax, 3
        int     10h
        mov     ax, [y]
%include "common.inc"
        FINISH
x       dw      0
y       dw      0
error   dw      0
