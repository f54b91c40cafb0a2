; (j) pixel by pixel: N pictures of 320x200 in mode X, each pixel with its plane selected, then N in 16 colours
;     through the bit mask
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 40
%endif
        mov     ax, 0A000h
        mov     es, ax
        mov     ax, 13h
        int     10h
        mov     dx, 3C4h        ; unchained
        mov     ax, 0604h
        out     dx, ax
        mov     bp, N
x:      xor     di, di
        mov     si, 200
xline:  xor     cx, cx
xpixel: mov     dx, 3C4h        ; map mask
        mov     al, 2
        out     dx, al
        inc     dx
        mov     al, 1
        shl     al, cl
        out     dx, al
        mov     dx, 3CEh        ; read map
        mov     al, 4
        mov     ah, cl
        out     dx, ax
        mov     ax, bp
        add     ax, si
        mov     [es:di], al
        inc     cx
        cmp     cx, 4
        jb      xpixel
        xor     cx, cx
        inc     di
        test    di, 3Fh
        jnz     xpixel
        dec     si
        jnz     xline
        dec     bp
        jnz     x
        mov     ax, 0Dh
        int     10h
        mov     dx, 3CEh
        mov     ax, 0F01h       ; set/reset in all planes
        out     dx, ax
        mov     bp, N
e:      xor     di, di
        mov     ax, bp          ; the colour
        mov     ah, al
        xor     al, al
        out     dx, ax
epixel: mov     bx, 8008h
eline:  mov     ax, bx
        out     dx, ax
        mov     al, [es:di]
        mov     [es:di], al
        shr     bh, 1
        jnz     eline
        inc     di
        cmp     di, 8000
        jb      epixel
        dec     bp
        jnz     e
        mov     ax, [es:3998]
        push    ax
        mov     ax, 3
        int     10h
        pop     ax
%include "common.inc"
        FINISH
