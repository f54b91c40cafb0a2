; (z) N runs of an interpreter of byte codes: 20,000 turns of a loop of nine
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 10
%endif
        mov     bp, N
o:      mov     si, program
        mov     cx, 20000
        xor     dx, dx
fetch:  lodsb
        xor     ah, ah
        mov     bx, ax
        add     bx, bx
        jmp     [codes+bx]
plus1:  inc     dx
        jmp     fetch
plus:   add     dx, cx
        jmp     fetch
xorw:   lodsw
        xor     dx, ax
        jmp     fetch
count:  dec     cx
        jz      done
        jmp     fetch
go:     lodsb
        cbw
        add     si, ax
        jmp     fetch
ifodd:  test    dl, 1
        jz      go
        inc     si
        jmp     fetch
rotate: rol     dx, 1
        jmp     fetch
minus:  push    dx
        pop     ax
        neg     ax
        mov     dx, ax
        jmp     fetch
done:   dec     bp
        jnz     o
        mov     ax, dx
%include "common.inc"
        FINISH
codes   dw      plus1, plus, xorw, count, go, ifodd, rotate, minus
program db      0, 1, 2, 34h, 12h, 5, 2, 0, 6, 7, 3, 4
        db      program - $ - 1
