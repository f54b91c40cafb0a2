; (z) N x one of two overlays of 600 bytes is loaded to the same place, and called 20 times
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 150
%endif
        mov     ax, cs
        add     ax, 1000h
        mov     [f+2], ax
        mov     bp, N
        xor     bx, bx
o:      mov     es, [f+2]
        mov     si, first
        test    bp, 1
        jz      load
        mov     si, second
load:   xor     di, di
        mov     cx, 300
        rep     movsw
        mov     cx, 20
l:      call    far [f]
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, bx
%include "common.inc"
        FINISH
f       dw      0, 0
first:  mov     dx, 10
.a:     add     bx, dx
        dec     dx
        jnz     .a
%rep 100
        add     bx, 3
        rol     bx, 1
%endrep
        retf
        times 600-($-first) nop
second: mov     dx, 12
.a:     xor     bx, dx
        dec     dx
        jnz     .a
%rep 100
        add     bx, dx
        xor     bx, 5
%endrep
        retf
        times 600-($-second) nop
