; unchain.asm: 256 colours in four planes, in a resolution programmed in the CRTC: the number on the
; command line.
;
; 00: 320x240, 01: 320x400, 02: 320x480, 03: 360x480, 04: 256x256, 05: 400x300. Pixels are x XOR y, with a frame of colour 15.
; INT 10h AH=00h; INT 16h AH=00h. Assembles with UASM and JWasm.

        include video.inc

        .model  tiny
        .code
        org     100h

size_of struct
clock   db      ?                       ; miscellaneous output
width_  dw      ?
height  dw      ?
list    dw      ?                       ; CRTC words, index in the low byte; 0FFFFh ends them
size_of ends

start:  take_argument
        xor     ah, ah
        mov     bl, size size_of
        mul     bl
        mov     bx, ax
        add     bx, offset sizes

        mov     ax, 0012h               ; clears all planes
        int     10h
        mov     ax, 0013h
        int     10h
        set_register SEQUENCER, 4, 06h
        set_register SEQUENCER, 0, 01h
        mov     dx, MISCELLANEOUS
        mov     al, [bx].size_of.clock
        out     dx, al
        set_register SEQUENCER, 0, 03h
        mov     dx, CRTC
        mov     al, 11h                 ; registers 0 to 7 become writable
        out     dx, al
        inc     dx
        in      al, dx
        and     al, 7Fh
        out     dx, al
        dec     dx
        mov     ax, 0014h               ; byte by byte
        out     dx, ax
        mov     ax, 0E317h
        out     dx, ax
        mov     si, [bx].size_of.list
        cld
next_register:
        lodsw
        cmp     ax, 0FFFFh
        je      programmed
        out     dx, ax
        jmp     next_register
programmed:
        mov     ax, 0A000h
        mov     es, ax
        xor     cx, cx                  ; the plane
next_plane:
        mov     ah, 1
        shl     ah, cl
        put_register SEQUENCER, 2
        xor     di, di
        xor     dx, dx                  ; y
next_line:
        mov     si, cx                  ; x
next_pixel:
        mov     ax, si
        xor     al, dl
        or      si, si
        jz      edge
        or      dx, dx
        jz      edge
        inc     si
        cmp     si, [bx].size_of.width_
        pushf
        dec     si
        popf
        je      edge
        inc     dx
        cmp     dx, [bx].size_of.height
        pushf
        dec     dx
        popf
        jne     store
edge:   mov     al, 15
store:  stosb
        add     si, 4
        cmp     si, [bx].size_of.width_
        jb      next_pixel
        inc     dx
        cmp     dx, [bx].size_of.height
        jb      next_line
        inc     cx
        cmp     cx, 4
        jb      next_plane
        finish

        define_hex_digit

sizes   size_of <0E3h, 320, 240, lines_240>
        size_of <063h, 320, 400, lines_400>
        size_of <0E3h, 320, 480, lines_480>
        size_of <0E7h, 360, 480, wide_480>
        size_of <0E3h, 256, 256, square>
        size_of <0E7h, 400, 300, large>

lines_240 dw    0D06h, 3E07h, 4109h, 0EA10h, 0AC11h, 0DF12h, 0E715h, 0616h, 0FFFFh
lines_400 dw    4009h, 0FFFFh
lines_480 dw    0D06h, 3E07h, 4009h, 0EA10h, 0AC11h, 0DF12h, 0E715h, 0616h, 0FFFFh
wide_480 dw     6B00h, 5901h, 5A02h, 8E03h, 5E04h, 8A05h
        dw      0D06h, 3E07h, 4009h, 0EA10h, 0AC11h, 0DF12h, 2D13h, 0E715h, 0616h, 0FFFFh
square  dw      5F00h, 3F01h, 4002h, 8203h, 4A04h, 9A05h
        dw      2306h, 0B207h, 6109h, 0A10h, 0AC11h, 0FF12h, 2013h, 0715h, 1A16h, 0FFFFh
large   dw      7100h, 6301h, 6402h, 9203h, 6504h, 8205h
        dw      4606h, 1F07h, 4009h, 3110h, 8011h, 2B12h, 3213h, 2F15h, 4416h, 0FFFFh

        end     start
