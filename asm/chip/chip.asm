; CHIP: the search of a tic-tac-toe chip of 1990, state by state.
;
; After the chip of P. M. Geiser and A. Marzetta (semester project, winter 1989/90), which plays by minimax with
; alpha-beta pruning. Each of the chip's states is a label here and counts as one clock, so the program can tell how
; long the chip would have taken. Keys 0 to 8 are the places row by row; q or Esc leaves.
;
; Screen: a heading, an empty line, three lines of lamps (two a place: the chip's, the user's; * is on) with the keys of
; the free places beside them, an empty line, then the clocks of the last search, if there was one, and a question or
; the result.
; Calls: INT 10h AH=02h, 06h (clear), INT 1Ah AH=00h (the tick count, whose low three bits are the chip's first place),
; INT 21h AH=02h, 08h, 09h, 4Ch; ports 42h, 43h, 61h (a note for each move of the chip, a tune at the end).
; Any 8086. Assembles with UASM and JWasm.

        .model  small
        .stack  256

        include dos.inc
        include tune.inc

PLACES  equ     9
FULL    equ     1FFh

; Sides, as indices into `stones`.
CHIP_SIDE equ   0
USER_SIDE equ   2

; What is kept of a level of the search while the next is looked at.
level   struct
place   dw      ?
best    db      ?
limit   db      ?
level   ends
LEVELS  equ     8

        .data

heading  db     'CHIP: two lamps a place, the chip''s and yours; q leaves', CR, LF, CR, LF, '$'
who      db     'Who begins, you (u) or the chip (c)? $'
ask      db     'Your place (0-8)? $'
took     db     'The chip would have taken $'
clocks_text db  ' clocks.', CR, LF, '$'
one_clock db    ' clock.', CR, LF, '$'
chip_wins db    'The chip wins.', CR, LF, '$'
a_draw   db     'A draw.', CR, LF, '$'
again    db     'Any key plays again, q leaves. $'
line_end db     CR, LF, '$'

move_tune beep  <TIMER_HZ / 880, 4>, <0>
win_tune beep   <TIMER_HZ / 440, 8>, <TIMER_HZ / 880, 8>, <TIMER_HZ / 440, 16>, <0>
draw_tune beep  <TIMER_HZ / 587, 20>, <0>

; The rows, columns and diagonals, as bits of places.
lines   dw      007h, 038h, 1C0h, 049h, 092h, 124h, 111h, 054h
LINE_COUNT equ  8

; The chip's registers.
stones  dw      2 dup (?)               ; the places of each side, bit 0 is place 0
side    dw      ?                       ; p: whose stone is on trial
trial   dw      ?                       ; i: where it is
chosen  dw      ?                       ; m: the best place so far
value   db      ?                       ; r: what it was worth, -1, 0 or 1 for the side
best    db      ?                       ; bestr
limit   db      ?                       ; a: what is enough
stack_  level   LEVELS dup (<>)
top     dw      ?                       ; sp, in bytes

clocks  dw      ?
searched db     ?                       ; there is a number of clocks to show

        .code

start:  mov     ax, @data
        mov     ds, ax

new_game:
        mov     stones[CHIP_SIDE], 0
        mov     stones[USER_SIDE], 0
        mov     searched, 0
        call    show_lamps
        put_text who
begin:  read_key
        leave_on_q leave_game
        or      al, 20h                 ; a letter in lower case
        cmp     al, 'c'
        je      chip_begins
        cmp     al, 'u'
        jne     begin
        call    ask_place
        jmp     wait_key
chip_begins:
        mov     ah, 00h
        int     1Ah
        mov     cl, dl                  ; a counter that nobody looks at while it counts
        and     cl, 7
        mov     ax, 1
        shl     ax, cl
        mov     stones[CHIP_SIDE], ax

; The chip has moved.
waiting:
        call    ask_place
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

; The search. From here to `waiting` or `finished` each label with a clock is a state of the chip.
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
        mov     value, -1               ; for the opponent, to whom the search returns
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

; The stone on trial is worth `value`.
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
        jmp     waiting                 ; the stone stays

better: call    next_free
        jnc     better_so_far
        xor     al, al
        cmp     top, 0
        jne     return_value
        jmp     waiting                 ; the stone stays
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
        inc     clocks                  ; the state doingbestmove
        mov     dx, chosen
        mov     trial, dx
        call    toggle
        jmp     waiting

finished:
        call    show_lamps
        mov     side, CHIP_SIDE
        call    side_wins
        jc      chip_has_won
        put_text a_draw
        mov     si, offset draw_tune
        jmp     play_again
chip_has_won:
        put_text chip_wins
        mov     si, offset win_tune
play_again:
        put_text again
        call    play_tune
        read_key
        leave_on_q leave_game
        jmp     new_game
leave_game:
        put_text line_end
        exit_program 0

; The bit of the place on trial, in AX. Changes CX.
trial_bit proc
        mov     cx, trial
        mov     ax, 1
        shl     ax, cl
        ret
trial_bit endp

; Puts the side's stone on the place on trial, or takes it back. Changes AX, BX, CX.
toggle  proc
        call    trial_bit
        mov     bx, side
        xor     stones[bx], ax
        ret
toggle  endp

; ZF is set when no place is free. Changes AX.
is_full proc
        mov     ax, stones[CHIP_SIDE]
        or      ax, stones[USER_SIDE]
        cmp     ax, FULL
        ret
is_full endp

; The first free place goes on trial. There is one. Keeps AX. Changes BX, CX, DX.
first_free proc
        mov     bx, 0
        call    free_from
        mov     trial, bx
        ret
first_free endp

; The first free place above the one on trial, in BX; CF is set when there is none. Keeps AX. Changes CX, DX.
next_free proc
        mov     bx, trial
        inc     bx
        call    free_from
        ret
next_free endp

; The first free place from BX on, in BX; CF is set when there is none. Keeps AX. Changes CX, DX.
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

; CF is set when the side has three in a row. Changes AX, BX, CX, DX.
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

; One level down: the opponent's stone goes on the first free place. Changes AX, BX, CX, DX.
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

; Takes the stone on trial back, and goes one level up. Changes AX, BX, CX.
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

; Shows the board and asks for the user's place. Changes AX, BX, CX, DX, BP.
ask_place proc
        call    show_lamps
        put_text ask
        ret
ask_place endp

; Clears the screen and shows all but the question. Changes AX, BX, CX, DX, BP.
show_lamps proc
        clear_text
        put_text heading
        mov     bp, 1                   ; the bit of the place
        mov     bl, '0'                 ; its key
next_row:
        push    bp
        mov     cx, PLACES / 3
next_place:
        mov     ax, stones[CHIP_SIDE]
        call    show_lamp
        mov     ax, stones[USER_SIDE]
        call    show_lamp
        put_char ' '
        put_char ' '
        shl     bp, 1
        loop    next_place
        pop     bp
        mov     cx, PLACES / 3
next_key:
        call    show_key
        shl     bp, 1
        inc     bl
        loop    next_key
        put_text line_end
        cmp     bl, '0' + PLACES
        jb      next_row
        put_text line_end
        cmp     searched, 0
        je      shown
        put_text took
        mov     ax, clocks
        call    put_number
        mov     dx, offset one_clock
        cmp     clocks, 1
        je      put_unit
        mov     dx, offset clocks_text
put_unit:
        mov     ah, 09h
        int     21h
shown:  ret
show_lamps endp

; The lamp of a side AX for the place BP. Changes AX, DL.
show_lamp proc
        mov     dl, '.'
        test    ax, bp
        jz      dark
        mov     dl, '*'
dark:   mov     ah, 02h
        int     21h
        ret
show_lamp endp

; The key BL of the place BP if that is free, with a blank before it. Changes AX, DL.
show_key proc
        put_char ' '
        mov     ax, stones[CHIP_SIDE]
        or      ax, stones[USER_SIDE]
        mov     dl, ' '
        test    ax, bp
        jnz     is_taken
        mov     dl, bl
is_taken:
        mov     ah, 02h
        int     21h
        ret
show_key endp

; AX in decimal. Changes AX, BX, CX, DX.
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
        pop     dx
        add     dl, '0'
        mov     ah, 02h
        int     21h
        loop    put_digit
        ret
put_number endp

        end     start
