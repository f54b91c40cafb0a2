; screen.asm: the pictures of the EECS-2100 game: title, board, pieces, messages.
;
; Each picture begins by clearing the screen and takes as many instructions as the original's, so at
; the same speed each is visible for the same time. Idle loops spend the instructions that drawing
; does not need.

        include eecs2100.inc

        .data

title_top    db 'In an Unrelenting Hellfire:', 0
title_name   db 'Tic-Tac-Toe', 0
title_bottom db 'Be Afraid, Be Very Afraid...', 0
course       db 'EECS 2100: Comp. Org. and Assembly', 0
player_1     db 'Turn:  Player 1', 0
player_2     db 'Turn:  Player 2', 0

turn_flag    db 0
background   db BLACK                   ; the colour to which the next board is cleared
first_title  db 1

first_pixel  shape <0, 0, 0, 0, RED>    ; the visible part of a background that was meant to be red

furniture shape <88, 48, 230, 190, LIGHT_BLUE>
        shape   <91, 51, 227, 187, BLUE>
        shape   <228, 50, 228, 188, WHITE>
        shape   <90, 188, 227, 188, WHITE>
        shape   <90, 50, 90, 187, GREY>
        shape   <90, 50, 227, 50, GREY>
        shape   <134, 52, 137, 186, YELLOW>
        shape   <177, 52, 180, 186, YELLOW>
        shape   <92, 94, 226, 97, YELLOW>
        shape   <92, 140, 226, 143, YELLOW>
FURNITURE_SHAPES equ 10

; The centres of the cells.
centre_x dw     114, 157, 200, 200, 200, 157, 114, 114, 157
centre_y dw     74, 74, 74, 117, 163, 163, 163, 117, 117

; Half the width of a disc, line by line from its centre line.
outer   db      17, 17, 17, 17, 16, 16, 16, 15, 15, 14, 13, 12, 11, 10, 8, 6, 2
OUTER_LINES equ 17
inner   db      15, 15, 15, 15, 14, 14, 13, 13, 12, 11, 10, 9, 8, 6, 2
INNER_LINES equ 15

; The arms of a cross.
ARM     equ     15

; Iterations of idle loops for the time that the original takes longer. Instructions with the
; drawing: a white screen 269393, its lines and boxes 227275, a cross 5030, a ring 27260, a title
; except the first 1231370.
WHITE_IDLE equ  129800
FURNITURE_IDLE equ 56686
CROSS_IDLE equ  510
RING_IDLE equ   7999
LATER_TITLE_IDLE equ 36075

        .code

; The title. The red pixel is visible only on the first one of a run. Changes all registers.
show_title proc
        mov     colour, BLACK
        call    clear_screen
        cmp     first_title, 0
        je      later_title
        mov     first_title, 0
        mov     si, offset first_pixel
        call    draw_shape
        jmp     title_text
later_title:                            ; the original's box is off the screen here, and takes its time
        idle    LATER_TITLE_IDLE
title_text:
        mov     colour, RED
        mov     paper, 0FFh
        mov     si, offset title_top
        mov     bx, 33
        mov     dx, 2
        call    draw_text
        mov     si, offset title_name
        mov     bx, 116
        mov     dx, 18
        call    draw_text
        mov     si, offset title_bottom
        mov     bx, 4
        mov     dx, 223
        call    draw_text
        mov     paper, 0
        mov     background, RED
        ret
show_title endp

; The board with its pieces and the player to move. Changes all registers.
show_board proc
        mov     al, background
        mov     colour, al
        call    clear_screen
        mov     background, BLACK

        call    fill_white
        mov     si, offset furniture
        mov     cx, FURNITURE_SHAPES
next_shape:
        push    cx
        call    draw_shape
        add     si, size shape
        pop     cx
        loop    next_shape
        idle    FURNITURE_IDLE

        mov     colour, LIGHT_BLUE
        mov     si, offset course
        mov     bx, 33
        mov     dx, 2
        call    draw_text
        mov     si, offset title_name
        mov     bx, 116
        mov     dx, 18
        call    draw_text

        xor     si, si
next_cell:
        push    si
        cmp     cells[si], CROSS
        jne     not_cross
        call    draw_cross
        jmp     cell_drawn
not_cross:
        cmp     cells[si], RING
        jne     cell_drawn
        call    draw_ring
cell_drawn:
        pop     si
        inc     si
        cmp     si, 9
        jb      next_cell

        ; In the last colour used, that of the last piece, as in the original.
        mov     si, offset player_1
        cmp     turn_flag, 0
        je      say_turn
        mov     si, offset player_2
say_turn:
        mov     bx, 4
        mov     dx, 223
        call    draw_text
        ret
show_board endp

; The whole screen in white. Changes all registers.
fill_white proc
        mov     colour, WHITE
        call    fill_screen
        idle    WHITE_IDLE
        ret
fill_white endp

; Three falling lines side by side, then three rising ones, in cell SI. Changes all registers.
draw_cross proc
        mov     colour, BLACK
        shl     si, 1
        mov     bx, centre_x[si]
        mov     ax, centre_y[si]
        sub     bx, ARM
        sub     ax, ARM
        mov     si, LINE
        call    three_lines
        add     ax, 2 * ARM
        mov     si, -LINE
        call    three_lines
        idle    CROSS_IDLE
        ret
draw_cross endp

; Three diagonals, from column BX, BX-1 and BX-2 of line AX, SI bytes per step. Keeps AX, BX.
three_lines proc
        mov     cx, 3
next_line:
        push    ax
        push    bx
        push    cx
        mov     dx, LINE
        mul     dx
        mov     bp, ax
        mov     cx, 2 * ARM + 1
        call    draw_diagonal
        pop     cx
        pop     bx
        pop     ax
        dec     bx
        loop    next_line
        add     bx, 3
        ret
three_lines endp

; A black disc, and a blue one over it, in cell SI. Changes all registers.
draw_ring proc
        shl     si, 1
        mov     colour, BLACK
        mov     di, offset outer
        mov     cx, OUTER_LINES
        call    draw_disc
        mov     colour, BLUE
        mov     di, offset inner
        mov     cx, INNER_LINES
        call    draw_disc
        idle    RING_IDLE
        ret
draw_ring endp

; A disc of CX lines up and down from the centre SI; the table at DI has half its width per line.
; Keeps SI.
draw_disc proc
        mov     ax, LINE
        mul     centre_y[si]
        mov     bp, ax                  ; the line below the centre, downwards
        mov     dx, ax                  ; the line above the centre, upwards
next_width:
        push    cx
        push    dx
        push    di
        mov     al, [di]
        cbw
        mov     bx, centre_x[si]
        sub     bx, ax
        mov     cx, ax
        shl     cx, 1
        inc     cx
        push    cx
        push    dx
        call    draw_run
        pop     dx
        pop     cx
        push    bp
        mov     bp, dx
        call    draw_run
        pop     bp
        pop     di
        pop     dx
        pop     cx
        inc     di
        add     bp, LINE
        sub     dx, LINE
        loop    next_width
        ret
draw_disc endp

; The text at BX alone, black on white, centred on the screen. Changes all registers.
show_message proc
        push    bx
        mov     colour, BLACK
        call    clear_screen
        mov     background, BLACK
        call    fill_white
        mov     colour, BLACK
        pop     si
        mov     di, si                  ; half the text's width to the left of the centre
        mov     bx, 159
measure:
        cmp     byte ptr [di], 0
        je      measured
        inc     di
        sub     bx, 4
        jmp     measure
measured:
        mov     dx, 112
        call    draw_text
        ret
show_message endp

        end
