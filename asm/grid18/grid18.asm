; GRID18: tic-tac-toe for two at one keyboard, on a grid of eighteen bits.
;
; After Patrick Pedersen's game for x86-64 (2018); the text is our own. X begins. The program asks
; for the line (Y) and the column (X) of a field, each 1 to 3; the upper left is 1 1. q or Esc
; leaves. A full board without a winner is a draw.
;
; Screen: on the left the board. On the right the player to move, the two prompts, and why an input
; is refused. Below them the eighteen bits, with those of the selected line on blue, and the fields
; of each player. The program stores only its bits, so the screen shows no more than they do, such
; as the order of the moves. Calls: INT 10h AH=00h, 02h (mode, cursor), INT 21h AH=08h, 4Ch. Video
; memory of mode 3. Ports 42h, 43h, 61h (a note for each move, a tune at the end). Needs a 386.
; Modules: grid (first: it begins with a directory of its procedures), grid18. Assembles with UASM
; and JWasm.

        .model  small
        .386
        .stack  256

        include dos.inc
        include screen.inc
        include tune.inc

externdef init_grid:near
externdef set_field:near
externdef get_field:near
externdef eval_grid:near
externdef grid:dword

CIRCLE_PLAYER equ 0
CROSS_PLAYER equ 1

EMPTY   equ     2                       ; the result of get_field for a free field

TITLES  equ     16 * CYAN + BLACK
RULES   equ     CYAN
CROSSES equ     RED + BRIGHT
CIRCLES equ     GREEN + BRIGHT
ASKED   equ     16 * BLUE               ; the background of the selected line

; Screen positions: lines and columns from 0.
BOARD_LINE equ  4
BOARD_COLUMN equ 6
CELL_WIDE equ   11                      ; and one column or line between
CELL_TALL equ   5
SIDE    equ     46                      ; the column of the text beside the board
TURN_LINE equ   3
Y_LINE  equ     5
Y_END   equ     SIDE + 15
X_LINE  equ     6
X_END   equ     SIDE + 17
MESSAGE_LINE equ 8
WIDEST  equ     20                      ; of the prompts and messages
BITS_LINE equ   12
BITS    equ     SIDE + 6
HEX_LINE equ    13
HEX_DIGITS equ  5
CROSSES_LINE equ 16
CIRCLES_LINE equ 17
NOTE_LINE equ   23

        .data

heading db      ' GRID18', RUN, 20, ' ', 'two players, one keyboard, eighteen bits', RUN, 13, ' ', 0
columns_ db     RUN, 11, ' ', '1', RUN, 11, ' ', '2', RUN, 11, ' ', '3', 0
the_bits db     ' the grid ', 0
fields  db      'field 33 32 31 23 22 21 13 12 11', DOWN, 'bits', DOWN, 'hex', DOWN, '01 is a circle, 11 a cross', 0
has     db      'X has', DOWN, 'O has', 0
legend  db      'Keys     1-3 line, 1-3 column', DOWN, '         q leaves', 0
by_speaker db   'Speaker', 0

to_move db      ' to move ', 0
ask_y   db      'Y, line (1-3):  ', 0
ask_x   db      'X, column (1-3):  ', 0
nothing db      RUN, WIDEST, ' ', 0
bad_number db   'Only 1, 2 or 3.     ', 0
taken   db      'That field is taken.', 0
has_won db      ' has won!', 0
a_draw  db      'A draw.   ', 0
another db      'Another game? (y/n) ', 0
ANOTHER_END equ SIDE + 20

move_note db    NOTE, ' 587 Hz', 0
win_note db     NOTE, ' 523, 659, 784 Hz', 0
draw_note db    NOTE, ' 392 Hz', 0

; The marks, nine columns per line.
a_cross db      RUN, 2, BLOCK, LOWER, '   ', LOWER, RUN, 2, BLOCK, DOWN
        db      ' ', UPPER, RUN, 2, BLOCK, LOWER, RUN, 2, BLOCK, UPPER, ' ', DOWN
        db      '   ', RUN, 3, BLOCK, '   ', DOWN
        db      ' ', LOWER, RUN, 2, BLOCK, UPPER, RUN, 2, BLOCK, LOWER, ' ', DOWN
        db      RUN, 2, BLOCK, UPPER, '   ', UPPER, RUN, 2, BLOCK, 0
a_circle db     ' ', LOWER, RUN, 5, BLOCK, LOWER, ' ', DOWN
        db      RUN, 2, BLOCK, UPPER, '   ', UPPER, RUN, 2, BLOCK, DOWN
        db      RUN, 2, BLOCK, '     ', RUN, 2, BLOCK, DOWN
        db      RUN, 2, BLOCK, LOWER, '   ', LOWER, RUN, 2, BLOCK, DOWN
        db      ' ', UPPER, RUN, 5, BLOCK, UPPER, ' ', 0

move_tune beep  <TIMER_HZ / 587, 4>, <0>
win_tune  beep  <TIMER_HZ / 523, 8>, <TIMER_HZ / 659, 8>, <TIMER_HZ / 784, 16>, <0>
draw_tune beep  <TIMER_HZ / 392, 20>, <0>

; Screen positions of the fields, by number.
field_at macro x, y
        dw      2 * (COLUMNS * (BOARD_LINE + (y) * (CELL_TALL + 1)) + BOARD_COLUMN + (x) * (CELL_WIDE + 1))
endm

place   label   word
        field_at 0, 0
        field_at 1, 0
        field_at 2, 0
        field_at 0, 1
        field_at 1, 1
        field_at 2, 1
        field_at 0, 2
        field_at 1, 2
        field_at 2, 2
; Offset from the beginning of a field to the numbers of its line and column.
NUMBERS equ     2 * (2 * COLUMNS + 4)

; The rows, columns and diagonals, as the bits of their fields; the low bit of each pair is a
; circle's.
rows    dd      3Fh, 0FC0h, 3F000h, 30C3h, 0C30Ch, 30C30h, 30303h, 3330h
ROW_COUNT equ   8
LOW_BITS equ    15555h

pair_colours db DARK, CIRCLES, DARK, CROSSES ; of a pair by its bits
on_line db      ?                       ; the selected line, or NO_LINE
NO_LINE equ     0FFh
moves   db      ?
player  db      ?

        .code

start:  mov     ax, @data
        mov     ds, ax
        colour_screen
        cld

new_game:
        call    init_grid
        mov     moves, 0
        mov     player, CROSS_PLAYER
        call    show_page

ask_field:
        mov     on_line, NO_LINE
        call    show_bits
        show_at Y_LINE, SIDE, PLAIN, ask_y
        show_at X_LINE, SIDE, PLAIN, nothing
        mov     bp, Y_LINE * 256 + Y_END
        call    ask_number
        mov     on_line, al
        show_at MESSAGE_LINE, SIDE, PLAIN, nothing
        call    show_bits
        show_at X_LINE, SIDE, PLAIN, ask_x
        mov     bp, X_LINE * 256 + X_END
        call    ask_number
        mov     bl, al
        mov     bh, 0
        movzx   dx, on_line
        call    get_field
        cmp     al, EMPTY
        je      field_free
        show_at MESSAGE_LINE, SIDE, YELLOW, taken
        jmp     ask_field
field_free:
        push    bx
        push    dx
        show_at MESSAGE_LINE, SIDE, PLAIN, nothing
        pop     dx
        pop     bx
        mov     al, player
        call    set_field
        call    show_mark
        inc     moves
        cmp     moves, 5                ; no player can have three before
        jb      other_player
        mov     al, player
        call    eval_grid
        cmp     al, 1
        je      won
        cmp     moves, 9
        je      draw
other_player:
        xor     player, 1
        call    show_turn
        show_at NOTE_LINE, SIDE + 9, PLAIN, move_note
        mov     si, offset move_tune
        call    play_tune
        jmp     ask_field

won:    call    show_winner
        at_place di, TURN_LINE, SIDE
        call    put_player
        mov     si, offset has_won
        call    show_text
        show_at NOTE_LINE, SIDE + 9, PLAIN, win_note
        mov     si, offset win_tune
        jmp     over
draw:   show_at TURN_LINE, SIDE, WHITE, a_draw
        show_at NOTE_LINE, SIDE + 9, PLAIN, draw_note
        mov     si, offset draw_tune
over:   push    si
        mov     on_line, NO_LINE
        call    show_bits
        show_at Y_LINE, SIDE, PLAIN, another
        show_at X_LINE, SIDE, PLAIN, nothing
        set_cursor Y_LINE, ANOTHER_END
        pop     si
        call    play_tune
        read_key
        leave_on_q leave_game
        cmp     al, 'n'
        je      leave_game
        cmp     al, 'N'
        jne     new_game
leave_game:
        set_cursor SCREEN_LINES - 1, 0
        exit_program 0

; Prompts with the cursor at BP until 1, 2 or 3 is typed, and shows it there. Returns 0 to 2 in AL.
; Changes AH, BX, CX, DX, SI, DI.
ask_number proc
        mov     dx, bp
        mov     bh, 0
        mov     ah, 02h
        int     10h
        read_key
        leave_on_q leave_game
        sub     al, '1'
        cmp     al, 3
        jb      number_read
        show_at MESSAGE_LINE, SIDE, YELLOW, bad_number
        jmp     ask_number
number_read:
        push    ax
        mov     ax, bp
        mov     cl, al
        mov     al, COLUMNS
        mul     ah
        mov     ch, 0
        add     ax, cx
        shl     ax, 1
        mov     di, ax
        pop     ax
        mov     cl, al
        add     cl, '1'
        mov     es:[di], cl
        ret
ask_number endp

; Shows the mark of the player who has moved on field (BX, DX). Changes AX, CX, SI, DI.
show_mark proc
        mov     si, dx
        add     si, dx
        add     si, dx
        add     si, bx
        shl     si, 1
        mov     di, place[si]
        mov     byte ptr es:[di+NUMBERS], ' '
        mov     byte ptr es:[di+NUMBERS+4], ' '
        add     di, 2
        mov     si, offset a_cross
        mov     ah, CROSSES
        cmp     player, CROSS_PLAYER
        je      mark_known
        mov     si, offset a_circle
        mov     ah, CIRCLES
mark_known:
        call    show_text
        ret
show_mark endp

; Shows the player to move. Changes AX, CX, SI, DI.
show_turn proc
        at_place di, TURN_LINE, SIDE
        call    put_player
        mov     si, offset to_move
        call    show_text
        ret
show_turn endp

; Shows the mark of the player to move at DI, in its colour, which stays in AH. Changes AL.
put_player proc
        mov     ax, CROSSES * 256 + 'X'
        cmp     player, CROSS_PLAYER
        je      put_mark
        mov     ax, CIRCLES * 256 + 'O'
put_mark:
        stosw
        ret
put_player endp

; Shows the bits of the grid, as pairs and in hexadecimal, and the fields of each player. Changes
; AX, BX, CX, DX, SI, DI.
show_bits proc
        mov     edx, grid
        mov     bl, 0                   ; the field
        at_place di, BITS_LINE, BITS + 8 * 3
next_pair:
        mov     si, dx
        and     si, 3
        mov     ah, pair_colours[si]
        mov     al, bl
        aam     3                       ; AH: its line, AL: its column
        xchg    ah, al
        cmp     al, on_line
        mov     ah, pair_colours[si]
        jne     pair_coloured
        or      ah, ASKED
pair_coloured:
        mov     al, '0'
        test    dx, 2
        jz      high_shown
        inc     al
high_shown:
        stosw
        mov     al, '0'
        test    dx, 1
        jz      low_shown
        inc     al
low_shown:
        stosw
        sub     di, 2 * 5
        shr     edx, 2
        inc     bl
        cmp     bl, 9
        jb      next_pair

        mov     edx, grid
        shl     edx, 32 - 4 * HEX_DIGITS
        mov     cx, HEX_DIGITS
        at_place di, HEX_LINE, BITS
next_digit:
        rol     edx, 4
        mov     al, dl
        and     al, 0Fh
        cmp     al, 10
        sbb     al, 69h                 ; 0 to 9 and A to F, by the carry and DAS
        das
        mov     ah, PLAIN
        stosw
        loop    next_digit

        at_place di, CROSSES_LINE, BITS
        mov     cx, CROSSES * 256 + 3
        call    list_fields
        at_place di, CIRCLES_LINE, BITS
        mov     cx, CIRCLES * 256 + 1
        call    list_fields
        ret
show_bits endp

; Lists the fields whose pair is CL at DI, in the attribute CH: line and column of each. Changes AX, BX, DX, DI.
list_fields proc
        mov     edx, grid
        mov     bl, 0
next_field:
        mov     al, dl
        and     al, 3
        cmp     al, cl
        jne     not_listed
        mov     al, bl
        aam     3
        mov     bh, al
        mov     al, ah
        mov     ah, ch
        add     al, '1'
        stosw
        mov     al, bh
        add     al, '1'
        stosw
        add     di, 2
not_listed:
        shr     edx, 2
        inc     bl
        cmp     bl, 9
        jb      next_field
        ret
list_fields endp

; Shows the rows of the winner on a background of its colour. Changes AX, BX, CX, DX, SI, DI, BP.
show_winner proc
        mov     si, offset rows
        mov     bp, ROW_COUNT
next_row:
        mov     eax, [si]
        mov     edx, grid
        and     edx, eax
        cmp     player, CROSS_PLAYER
        je      pattern_known
        and     eax, LOW_BITS
pattern_known:
        cmp     edx, eax
        jne     row_seen
        push    si
        mov     eax, [si]
        mov     si, offset place
next_of_row:
        test    al, 3
        jz      of_no_row
        push    eax
        mov     di, [si]
        mov     bx, CELL_WIDE
        mov     dx, CELL_TALL
        mov     al, 16 * RED + WHITE
        cmp     player, CROSS_PLAYER
        je      tint_field
        mov     al, 16 * GREEN + WHITE
tint_field:
        call    tint
        pop     eax
of_no_row:
        add     si, 2
        shr     eax, 2
        jnz     next_of_row
        pop     si
row_seen:
        add     si, 4
        dec     bp
        jnz     next_row
        ret
show_winner endp

; Shows the whole page except the bits. Changes all registers.
show_page proc
        fill_at 0, 0, COLUMNS, SCREEN_LINES, PLAIN, ' '
        show_at 0, 0, TITLES, heading
        show_at BOARD_LINE - 1, 0, WHITE, columns_
        mov     si, offset place
        mov     bl, '1'
next_line:
        mov     cx, 3
        mov     bh, '1'
next_place:
        mov     di, [si]
        add     di, NUMBERS
        mov     ah, DARK
        mov     al, bl
        stosw
        add     di, 2
        mov     al, bh
        stosw
        add     si, 2
        inc     bh
        loop    next_place
        mov     ah, WHITE
        mov     al, bl
        mov     es:[di-2*(3*(CELL_WIDE+1)-2)], ax
        inc     bl
        cmp     bl, '3'
        jbe     next_line

        fill_at BOARD_LINE, BOARD_COLUMN + CELL_WIDE, 1, 3 * CELL_TALL + 2, RULES, UPRIGHT
        fill_at BOARD_LINE, BOARD_COLUMN + 2 * CELL_WIDE + 1, 1, 3 * CELL_TALL + 2, RULES, UPRIGHT
        mov     bp, 2
        at_place di, BOARD_LINE + CELL_TALL, BOARD_COLUMN
next_between:
        push    di
        mov     bx, 3 * CELL_WIDE + 2
        mov     dx, 1
        mov     ax, RULES * 256 + BAR
        call    fill
        pop     di
        mov     al, CROSSING
        mov     es:[di+2*CELL_WIDE], ax
        mov     es:[di+2*(2*CELL_WIDE+1)], ax
        add     di, 2 * COLUMNS * (CELL_TALL + 1)
        dec     bp
        jnz     next_between

        frame_at BITS_LINE - 2, SIDE - 2, 36, 9, RULES
        show_at BITS_LINE - 2, SIDE, PLAIN, the_bits
        show_at BITS_LINE - 1, SIDE, PLAIN, fields
        show_at CROSSES_LINE, SIDE, PLAIN, has
        show_at NOTE_LINE - 3, SIDE, PLAIN, legend
        show_at NOTE_LINE, SIDE, PLAIN, by_speaker
        call    show_turn
        ret
show_page endp

        end     start
