; GRID18: tic-tac-toe for two at one keyboard, on a grid of eighteen bits.
;
; After Patrick Pedersen's game for x86-64 (2018); the text is our own. X begins. Asked for the line (Y) and the column
; (X) of a field, each 1 to 3, upper left 1 1. q or Esc leaves. A full board without a winner is a draw.
;
; Screen: the grid on the first five lines; on line 6 who is to move, and the two questions below; on line 10 why an
; answer is not taken. The questions stay where they are, so that nothing scrolls. At the end the result on line 6.
; Calls: INT 10h AH=02h, 06h (cursor, clear), INT 21h AH=02h, 08h, 09h, 4Ch; ports 42h, 43h, 61h (a note for each move,
; a tune at the end). Needs a 386.
; Modules: grid (first: it begins with a directory of its procedures), grid18. Assembles with UASM and JWasm.

        .model  small
        .386
        .stack  256

        include dos.inc
        include tune.inc

externdef init_grid:near
externdef set_field:near
externdef get_field:near
externdef eval_grid:near

CIRCLE_PLAYER equ 0
CROSS_PLAYER equ 1

EMPTY   equ     2                       ; what get_field answers for a free field

Y_LINE  equ     7
X_LINE  equ     8
MESSAGE_LINE equ 10
LAST_LINE equ   11                      ; where DOS goes on

        .data

separator db    CR, LF, '------', CR, LF, '$'
line_end  db    CR, LF, '$'
to_move   db    ' to move (q leaves)', CR, LF, '$'
ask_y     db    'Y, line (1-3): $'
ask_x     db    'X, column (1-3): $'
bad_number db   'Only 1, 2 or 3.     $'
taken     db    'That field is taken.$'
no_message db   '                    $'
has_won   db    ' has won!', CR, LF, '$'
a_draw    db    'A draw.', CR, LF, '$'
another   db    'Another game? (y/n) $'

move_tune beep  <TIMER_HZ / 587, 4>, <0>
win_tune  beep  <TIMER_HZ / 523, 8>, <TIMER_HZ / 659, 8>, <TIMER_HZ / 784, 16>, <0>
draw_tune beep  <TIMER_HZ / 392, 20>, <0>

marks     db    'XO '                   ; by what get_field answers
moves     db    ?
player    db    ?

        .code

start:  mov     ax, @data
        mov     ds, ax

new_game:
        call    init_grid
        mov     moves, 0
        mov     player, CROSS_PLAYER
        call    show_turn

ask_field:
        mov     si, offset ask_y
        mov     bp, Y_LINE * 256
        call    ask_number
        mov     di, ax
        set_cursor MESSAGE_LINE, 0
        put_text no_message
        mov     si, offset ask_x
        mov     bp, X_LINE * 256
        call    ask_number
        mov     bx, ax
        mov     dx, di
        call    get_field
        cmp     al, EMPTY
        je      field_free
        call    show_turn
        set_cursor MESSAGE_LINE, 0
        put_text taken
        jmp     ask_field
field_free:
        mov     al, player
        call    set_field
        inc     moves
        cmp     moves, 5                ; nobody can have three before
        jb      other_player
        call    eval_grid
        cmp     al, 1
        je      won
        cmp     moves, 9
        je      draw
other_player:
        xor     player, 1
        call    show_turn
        mov     si, offset move_tune
        call    play_tune
        jmp     ask_field

won:    call    show_grid
        call    put_player
        put_text has_won
        mov     si, offset win_tune
        jmp     over
draw:   call    show_grid
        put_text a_draw
        mov     si, offset draw_tune
over:   put_text another
        call    play_tune
        read_key
        leave_on_q leave_game
        cmp     al, 'n'
        je      leave_game
        cmp     al, 'N'
        jne     new_game
leave_game:
        set_cursor LAST_LINE, 0
        exit_program 0

; Asks the question at SI, from cursor position BP on, until 1, 2 or 3 is typed. Answers 0 to 2 in AX. Changes BX, DX.
ask_number proc
        mov     dx, bp
        mov     bh, 0
        mov     ah, 02h
        int     10h
        mov     dx, si
        mov     ah, 09h
        int     21h
        read_key
        leave_on_q leave_game
        mov     bl, al
        sub     bl, '1'
        cmp     bl, 3
        jb      number_read
        set_cursor MESSAGE_LINE, 0
        put_text bad_number
        jmp     ask_number
number_read:
        put_char al
        mov     al, bl
        xor     ah, ah
        ret
ask_number endp

; Shows the grid and who is to move. Changes all registers.
show_turn proc
        call    show_grid
        call    put_player
        put_text to_move
        ret
show_turn endp

; Writes the mark of the one who is to move. Changes AX, BX, DX.
put_player proc
        mov     bl, 'X'
        cmp     player, CROSS_PLAYER
        je      put_mark
        mov     bl, 'O'
put_mark:
        put_char bl
        ret
put_player endp

; Clears the screen and draws the grid, with an empty line below. Changes AX, BX, CX, DX, SI, DI, BP.
show_grid proc
        clear_text
        xor     di, di                  ; y
grid_line:
        xor     si, si                  ; x
grid_field:
        mov     bx, si
        mov     dx, di
        call    get_field
        xor     ah, ah
        mov     bx, ax
        put_char marks[bx]
        inc     si
        cmp     si, 3
        je      line_drawn
        put_char '|'
        jmp     grid_field
line_drawn:
        inc     di
        cmp     di, 3
        je      grid_drawn
        put_text separator
        jmp     grid_line
grid_drawn:
        put_text line_end
        put_text line_end
        ret
show_grid endp

        end     start
