; GRID18: tic-tac-toe for two at one keyboard, on a grid of eighteen bits.
;
; After Patrick Pedersen's game for x86-64 (2018); the text is our own. X begins. Asked for the line (Y) and the column
; (X) of a field, each 1 to 3, upper left 1 1. q or Esc leaves. A full board without a winner is a draw.
;
; Screen: the grid on the first five lines; then an empty line; then who is to move, and one line for each question.
; Calls: INT 10h AH=02h, 06h (clear the screen), INT 21h AH=02h, 08h, 09h, 4Ch; ports 42h, 43h, 61h (a note at the end).
; Needs a 386.
; Modules: grid (first: it begins with a directory of its procedures), grid18. Assembles with UASM and JWasm.

        include dos.inc
        include speaker.inc

        .model  small
        .386
        .stack  256

externdef init_grid:near
externdef set_field:near
externdef get_field:near
externdef eval_grid:near

CIRCLE_PLAYER equ 0
CROSS_PLAYER equ 1

        .data

separator db    CR, LF, '------', CR, LF, '$'
line_end  db    CR, LF, '$'
to_move   db    ' to move', CR, LF, '$'
ask_y     db    'Y (1-3): $'
ask_x     db    'X (1-3): $'
bad_number db   'Only 1, 2 or 3.', CR, LF, '$'
taken     db    'That field is taken.', CR, LF, '$'
has_won   db    ' has won!', CR, LF, '$'
a_draw    db    'A draw.', CR, LF, '$'
another   db    'Another game? (y/n) $'

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

next_move:
        call    show_grid
        call    put_player
        put_text to_move
ask_field:
        mov     bx, offset ask_y
        call    ask_number
        mov     di, ax
        mov     bx, offset ask_x
        call    ask_number
        mov     bx, ax
        mov     dx, di
        call    get_field
        cmp     al, 2
        je      field_free
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
        jmp     next_move

won:    call    show_grid
        call    put_player
        put_text has_won
        tone    523, 8
        tone    659, 8
        tone    784, 16
        jmp     ask_again
draw:   call    show_grid
        put_text a_draw
        tone    392, 20
ask_again:
        put_text another
        read_key
        leave_on_q leave_game
        cmp     al, 'n'
        je      leave_game
        cmp     al, 'N'
        jne     new_game
leave_game:
        put_text line_end
        exit_program 0

; Asks the question at BX until 1, 2 or 3 is typed. Answers 0 to 2 in AX. Changes BX, DX.
ask_number proc
        mov     dx, bx
        mov     ah, 09h
        int     21h
        read_key
        leave_on_q leave_game
        push    ax
        put_char al
        put_text line_end
        pop     ax
        sub     al, '1'
        cmp     al, 3
        jb      number_read
        put_text bad_number
        jmp     ask_number
number_read:
        xor     ah, ah
        ret
ask_number endp

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
