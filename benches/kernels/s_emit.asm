; (s) N x 1,000 times writes a routine of 40 instructions and calls it twice, as a compiler at run time does
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 30
%endif
        mov     bp, N
        xor     dx, dx
        xor     bx, bx
o:      mov     cx, 1000
l:      push    cx
        mov     di, routine
        mov     si, 20
w:      mov     al, 81h         ; add dx, a number
        stosb
        mov     al, 0C2h
        stosb
        mov     ax, cx
        add     ax, si
        stosw
        mov     ax, 0D331h      ; xor bx, dx
        stosw
        dec     si
        jnz     w
        mov     al, 0C3h        ; ret
        stosb
        jmp     short c         ; flush prefetch
c:      call    routine
        call    routine
        pop     cx
        dec     cx
        jnz     l
        dec     bp
        jnz     o
        mov     ax, bx
%include "common.inc"
        FINISH
routine times 130 nop
