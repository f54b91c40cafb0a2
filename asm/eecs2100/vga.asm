; vga.asm: the unchained 320 by 240 mode with 256 colours, and the shapes of the EECS-2100 game.
;
; Every shape except the whole screen selects a plane, writes the bytes that are its pixels there,
; and continues with the next plane. ES is the video memory after set_graphics. There is no
; clipping: callers only draw on the screen.

        include eecs2100.inc

SEQUENCER equ   3C4h
GRAPHICS equ    3CEh
CRTC    equ     3D4h
MISCELLANEOUS equ 3C2h

VIDEO_MEMORY equ 0A000h

; Iterations of idle loops for the time that the original takes longer: a clear 984995 instructions,
; a character 2436.
CLEAR_IDLE equ  487700
CHARACTER_IDLE equ 78
PIXEL_IDLE equ  6                       ; a pixel that is not written: its plane need not be selected

        .data

colour  db      0
paper   db      0                       ; FFh: text is written on black, 0: only its own pixels
bits    db      ?                       ; the rest of a line of a glyph
spare   dd      CHARACTER_IDLE          ; iterations of the idle loop after this character

; For each plane, the words for the sequencer's map mask and the graphics controller's read map
; select.
map_mask dw     0102h, 0202h, 0402h, 0802h
read_map dw     0004h, 0104h, 0204h, 0304h
ALL_PLANES equ  0F02h

; CRTC registers, the index in the low byte: 480 lines of 240 pixels each, byte by byte in each plane.
timing  dw      0D06h, 3E07h, 4109h, 0EA10h, 0AC11h, 0DF12h, 0014h, 0E715h, 0616h, 0E317h
TIMINGS equ     10

        .code

; Sets the mode, starting from the BIOS's 320 by 200. Changes AX, CX, DX, SI; sets ES.
set_graphics proc
        mov     ax, 0012h               ; clears all four planes
        int     10h
        mov     ax, 0013h
        int     10h
        mov     dx, SEQUENCER
        mov     ax, 0604h               ; chain-4 off
        out     dx, ax
        mov     ax, 0100h               ; reset while the clock is changed
        out     dx, ax
        mov     dx, MISCELLANEOUS
        mov     al, 0E3h                ; 25 MHz, 480 lines
        out     dx, al
        mov     dx, SEQUENCER
        mov     ax, 0300h
        out     dx, ax
        mov     dx, CRTC
        mov     al, 11h
        out     dx, al
        inc     dx
        in      al, dx
        and     al, 7Fh                 ; registers 0 to 7 become writable
        out     dx, al
        dec     dx
        mov     si, offset timing
        mov     cx, TIMINGS
        cld
next_register:
        lodsw
        out     dx, ax
        loop    next_register
        mov     ax, VIDEO_MEMORY
        mov     es, ax
        ret
set_graphics endp

set_text proc
        mov     ax, 0003h
        int     10h
        ret
set_text endp

; Directs writes and reads to the plane of column BX. Changes AX, DX.
select_plane proc
        push    bx
        and     bx, 3
        shl     bx, 1
        mov     ax, map_mask[bx]
        mov     dx, SEQUENCER
        out     dx, ax
        mov     ax, read_map[bx]
        mov     dx, GRAPHICS
        out     dx, ax
        pop     bx
        ret
select_plane endp

; Draws CX pixels to the right of column BX in the line whose first byte is at BP: full groups of
; four column by column, then the rest one by one. Changes AX, CX, DX, DI; keeps BX.
draw_run proc
        push    bx
        push    cx
        shr     cx, 2
        jz      single
        push    si
        mov     si, 4
column: call    select_plane
        mov     di, bx
        shr     di, 2
        add     di, bp
        mov     al, colour
        push    cx
        rep     stosb
        pop     cx
        inc     bx
        dec     si
        jnz     column
        pop     si
        sub     bx, 4
single: shl     cx, 2
        add     bx, cx
        pop     cx
        and     cx, 3
        jz      drawn
pixel:  call    set_pixel
        inc     bx
        loop    pixel
drawn:  pop     bx
        ret
draw_run endp

; Draws the pixel of column BX in the line at BP. Changes AX, DX, DI.
set_pixel proc
        call    select_plane
        mov     di, bx
        shr     di, 2
        mov     al, colour
        mov     es:[bp+di], al
        ret
set_pixel endp

; Draws the shape at SI. Changes AX, BX, CX, DX, DI, BP.
draw_shape proc
        mov     al, [si].shape.tint
        mov     colour, al
        mov     ax, LINE
        mul     [si].shape.top
        mov     bp, ax
        mov     bx, [si].shape.left
        mov     cx, [si].shape.bottom
        sub     cx, [si].shape.top
        inc     cx
        cmp     bx, [si].shape.right
        je      vertical
box_line:
        push    cx
        mov     cx, [si].shape.right
        sub     cx, bx
        inc     cx
        call    draw_run
        pop     cx
        add     bp, LINE
        loop    box_line
        ret
vertical:
        call    select_plane
        mov     di, bx
        shr     di, 2
        mov     al, colour
down:   mov     es:[bp+di], al
        add     bp, LINE
        loop    down
        ret
draw_shape endp

; Fills the screen with `colour`, all planes at once. Changes AX, CX, DX, DI.
fill_screen proc
        mov     dx, SEQUENCER
        mov     ax, ALL_PLANES
        out     dx, ax
        mov     al, colour
        mov     ah, al
        xor     di, di
        mov     cx, LINE * HIGH_ / 2
        rep     stosw
        ret
fill_screen endp

; The same, and then waits for the time that the original spends on 65058 lines below the screen,
; where it draws nothing. Changes AX, ECX, DX, DI.
clear_screen proc
        call    fill_screen
        idle    CLEAR_IDLE
        ret
clear_screen endp

; Draws CX pixels from column BX of the line at BP, each one column further right and SI bytes after
; the one before. Changes AX, BX, CX, DX, DI, BP.
draw_diagonal proc
        call    set_pixel
        inc     bx
        add     bp, si
        loop    draw_diagonal
        ret
draw_diagonal endp

; Draws the zero-terminated text at SI from column BX and line DX. Changes AX, BX, ECX, DX, SI, DI,
; BP.
draw_text proc
        mov     ax, LINE
        mul     dx
        mov     bp, ax
next_character:
        lodsb
        or      al, al
        jz      written
        push    si
        mov     ah, GLYPH_LINES
        mul     ah
        add     ax, offset font - GLYPH_LINES * ' '
        mov     si, ax
        mov     cx, GLYPH_LINES
glyph_line:
        push    cx
        lodsb
        mov     bits, al
        mov     cx, 8
glyph_pixel:
        shl     bits, 1
        jc      ink
        cmp     paper, 0
        je      no_ink
        call    select_plane
        mov     al, BLACK
        jmp     put
no_ink: add     spare, PIXEL_IDLE
        inc     bx
        loop    glyph_pixel
        jmp     line_done
ink:    call    select_plane
        mov     al, colour
put:    mov     di, bx
        shr     di, 2
        mov     es:[bp+di], al
        inc     bx
        loop    glyph_pixel
line_done:
        sub     bx, 8
        add     bp, LINE
        pop     cx
        loop    glyph_line
        sub     bp, LINE * GLYPH_LINES
        add     bx, 8
        pop     si
        cmp     paper, 0
        jne     next_character          ; the title's letters take as long as the original's
        idle    spare
        mov     spare, CHARACTER_IDLE
        jmp     next_character
written:
        ret
draw_text endp

        end
