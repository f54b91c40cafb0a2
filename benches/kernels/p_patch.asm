; (p) N x 10,000 turns of a loop that exchanges INC DX and DEC DX in itself and writes a routine that it calls
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 50
%endif
        mov     bp, N
        xor     dx, dx
        xor     bx, bx
o:      mov     cx, 10000
l:      xor     byte [p], 8
        mov     di, routine
        mov     al, 0B8h        ; mov ax, cx's value
        stosb
        mov     ax, cx
        stosw
        mov     ax, 0C301h      ; add bx, ax; ret
        stosw
        mov     al, 0C3h
        stosb
        jmp     short p         ; flush prefetch
p:      inc     dx
        call    routine
        add     bx, dx
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, bx
%include "common.inc"
        FINISH
routine times 8 nop
