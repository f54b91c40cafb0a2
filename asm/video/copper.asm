; copper.asm: writes registers while the picture is drawn, line by line by polling input status 1,
; until a key is pressed.
;
; Command line 00: copper bars, colour 0 of mode 13h set on every scan line. 01: one palette for the
; upper half and one for the lower. 02: pixel panning of mode 0Dh per line. All of them show stripes
; of colours 0 to 15, eight pixels wide. INT 10h AH=00h; INT 16h AH=00h, 01h. Assembles with UASM
; and JWasm.

        include video.inc

LINES   equ     400
HALF    equ     LINES / 2

; Waits until the beam leaves the picture (a line's end), or enters it. Changes AL; DX is STATUS
; afterwards.
wait_for_blank macro
        local   again
        mov     dx, STATUS
again:  in      al, dx
        test    al, 1
        jz      again
endm

wait_for_picture macro
        local   again
        mov     dx, STATUS
again:  in      al, dx
        test    al, 1
        jnz     again
endm

        .model  tiny
        .code
        org     100h

start:  take_argument
        mov     choice, al
        mov     ax, 0013h
        cmp     choice, 2
        jne     chosen
        mov     al, 0Dh
chosen: int     10h
        mov     ax, 0A000h
        mov     es, ax
        cld
        call    draw_stripes
        xor     bh, bh
        mov     bl, choice
        shl     bx, 1
        mov     bx, effects[bx]

next_frame:
        mov     ah, 01h
        int     16h
        jnz     struck
        mov     dx, STATUS
not_yet:
        in      al, dx
        test    al, 8                   ; the vertical retrace: the picture is over
        jz      not_yet
        xor     si, si                  ; the next line
        call    bx
        wait_for_picture
next_line:
        wait_for_blank
        inc     si
        cmp     si, LINES
        jae     next_frame
        call    bx
        mov     dx, STATUS
its_turn:                               ; an effect may have taken several lines
        in      al, dx
        test    al, 8
        jnz     next_frame
        test    al, 1
        jnz     its_turn
        jmp     next_line

struck: finish

; Sets colour 0 for line SI: bars of 64 lines, brightest in the middle; the bits of the bar's number
; are its colours.
copper_bar proc
        mov     ax, si
        mov     cl, 6
        shr     ax, cl
        inc     ax
        mov     ah, al                  ; red 1, green 2, blue 4
        mov     cx, si
        and     cl, 3Fh
        cmp     cl, 32
        jb      rising
        xor     cl, 3Fh
rising: shl     cl, 1
        mov     dx, DAC_WRITE
        mov     al, 0
        out     dx, al
        inc     dx
        mov     ch, 3
component:
        mov     al, 0
        shr     ah, 1
        jnc     dark
        mov     al, cl
dark:   out     dx, al
        dec     ch
        jnz     component
        ret
copper_bar endp

; Four colours at line 0 and at the middle: blues above, reds below. A line has no time for more.
palette_half proc
        or      si, si
        jz      upper
        cmp     si, HALF
        je      lower
        ret
upper:  mov     cx, 0FF00h              ; red and green are off
        jmp     both
lower:  mov     cx, 00FFh               ; blue is off
both:   mov     dx, DAC_WRITE
        mov     al, 0
        out     dx, al
        inc     dx
        xor     ah, ah
colour: mov     al, ah
        shl     al, 1
        shl     al, 1
        or      al, 20h
        and     al, cl
        out     dx, al
        mov     al, ah
        shl     al, 1
        and     al, cl
        out     dx, al
        mov     al, ah
        shl     al, 1
        shl     al, 1
        or      al, 20h
        and     al, ch
        out     dx, al
        inc     ah
        cmp     ah, 4
        jb      colour
        ret
palette_half endp

; A zigzag: 0 to 7 pixels and back in 32 lines. It is written during a line, so it takes effect at
; the next.
panning proc
        mov     al, 4
not_at_edge:
        dec     al
        jnz     not_at_edge
        mov     cx, si
        shr     cl, 1
        test    cl, 8
        jz      forth
        not     cl
forth:  and     cl, 7
        mov     dx, STATUS
        in      al, dx
        mov     dx, ATTRIBUTE
        mov     al, 33h
        out     dx, al
        mov     al, cl
        out     dx, al
        ret
panning endp

; Stripes of eight pixels in the colours 0 to 15: bytes in mode 13h, planes in mode 0Dh.
draw_stripes proc
        xor     di, di
        cmp     choice, 2
        je      by_planes
        mov     dx, 200
byte_line:
        xor     bx, bx
byte_stripe:
        mov     al, bl
        and     al, 0Fh
        mov     cx, 8
        rep     stosb
        inc     bx
        cmp     bx, 40
        jb      byte_stripe
        dec     dx
        jnz     byte_line
        ret
by_planes:
        xor     bx, bx
        set_register GRAPHICS, 5, 2
        mov     cx, 8000
plane_stripe:
        mov     al, bl
        and     al, 0Fh
        stosb
        inc     bx
        cmp     bx, 40
        jb      same_line
        xor     bx, bx
same_line:
        loop    plane_stripe
        set_register GRAPHICS, 5, 0
        ret
draw_stripes endp

        define_hex_digit

effects dw      copper_bar, palette_half, panning
choice  db      ?

        end     start
