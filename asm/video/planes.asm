; planes.asm: the planar modes (command line 0D, 0E, 0F, 10, 11, 12), drawn through every path of the graphics controller.
;
; Bands from the top: colours by write mode 2; the same by map mask; write mode 3 on a background;
; XOR with the latches; the first band copied by write mode 1; and the positions of colour 12 in it,
; found by read mode 1. Around them a frame by set/reset and bit mask. INT 10h AH=00h; INT 16h
; AH=00h. Assembles with UASM and JWasm.

        include video.inc

BARS    equ     16

        .model  tiny
        .code
        org     100h

start:  take_argument
        mov     mode, al
        mov     ah, 00h
        int     10h
        mov     bx, offset last_lines
        mov     al, mode
        sub     al, 0Dh
        shl     al, 1
        xor     ah, ah
        add     bx, ax
        mov     ax, [bx]
        mov     last_line, ax
        push    ds
        mov     ax, 40h
        mov     ds, ax
        mov     ax, ds:[4Ah]            ; columns are bytes
        pop     ds
        mov     bytes, ax
        mov     cl, 4
        shr     ax, cl
        mov     bar_bytes, ax
        mov     ax, 0A000h
        mov     es, ax
        cld

; Colours by write mode 2.
        set_register GRAPHICS, 5, 2
        mov     ax, 8
        mov     dx, 40
        mov     bx, offset bar_of_colour
        call    draw_bars
        set_register GRAPHICS, 5, 0

; The same by map mask, all bits.
        mov     ax, 48
        mov     dx, 72
        mov     bx, offset bar_of_planes
        call    draw_bars
        set_register SEQUENCER, 2, 0Fh

; Write mode 3: colour 14 through 11011011b rotated right by 3, AND 7Eh, on a background of colour
; 1.
        mov     ax, 80
        mov     dx, 104
        mov     bx, offset bar_of_ground
        call    draw_bars
        set_register GRAPHICS, 0, 14
        set_register GRAPHICS, 3, 3
        set_register GRAPHICS, 8, 7Eh
        set_register GRAPHICS, 5, 3
        mov     ax, 80
        mov     dx, 104
        mov     bx, offset bar_of_masked
        call    draw_bars
        set_register GRAPHICS, 0, 0
        set_register GRAPHICS, 3, 0
        set_register GRAPHICS, 8, 0FFh

; All colours, then XOR with 15 on the left half of each byte.
        set_register GRAPHICS, 5, 2
        mov     ax, 112
        mov     dx, 136
        mov     bx, offset bar_of_colour
        call    draw_bars
        set_register GRAPHICS, 3, 18h
        set_register GRAPHICS, 8, 0F0h
        mov     ax, 112
        mov     dx, 136
        mov     bx, offset bar_of_white
        call    draw_bars
        set_register GRAPHICS, 3, 0
        set_register GRAPHICS, 8, 0FFh

; The first band copied through the latches.
        set_register GRAPHICS, 5, 1
        mov     ax, 8
        mul     bytes
        mov     si, ax
        mov     ax, 144
        mul     bytes
        mov     di, ax
        mov     ax, 32
        mul     bytes
        mov     cx, ax
        push    ds
        push    es
        pop     ds
        rep     movsb
        pop     ds
        set_register GRAPHICS, 5, 0

; The positions of colour 12, by read mode 1: a byte for eight pixels.
        set_register GRAPHICS, 2, 12
        set_register GRAPHICS, 7, 0Fh
        set_register GRAPHICS, 5, 8
        mov     ax, 150
        mul     bytes
        mov     si, ax
        mov     ax, 184
        mul     bytes
        mov     di, ax
        mov     cx, bytes
mark:   mov     al, es:[si]
        inc     si
        stosb
        loop    mark
        set_register GRAPHICS, 5, 0

; The frame: set/reset for whole bytes, bit mask and latches for the pixels at the sides.
        set_register GRAPHICS, 0, 0Fh
        set_register GRAPHICS, 1, 0Fh
        xor     di, di
        mov     cx, bytes
        rep     stosb
        mov     ax, last_line
        mul     bytes
        mov     di, ax
        mov     cx, bytes
        rep     stosb
        xor     di, di
        mov     cx, last_line
side:   push    cx
        set_register GRAPHICS, 8, 80h
        mov     al, es:[di]
        mov     es:[di], al
        add     di, bytes
        set_register GRAPHICS, 8, 01h
        mov     al, es:[di - 1]
        mov     es:[di - 1], al
        pop     cx
        loop    side
        set_register GRAPHICS, 1, 0
        set_register GRAPHICS, 8, 0FFh
        finish

; Calls BX for each of the sixteen bars of the lines AX to DX - 1: AL is the bar's number, CX bytes
; from ES:DI. Changes AX, CX, DX, DI.
draw_bars proc
        mov     line, ax
        mov     end_line, dx
bar_line:
        mov     ax, line
        mul     bytes
        mov     di, ax
        xor     ax, ax
next_bar:
        push    ax
        mov     cx, bar_bytes
        call    bx
        pop     ax
        inc     ax
        cmp     ax, BARS
        jb      next_bar
        inc     line
        mov     ax, line
        cmp     ax, end_line
        jb      bar_line
        ret
draw_bars endp

bar_of_colour:
        mov     ah, es:[di]             ; loads the latches for functions that need them
        stosb
        loop    bar_of_colour
        ret

bar_of_planes:
        mov     ah, al
        put_register SEQUENCER, 2
        mov     al, 0FFh
        rep     stosb
        ret

bar_of_ground:
        set_register SEQUENCER, 2, 1
        mov     al, 0FFh
        rep     stosb
        set_register SEQUENCER, 2, 0Fh
        ret

bar_of_masked:
        mov     ah, es:[di]
        mov     al, 11011011b
        stosb
        loop    bar_of_masked
        ret

bar_of_white:
        mov     ah, es:[di]
        mov     al, 0Fh
        stosb
        loop    bar_of_white
        ret

        define_hex_digit

last_lines dw   199, 199, 349, 349, 479, 479
mode    db      ?
bytes   dw      ?
bar_bytes dw    ?
last_line dw    ?
line    dw      ?
end_line dw     ?

        end     start
