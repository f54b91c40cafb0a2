; (t) N checksums of 4,096 bytes with a multiplication and a remainder for each
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 300
%endif
        mov     bp, N
        mov     bx, 1
o:      mov     si, 100h
        mov     cx, 4096
l:      lodsb
        xor     ah, ah
        add     ax, bx
        mov     di, 33
        mul     di
        mov     di, 65521
        div     di              ; DX < 33
        mov     bx, dx
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, bx
%include "common.inc"
        FINISH
        times 100h+4096-($-$$) db $-$$ & 0FFh
