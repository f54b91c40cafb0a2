; (e) CRC-32, bit by bit, over 4096 bytes, N times: 32-bit shifts, a branch that is hard to guess, LODSB
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 200
%endif
        cld
        mov     di, buffer      ; a pattern
        mov     cx, 4096
        mov     al, 1
f:      stosb
        add     al, 7
        loop    f
        mov     bp, N
        or      eax, -1
o:      mov     si, buffer
        mov     cx, 4096
b:      movzx   ebx, byte [si]
        inc     si
        xor     eax, ebx
        mov     dl, 8
i:      shr     eax, 1
        jnc     n
        xor     eax, 0EDB88320h
n:      dec     dl
        jnz     i
        dec     cx
        jnz     b
        dec     bp
        jnz     o
%include "common.inc"
        FINISH
buffer:
