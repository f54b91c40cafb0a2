; fonts.asm: 50 rows (command line 00) or 28 rows (01), user-defined characters, bright backgrounds
; instead of blinking.
;
; Code 01h becomes a box, 02h a chequered box; the other rows show the ROM's glyphs. INT 10h
; AX=1111h, 1112h, 1100h, 1003h; INT 16h AH=00h. Assembles with UASM and JWasm.

        include video.inc

        .model  tiny
        .code
        org     100h

start:  take_argument
        mov     bl, al
        mov     ax, 0003h
        int     10h
        mov     ax, 1112h
        mov     height, 8
        or      bl, bl
        jz      chosen
        mov     ax, 1111h
        mov     height, 14
chosen: mov     bl, 0
        int     10h
        mov     ax, 1100h
        mov     bh, height
        mov     bl, 0
        mov     cx, 2
        mov     dx, 1
        push    ds
        pop     es
        mov     bp, offset small_glyphs
        cmp     height, 8
        je      load
        mov     bp, offset tall_glyphs
load:   int     10h
        mov     ax, 1003h
        mov     bl, 0
        int     10h

        mov     ax, 0B800h
        mov     es, ax
        cld
        xor     di, di
        xor     ax, ax
        mov     dx, 14
next_row:
        mov     cx, 80
next_cell:
        mov     bl, al
        mov     bh, ah
        stosw
        mov     al, bl
        mov     ah, bh
        inc     al
        loop    next_cell
        add     ah, 1Fh                 ; the next attribute, also blinking ones
        dec     dx
        jnz     next_row
        mov     ax, 1F01h               ; user-defined ones, alternating
        mov     cx, 80
own:    stosw
        xor     al, 3
        loop    own
        finish

        define_hex_digit

height  db      ?
small_glyphs db 0FFh, 81h, 0BDh, 0A5h, 0A5h, 0BDh, 81h, 0FFh
        db      0AAh, 55h, 0AAh, 55h, 0AAh, 55h, 0AAh, 55h
tall_glyphs db  0FFh, 81h, 0BDh, 10 dup (0A5h), 0FFh
        db      7 dup (0AAh, 55h)

        end     start
