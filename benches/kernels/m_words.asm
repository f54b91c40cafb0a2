; (m) words of a text counted by LODSB and a jump for each class, copied in capitals by STOSB, and lengths printed by DIV: N times
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 400
%endif
        cld
        mov     di, text        ; 16 KiB of letters, blanks and digits
        mov     cx, 16384
        mov     ax, 1
f:      mov     dx, 31821
        mul     dx
        add     ax, 13849
        push    ax
        and     ah, 1Fh
        mov     al, ah
        add     al, 'a'
        cmp     al, 'z'
        jbe     k
        mov     al, ' '
k:      stosb
        pop     ax
        loop    f
        mov     bp, N
        xor     bx, bx
o:      mov     si, text
        mov     di, copy
        mov     cx, 16384
        xor     dx, dx          ; inside a word
c:      lodsb
        cmp     al, ' '
        je      blank
        cmp     al, 'a'
        jb      put
        cmp     al, 'z'
        ja      put
        and     al, 0DFh
        or      dx, dx
        jnz     put
        inc     dx
        inc     bx
        jmp     put
blank:  xor     dx, dx
put:    stosb
        loop    c
        push    bx
        mov     ax, bx          ; digits of the count so far
        mov     si, 10
d:      xor     dx, dx
        div     si
        add     di, dx
        or      ax, ax
        jnz     d
        pop     bx
        dec     bp
        jnz     o
        mov     ax, bx
%include "common.inc"
        FINISH
        align 64
text:
copy    equ text+16384
