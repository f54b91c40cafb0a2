; split.asm: mode 0Dh on lines twice as wide as the screen: start address, pixel panning, and a split.
;
; Colour stripes above begin 13 pixels from the start of the memory; from scan line 280 the screen
; shows the memory from its start. Command line 00: the lower part moves with the panning, 01: it
; does not. INT 10h AH=00h; INT 16h AH=00h. Assembles with UASM and JWasm.

        include video.inc

BYTES   equ     80                      ; a line of the memory
TOP     equ     4000h                   ; start of the upper part
SPLIT   equ     279

        .model  tiny
        .code
        org     100h

start:  take_argument
        mov     choice, al
        mov     ax, 000Dh
        int     10h
        set_register CRTC, 13h, BYTES / 2
        mov     ax, 0A000h
        mov     es, ax
        cld
        set_register GRAPHICS, 5, 2
; Above: stripes of five bytes in all colours, shifted by one colour every 16 lines.
        mov     di, TOP
        xor     dx, dx                  ; the line
upper_line:
        xor     bx, bx                  ; the stripe
stripe: mov     ax, dx
        mov     cl, 4
        shr     ax, cl
        add     ax, bx
        and     al, 0Fh
        mov     cx, 5
        rep     stosb
        inc     bx
        cmp     bx, 16
        jb      stripe
        inc     dx
        cmp     dx, 140
        jb      upper_line
; Below: a ramp of single pixels on blue.
        xor     di, di
        mov     al, 1
        mov     cx, BYTES * 60
        rep     stosb
        mov     bl, 80h
        xor     di, di
        mov     cx, 60
ramp:   push    cx
        push    di
        mov     ah, bl
        put_register GRAPHICS, 8
        mov     cx, 40
dots:   mov     al, es:[di]
        mov     al, 0Fh
        stosb
        loop    dots
        pop     di
        add     di, BYTES
        ror     bl, 1
        pop     cx
        loop    ramp
        set_register GRAPHICS, 8, 0FFh
        set_register GRAPHICS, 5, 0
; One byte and five pixels to the right.
        set_register CRTC, 0Ch, TOP / 256
        set_register CRTC, 0Dh, TOP mod 256 + 1
        set_attribute 13h, 5
; The split: ten bits in three registers.
        set_register CRTC, 18h, SPLIT and 255
        mov     dx, CRTC
        mov     al, 07h
        out     dx, al
        inc     dx
        in      al, dx
        or      al, SPLIT shr 4 and 10h
        out     dx, al
        dec     dx
        mov     al, 09h
        out     dx, al
        inc     dx
        in      al, dx
        and     al, not 40h
        out     dx, al
        cmp     choice, 0
        je      shown
        set_attribute 10h, 21h
shown:  finish

        define_hex_digit

choice  db      ?

        end     start
