; CHIP: the search of a tic-tac-toe chip of 1990, state by state.
;
; After the chip of P. M. Geiser and A. Marzetta (semester project, winter 1989/90), which plays by
; minimax with alpha-beta pruning. Each state of the chip is a label here and counts as one clock,
; so the program can show how long the chip would have taken. Keys 0 to 8 are the squares row by
; row; q or Esc leaves.
;
; Screen: on the left the package with two lamps per square, the chip's red and the user's green,
; and the keys of free squares. On the right the clocks of the last search on five seven-segment
; digits, the moves and the keys. Below, a line about the search, and the prompt or the result.
; Calls: INT 10h AH=00h, 02h (mode, cursor), INT 1Ah AH=00h (the tick count; its low three bits
; select the chip's first square), INT 21h AH=08h, 4Ch. Video memory of mode 3. Ports 42h, 43h, 61h
; (a note for each move of the chip, a tune at the end). Any 8086. Assembles with UASM and JWasm.

        .model  small
        .stack  256

        include dos.inc
        include screen.inc
        include tune.inc

PLACES  equ     9
FULL    equ     1FFh

; Sides, as indices into `stones`.
CHIP_SIDE equ   0
USER_SIDE equ   2

; State of a search level, saved while the next level is searched.
level   struct
place   dw      ?
best    db      ?
limit   db      ?
level   ends
LEVELS  equ     8

; Colours.
TITLES  equ     16 * GREEN + BLACK
PACKAGE equ     GREEN
CHIPS   equ     RED + BRIGHT
USERS   equ     GREEN + BRIGHT

; Screen positions: lines and columns from 0.
LAMPS_LINE equ  3
LAMPS_COLUMN equ 6
PLACE_WIDE equ  11                      ; and one column or line between
PLACE_TALL equ  5
SIDE_COLUMN equ 48
COUNTER_LINE equ 3
LIST_LINE equ   10
SPEAKER_LINE equ 20
SEARCH_LINE equ 22
PROMPT_LINE equ 23
LEFT    equ     4
COUNTED equ     5                       ; digits of the clock counter

        .data

heading db      ' CHIP', RUN, 28, ' ', 'minimax in silicon, 1990', RUN, 23, ' ', 0
pins    db      RUN, 2, 0CDh, DOWN, DOWN, RUN, 2, 0CDh, DOWN, DOWN, RUN, 2, 0CDh, DOWN, DOWN
        db      RUN, 2, 0CDh, DOWN, DOWN, RUN, 2, 0CDh, DOWN, DOWN, RUN, 2, 0CDh, DOWN, DOWN
        db      RUN, 2, 0CDh, DOWN, DOWN, RUN, 2, 0CDh, DOWN, DOWN, RUN, 2, 0CDh, 0
notch   db      ' \', RUN, 2, '_', '/ ', 0
counter db      ' clocks of the last search ', 0
legend  db      'Moves', 0
keys    db      'Keys     0-8 a place, q leaves', 0
red_is  db      RUN, 2, BLOCK, ' the chip', 0
green_is db     RUN, 2, BLOCK, ' you', 0
by_speaker db   'Speaker  ', 0
who     db      'Who begins, you (u) or the chip (c)? ', 0
ask     db      'Your place (0-8)? ', RUN, 30, ' ', 0
took    db      'The chip would have taken ', 0
clocks_text db  ' clocks.     ', 0
one_clock db    ' clock.      ', 0
chip_wins db    'The chip wins. ', 0
a_draw  db      'A draw. ', 0
again   db      'Any key plays again, q leaves. ', 0
by_chip db      'chip ', 0
by_user db      'you  ', 0

; A lamp: four columns, two lines.
lit     db      LOWER, RUN, 2, BLOCK, LOWER, DOWN, UPPER, RUN, 2, BLOCK, UPPER, 0
unlit   db      LOWER, RUN, 2, SHADE, LOWER, DOWN, UPPER, RUN, 2, SHADE, UPPER, 0

; The digits: three columns, three lines each.
segments label  byte
        db      BLOCK, UPPER, BLOCK, DOWN, BLOCK, ' ', BLOCK, DOWN, UPPER, UPPER, UPPER, 0
        db      ' ', UPPER, BLOCK, DOWN, ' ', ' ', BLOCK, DOWN, ' ', ' ', UPPER, 0
        db      UPPER, UPPER, BLOCK, DOWN, BLOCK, UPPER, UPPER, DOWN, UPPER, UPPER, UPPER, 0
        db      UPPER, UPPER, BLOCK, DOWN, ' ', UPPER, BLOCK, DOWN, UPPER, UPPER, UPPER, 0
        db      BLOCK, ' ', BLOCK, DOWN, UPPER, UPPER, BLOCK, DOWN, ' ', ' ', UPPER, 0
        db      BLOCK, UPPER, UPPER, DOWN, UPPER, UPPER, BLOCK, DOWN, UPPER, UPPER, UPPER, 0
        db      BLOCK, UPPER, UPPER, DOWN, BLOCK, UPPER, BLOCK, DOWN, UPPER, UPPER, UPPER, 0
        db      UPPER, UPPER, BLOCK, DOWN, ' ', ' ', BLOCK, DOWN, ' ', ' ', UPPER, 0
        db      BLOCK, UPPER, BLOCK, DOWN, BLOCK, UPPER, BLOCK, DOWN, UPPER, UPPER, UPPER, 0
        db      BLOCK, UPPER, BLOCK, DOWN, UPPER, UPPER, BLOCK, DOWN, UPPER, UPPER, UPPER, 0
DIGIT_SIZE equ  12

move_note db    NOTE, ' 880 Hz', 0
win_note db     NOTE, ' 440, 880, 440 Hz', 0
draw_note db    NOTE, ' 587 Hz', 0

; Screen position of each square's key; its lamps are below.
place_at macro x, y
        dw      2 * (COLUMNS * (LAMPS_LINE + (y) * (PLACE_TALL + 1) + 1) + LAMPS_COLUMN + 5 + (x) * (PLACE_WIDE + 1))
endm
on_screen label word
        place_at 0, 0
        place_at 1, 0
        place_at 2, 0
        place_at 0, 1
        place_at 1, 1
        place_at 2, 1
        place_at 0, 2
        place_at 1, 2
        place_at 2, 2
; Offset from there to the lamps of each side.
CHIP_LAMP equ   2 * (COLUMNS - 4)
USER_LAMP equ   2 * (COLUMNS + 1)

move_tune beep  <TIMER_HZ / 880, 4>, <0>
win_tune beep   <TIMER_HZ / 440, 8>, <TIMER_HZ / 880, 8>, <TIMER_HZ / 440, 16>, <0>
draw_tune beep  <TIMER_HZ / 587, 20>, <0>

; The rows, columns and diagonals as sets of squares.
lines   dw      007h, 038h, 1C0h, 049h, 092h, 124h, 111h, 054h
LINE_COUNT equ  8

; The chip's registers.
stones  dw      2 dup (?)               ; the squares of each side; bit 0 is square 0
side    dw      ?                       ; p: the side whose stone is tried
trial   dw      ?                       ; i: its square
chosen  dw      ?                       ; m: the best square so far
value   db      ?                       ; r: its value, -1, 0 or 1 for the side
best    db      ?                       ; bestr
limit   db      ?                       ; a: the value that ends the search
stack_  level   LEVELS dup (<>)
top     dw      ?                       ; sp: in bytes

clocks  dw      ?
searched db     ?                       ; set if there is a number of clocks to show

listed  dw      2 dup (?)               ; the stones whose moves are in the list
list    dw      ?                       ; position of the next move in the list

        .code

start:  mov     ax, @data
        mov     ds, ax
        colour_screen
        cld

; Every register of the chip begins at 0, so a game does not depend on an earlier one.
new_game:
        push    es
        push    ds
        pop     es
        mov     di, offset stones
        mov     cx, offset searched + 1 - offset stones
        mov     al, 0
        rep     stosb
        pop     es
        call    show_page
begin:  read_key
        leave_on_q leave_game
        or      al, 20h                 ; convert to lower case
        cmp     al, 'c'
        je      chip_begins
        cmp     al, 'u'
        jne     begin
        call    ask_place
        jmp     wait_key
chip_begins:
        mov     ah, 00h
        int     1Ah
        mov     cl, dl                  ; a counter that is not shown while it counts
        and     cl, 7
        mov     ax, 1
        shl     ax, cl
        mov     stones[CHIP_SIDE], ax

; After a move of the chip.
waiting:
        call    ask_place
        show_at SPEAKER_LINE, SIDE_COLUMN + 9, PLAIN, move_note
        mov     si, offset move_tune
        call    play_tune
wait_key:
        read_key
        leave_on_q leave_game
        sub     al, '0'
        cmp     al, PLACES
        jae     wait_key
        xor     ah, ah
        mov     trial, ax
        call    trial_bit
        mov     dx, stones[CHIP_SIDE]
        or      dx, stones[USER_SIDE]
        test    dx, ax
        jnz     wait_key
        or      stones[USER_SIDE], ax
        mov     clocks, 0
        mov     searched, 1

; The search. From here to `waiting` or `finished`, each label with a clock is a state of the chip.
user_just_moved:
        inc     clocks
        call    is_full
        je      finished
        mov     top, 0
        mov     side, CHIP_SIDE
        mov     limit, 1
        mov     best, -1
        call    first_free
        jmp     set_board

set_board:
        inc     clocks
        call    toggle
        jmp     rating

rating: inc     clocks
        call    side_wins
        mov     value, -1               ; for the opponent, whose search continues
        jc      rated
        call    is_full
        mov     value, 0
        je      rated
        call    push_level
        jmp     set_board
rated:  cmp     top, 0
        je      finished
        call    go_up
        jmp     returned

; The stone that is tried has the value `value`.
returned:
        inc     clocks
        mov     al, value
        cmp     al, limit
        jge     enough
        cmp     al, best
        jg      better
        call    next_free
        jnc     try_next
        cmp     top, 0
        je      take_best
        mov     al, best
        neg     al
        jmp     return_value

enough: neg     al
        cmp     top, 0
        jne     return_value
        jmp     waiting                 ; keep the stone

better: call    next_free
        jnc     better_so_far
        xor     al, al
        cmp     top, 0
        jne     return_value
        jmp     waiting                 ; keep the stone
better_so_far:
        mov     best, 0
        cmp     top, 0
        jne     try_next
        mov     dx, trial
        mov     chosen, dx
try_next:
        push    bx
        call    toggle
        pop     trial
        jmp     set_board

return_value:
        mov     value, al
        call    go_up
        jmp     returned

take_best:
        call    toggle
        inc     clocks                  ; the state `doingbestmove`
        mov     dx, chosen
        mov     trial, dx
        call    toggle
        jmp     waiting

finished:
        call    show_board
        mov     side, CHIP_SIDE
        call    side_wins
        jc      chip_has_won
        show_at PROMPT_LINE, LEFT, WHITE, a_draw
        mov     si, offset draw_note
        mov     bx, offset draw_tune
        jmp     play_again
chip_has_won:
        call    show_rows
        show_at PROMPT_LINE, LEFT, WHITE, chip_wins
        mov     si, offset win_note
        mov     bx, offset win_tune
play_again:
        push    si
        mov     si, offset again
        mov     ah, PLAIN
        call    show_text
        call    cursor_here
        pop     si
        at_place di, SPEAKER_LINE, SIDE_COLUMN + 9
        mov     ah, PLAIN
        call    show_text
        mov     si, bx
        call    play_tune
        read_key
        leave_on_q leave_game
        jmp     new_game
leave_game:
        set_cursor SCREEN_LINES - 1, 0
        exit_program 0

; Returns in AX the bit of the square that is tried. Changes CX.
trial_bit proc
        mov     cx, trial
        mov     ax, 1
        shl     ax, cl
        ret
trial_bit endp

; Puts the side's stone on the square that is tried, or removes it. Changes AX, BX, CX.
toggle  proc
        call    trial_bit
        mov     bx, side
        xor     stones[bx], ax
        ret
toggle  endp

; Sets ZF if no square is free. Changes AX.
is_full proc
        mov     ax, stones[CHIP_SIDE]
        or      ax, stones[USER_SIDE]
        cmp     ax, FULL
        ret
is_full endp

; Selects the first free square; there must be one. Keeps AX. Changes BX, CX, DX.
first_free proc
        mov     bx, 0
        call    free_from
        mov     trial, bx
        ret
first_free endp

; Returns in BX the first free square after the one that is tried; sets CF if there is none. Keeps
; AX. Changes CX, DX.
next_free proc
        mov     bx, trial
        inc     bx
        call    free_from
        ret
next_free endp

; Returns in BX the first free square from BX; sets CF if there is none. Keeps AX. Changes CX, DX.
free_from proc
        mov     dx, stones[CHIP_SIDE]
        or      dx, stones[USER_SIDE]
        mov     cl, bl
        shr     dx, cl
look:   cmp     bx, PLACES
        jae     none_free
        shr     dx, 1
        jnc     place_free
        inc     bx
        jmp     look
none_free:
        stc
        ret
place_free:
        clc
        ret
free_from endp

; Sets CF if the side has three in a row. Changes AX, BX, CX, DX.
side_wins proc
        mov     bx, side
        mov     ax, stones[bx]
        mov     bx, offset lines
        mov     cx, LINE_COUNT
next_line:
        mov     dx, ax
        and     dx, [bx]
        cmp     dx, [bx]
        je      three
        add     bx, 2
        loop    next_line
        clc
        ret
three:  stc
        ret
side_wins endp

; Descends one level: tries the opponent's stone on the first free square. Changes AX, BX, CX, DX.
push_level proc
        mov     bx, top
        mov     ax, trial
        mov     stack_[bx].place, ax
        mov     al, best
        mov     stack_[bx].best, al
        mov     ah, limit
        mov     stack_[bx].limit, ah
        add     top, size level
        neg     al
        mov     limit, al
        mov     best, -1
        xor     side, USER_SIDE
        call    first_free
        ret
push_level endp

; Removes the stone that is tried, and ascends one level. Changes AX, BX, CX.
go_up   proc
        call    toggle
        sub     top, size level
        mov     bx, top
        mov     ax, stack_[bx].place
        mov     trial, ax
        mov     al, stack_[bx].best
        mov     best, al
        mov     al, stack_[bx].limit
        mov     limit, al
        xor     side, USER_SIDE
        ret
go_up   endp

; Shows the board and asks for the user's square. Changes all registers.
ask_place proc
        call    show_board
        show_at PROMPT_LINE, LEFT, PLAIN, ask
        set_cursor PROMPT_LINE, LEFT + 18
        ret
ask_place endp

; Shows the stones, the moves, and the clocks of the last search. Changes all registers.
show_board proc
        call    show_lamps
        mov     si, USER_SIDE
        mov     di, offset by_user
        mov     ah, USERS
        call    list_move
        mov     si, CHIP_SIDE
        mov     di, offset by_chip
        mov     ah, CHIPS
        call    list_move
        cmp     searched, 0
        je      board_shown
        mov     ah, CHIPS
        call    show_counter
        show_at SEARCH_LINE, LEFT, PLAIN, took
        mov     ax, clocks
        call    put_number
        mov     si, offset one_clock
        cmp     clocks, 1
        je      put_unit
        mov     si, offset clocks_text
put_unit:
        mov     ah, PLAIN
        call    show_text
board_shown:
        ret
show_board endp

; Shows the lamps and the keys of the free squares. Changes AX, BX, CX, DI, SI, BP.
show_lamps proc
        mov     bp, 1                   ; the bit of the square
        xor     bx, bx                  ; twice its number
next_place:
        mov     al, bl
        shr     al, 1
        add     al, '0'
        mov     cx, stones[CHIP_SIDE]
        or      cx, stones[USER_SIDE]
        test    cx, bp
        jz      is_free
        mov     al, ' '
is_free:
        mov     di, on_screen[bx]
        mov     ah, WHITE
        mov     es:[di], ax
        add     di, CHIP_LAMP
        mov     cx, stones[CHIP_SIDE]
        mov     ah, CHIPS
        call    show_lamp
        mov     di, on_screen[bx]
        add     di, USER_LAMP
        mov     cx, stones[USER_SIDE]
        mov     ah, USERS
        call    show_lamp
        shl     bp, 1
        add     bx, 2
        cmp     bx, 2 * PLACES
        jb      next_place
        ret
show_lamps endp

; Shows the lamp of a side with the stones CX, for square BP, at DI, in colour AH if it is lit.
; Changes AX, CX, SI, DI.
show_lamp proc
        mov     si, offset lit
        test    cx, bp
        jnz     is_lit
        mov     si, offset unlit
        mov     ah, DARK
is_lit: call    show_text
        ret
show_lamp endp

; Shows the lamps of the chip's rows of three in yellow. Changes AX, BX, CX, DX, SI, DI, BP.
show_rows proc
        xor     si, si
next_line:
        mov     bp, lines[si]
        mov     ax, stones[CHIP_SIDE]
        and     ax, bp
        cmp     ax, bp
        jne     no_row
        push    si
        xor     si, si
next_of_row:
        shr     bp, 1
        jnc     not_in_row
        mov     di, on_screen[si]
        add     di, CHIP_LAMP
        mov     bx, 4
        mov     dx, 2
        mov     al, YELLOW
        call    tint
not_in_row:
        add     si, 2
        or      bp, bp
        jnz     next_of_row
        pop     si
no_row: add     si, 2
        cmp     si, 2 * LINE_COUNT
        jb      next_line
        ret
show_rows endp

; Appends the move of side SI, if it has made one, to the list, with the name at DI and the
; attribute AH. Changes AL, BX, CX, DX, SI, DI.
list_move proc
        mov     dx, stones[si]
        xor     dx, listed[si]
        jz      nothing_new
        xor     listed[si], dx
        mov     si, di
        mov     di, list
        add     list, 2 * COLUMNS
        call    show_text
        mov     al, '0' - 1
next_bit:
        inc     al
        shr     dx, 1
        jnz     next_bit
        stosw
nothing_new:
        ret
list_move endp

; Shows `clocks` on the counter, with the attribute AH. Changes AL, BX, CX, DX, SI, DI, BP.
show_counter proc
        mov     bp, clocks
        mov     cx, COUNTED
        at_place di, COUNTER_LINE + 2, SIDE_COLUMN + 4 + 4 * (COUNTED - 1)
next_segments:
        push    ax
        mov     ax, bp
        xor     dx, dx
        mov     bx, 10
        div     bx
        mov     bp, ax
        mov     al, DIGIT_SIZE
        mul     dl
        mov     si, ax
        add     si, offset segments
        pop     ax
        push    cx
        push    di
        call    show_text
        pop     di
        pop     cx
        sub     di, 2 * 4
        loop    next_segments
        ret
show_counter endp

; Writes AX in decimal at DI. Changes AX, BX, CX, DX, DI.
put_number proc
        mov     bx, 10
        xor     cx, cx
digit:  xor     dx, dx
        div     bx
        push    dx
        inc     cx
        or      ax, ax
        jnz     digit
put_digit:
        pop     ax
        mov     ah, WHITE
        add     al, '0'
        stosw
        loop    put_digit
        ret
put_number endp

; Moves the cursor to DI. Changes AX, BX, DX.
cursor_here proc
        push    bx
        mov     ax, di
        shr     ax, 1
        mov     bl, COLUMNS
        div     bl
        mov     dh, al
        mov     dl, ah
        mov     bh, 0
        mov     ah, 02h
        int     10h
        pop     bx
        ret
cursor_here endp

; Shows the page of a new game, and asks who begins. Changes all registers.
show_page proc
        mov     listed[CHIP_SIDE], 0
        mov     listed[USER_SIDE], 0
        at_place ax, LIST_LINE, SIDE_COLUMN + 1
        mov     list, ax
        fill_at 0, 0, COLUMNS, SCREEN_LINES, PLAIN, ' '
        show_at 0, 0, TITLES, heading
        frame_at LAMPS_LINE - 1, LAMPS_COLUMN - 1, 3 * PLACE_WIDE + 4, 3 * PLACE_TALL + 4, PACKAGE
        show_at LAMPS_LINE - 1, LAMPS_COLUMN + 14, PACKAGE, notch
        show_at LAMPS_LINE, LAMPS_COLUMN - 3, PLAIN, pins
        show_at LAMPS_LINE, LAMPS_COLUMN + 3 * PLACE_WIDE + 3, PLAIN, pins
        frame_at COUNTER_LINE, SIDE_COLUMN, 29, 6, DARK
        show_at COUNTER_LINE, SIDE_COLUMN + 1, PLAIN, counter
        show_at LIST_LINE - 1, SIDE_COLUMN, PLAIN, legend
        show_at LIST_LINE, SIDE_COLUMN + 16, CHIPS, red_is
        show_at LIST_LINE + 1, SIDE_COLUMN + 16, USERS, green_is
        show_at SPEAKER_LINE - 1, SIDE_COLUMN, PLAIN, keys
        show_at SPEAKER_LINE, SIDE_COLUMN, PLAIN, by_speaker
        mov     ah, DARK
        call    show_counter
        call    show_lamps
        show_at PROMPT_LINE, LEFT, PLAIN, who
        call    cursor_here
        ret
show_page endp

        end     start
