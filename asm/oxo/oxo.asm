; OXO: noughts and crosses that cannot be won, from a table of eight numbers.
;
; After Julian Skidmore's Forth program for the FIGnition computer (2011); the text is our own. The
; computer is X, opens in the centre, and reads the board only to check whether it was blocked. Keys
; 1 to 8 are the cells clockwise around the edge from the upper left; other keys and taken cells are
; ignored. q or Esc leaves.
;
; Screen: like that of a home computer of the 1980s, a blue page in a light border. The board of
; three by three cells, twelve columns and five lines each, with marks in blocks. Beside it the
; keys, the moves and the last note of the speaker. Below them the cursor and the result. Calls: INT
; 10h AH=00h, 02h (mode, cursor), INT 21h AH=08h, 4Ch. Video memory of mode 3. Ports 42h, 43h, 61h
; (a note for each reply of the computer, a tune at the end). Any 8086. Assembles with UASM and
; JWasm.

        .model  small
        .stack  256

        include dos.inc
        include screen.inc
        include tune.inc

PAGE_   equ     16 * BLUE + BLUE + BRIGHT ; light blue on blue
BORDER  equ     BLUE + BRIGHT
BOLD    equ     16 * BLUE + WHITE
CROSSES equ     16 * BLUE + YELLOW
NOUGHTS equ     16 * BLUE + CYAN + BRIGHT

; Screen positions: lines and columns from 0.
BOARD_LINE equ  5
BOARD_COLUMN equ 8
CELL_WIDE equ   12                      ; and two columns or one line between
CELL_TALL equ   5
SIDE    equ     52                      ; the column of the text beside the board
MOVES_LINE equ  10
NOTE_LINE equ   21
PROMPT_LINE equ 23
READY_END equ   BOARD_COLUMN + 7        ; after "READY. "

        .data

heading db      '**** OXO ****', 0
boast   db      'EIGHT NUMBERS ARE ALL I KNOW. YOU CANNOT WIN.', 0
legend  db      'KEYS', DOWN, ' 1-8  PUT AN O', DOWN, ' Q    LEAVES', DOWN, DOWN, 'MOVES', 0
by_speaker db   'SPEAKER', 0
ready   db      'READY. ', 0
i_win   db      'I WIN! ', 0
a_draw  db      'DRAW!  ', 0
again   db      'ANY KEY PLAYS AGAIN, Q LEAVES. ', 0
AGAIN_END equ   BOARD_COLUMN + 38

i_take  db      ' I TAKE  ', 0
you_take db     ' YOU TAKE ', 0
centre  db      'THE CENTRE', 0
move_note db    NOTE, ' 440 HZ', 0
win_note db     NOTE, ' 330, 262, 196 HZ', 0
draw_note db    NOTE, ' 330 HZ', 0

; The marks, ten columns per line.
a_cross db      RUN, 2, BLOCK, RUN, 6, ' ', RUN, 2, BLOCK, DOWN
        db      '  ', RUN, 2, BLOCK, '  ', RUN, 2, BLOCK, DOWN
        db      '    ', RUN, 2, BLOCK, DOWN
        db      '  ', RUN, 2, BLOCK, '  ', RUN, 2, BLOCK, DOWN
        db      RUN, 2, BLOCK, RUN, 6, ' ', RUN, 2, BLOCK, 0
a_nought db     '  ', RUN, 6, BLOCK, DOWN
        db      RUN, 2, BLOCK, RUN, 6, ' ', RUN, 2, BLOCK, DOWN
        db      RUN, 2, BLOCK, RUN, 6, ' ', RUN, 2, BLOCK, DOWN
        db      RUN, 2, BLOCK, RUN, 6, ' ', RUN, 2, BLOCK, DOWN
        db      '  ', RUN, 6, BLOCK, 0

move_tune beep  <TIMER_HZ / 440, 4>, <0>
win_tune beep   <TIMER_HZ / 330, 8>, <TIMER_HZ / 262, 8>, <TIMER_HZ / 196, 16>, <0>
draw_tune beep  <TIMER_HZ / 330, 20>, <0>

; The computer's next step around the edge: 0 to 3 after an edge as the human's first move, 4 to 7
; after a corner.
delta   db      1, 2, 7, 0, 1, 2, 3, 6
WINNING equ     7
DRAWING equ     6
AFTER_EDGE equ  0
AFTER_CORNER equ 4

; Screen position of a cell's mark: its column and line of three, as an offset in video memory.
mark_of macro column, line
        dw      2 * (COLUMNS * (BOARD_LINE + (line) * (CELL_TALL + 1)) + BOARD_COLUMN + 1 + (column) * (CELL_WIDE + 2))
endm

; By cell from 1 on; the centre is the ninth.
place   label   word
        mark_of 0, 0
        mark_of 1, 0
        mark_of 2, 0
        mark_of 2, 1
        mark_of 2, 2
        mark_of 1, 2
        mark_of 0, 2
        mark_of 0, 1
        mark_of 1, 1
CENTRE_CELL equ 9
; Offset from the beginning of a mark to the cell's digit.
DIGIT   equ     2 * (2 * COLUMNS + 4)

is_taken db     9 dup (?)               ; by cell from 1 on
move    dw      ?                       ; the index in delta
list    dw      ?                       ; the position of the next move

        .code

start:  mov     ax, @data
        mov     ds, ax
        colour_screen
        cld

; During the game BH is the computer's last cell, BL the human's.
new_game:
        call    show_page
        mov     cx, 8
free_cells:
        mov     si, cx
        mov     is_taken[si], 0
        loop    free_cells

        call    human_move
        mov     bh, bl                  ; the human has nothing to block yet
        mov     move, AFTER_EDGE
        test    bl, 1
        jz      answer
        mov     move, AFTER_CORNER

answer: mov     al, bh
        cmp     bh, bl
        je      go_on
        add     al, 4
        call    wrap
        cmp     al, bl
        je      blocked
        mov     bh, al                  ; the human left the opposite cell open
        call    computer_move
        jmp     computer_won
blocked:
        mov     al, bh
go_on:  mov     si, move
        add     al, delta[si]
        call    wrap
        mov     bh, al
        call    computer_move
        mov     si, move
        cmp     delta[si], WINNING
        je      computer_won
        cmp     delta[si], DRAWING
        je      drawn
        inc     move
        show_at NOTE_LINE, SIDE, BOLD, move_note
        mov     si, offset move_tune
        call    play_tune
        call    human_move
        jmp     answer

computer_won:
        show_at PROMPT_LINE, BOARD_COLUMN, BOLD, i_win
        show_at NOTE_LINE, SIDE, BOLD, win_note
        mov     si, offset win_tune
        jmp     over
drawn:  show_at PROMPT_LINE, BOARD_COLUMN, BOLD, a_draw
        show_at NOTE_LINE, SIDE, BOLD, draw_note
        mov     si, offset draw_tune
over:   push    si
        show_at PROMPT_LINE, READY_END, PAGE_, again
        set_cursor PROMPT_LINE, AGAIN_END
        pop     si
        call    play_tune
        read_key
        leave_on_q leave_game
        jmp     new_game
leave_game:
        fill_at SCREEN_LINES - 1, 0, COLUMNS, 1, PLAIN, ' '
        set_cursor SCREEN_LINES - 1, 0
        exit_program 0

; Waits for the digit of a free cell, returns it in BL and shows an O there. Changes AX, CX, SI, DI.
human_move proc
        read_key
        leave_on_q leave_game
        sub     al, '0'
        cmp     al, 1
        jb      human_move
        cmp     al, 8
        ja      human_move
        xor     ah, ah
        mov     si, ax
        cmp     is_taken[si], 0
        jne     human_move
        mov     is_taken[si], 1
        mov     bl, al
        push    si
        mov     si, offset you_take
        mov     ah, NOUGHTS
        call    tell_move
        pop     ax
        add     al, '0'
        mov     ah, NOUGHTS
        stosw
        sub     al, '0'
        mov     si, offset a_nought
        call    show_mark
        ret
human_move endp

; Shows an X in cell BH. Changes AX, CX, SI, DI.
computer_move proc
        mov     al, bh
        xor     ah, ah
        mov     si, ax
        mov     is_taken[si], 1
        mov     si, offset i_take
        mov     ah, CROSSES
        call    tell_move
        mov     al, bh
        add     al, '0'
        mov     ah, CROSSES
        stosw
        mov     al, bh
        mov     si, offset a_cross
        call    show_mark
        ret
computer_move endp

; Shows the mark at SI in cell AL, with the attribute AH. Changes AL, CX, SI, DI.
show_mark proc
        push    bx
        mov     bl, al
        mov     bh, 0
        shl     bx, 1
        mov     di, place[bx-2]
        mov     byte ptr es:[di+DIGIT], ' '
        call    show_text
        pop     bx
        ret
show_mark endp

; Begins a line of the list of moves with the text at SI and the attribute AH; DI is the next
; position. Changes AL, CX, SI.
tell_move proc
        mov     di, list
        add     list, 2 * COLUMNS
        call    show_text
        ret
tell_move endp

; Shows the page with the computer's X in the centre, and sets the cursor. Changes all registers.
show_page proc
        fill_at 0, 0, COLUMNS, SCREEN_LINES, BORDER, BLOCK
        fill_at 1, 4, COLUMNS - 8, SCREEN_LINES - 2, PAGE_, ' '
        show_at 2, 34, BOLD, heading
        show_at 3, 18, PAGE_, boast
        fill_at BOARD_LINE, BOARD_COLUMN + CELL_WIDE, 2, 3 * CELL_TALL + 2, PAGE_, BLOCK
        fill_at BOARD_LINE, BOARD_COLUMN + 2 * CELL_WIDE + 2, 2, 3 * CELL_TALL + 2, PAGE_, BLOCK
        fill_at BOARD_LINE + CELL_TALL, BOARD_COLUMN, 3 * CELL_WIDE + 4, 1, PAGE_, BLOCK
        fill_at BOARD_LINE + 2 * CELL_TALL + 1, BOARD_COLUMN, 3 * CELL_WIDE + 4, 1, PAGE_, BLOCK
        mov     bx, 2 * 8
        mov     ax, 256 * PAGE_ + '8'
next_digit:
        mov     di, place[bx-2]
        mov     es:[di+DIGIT], ax
        dec     ax
        sub     bx, 2
        jnz     next_digit
        show_at BOARD_LINE, SIDE, PAGE_, legend
        show_at NOTE_LINE - 1, SIDE, PAGE_, by_speaker
        show_at PROMPT_LINE, BOARD_COLUMN, BOLD, ready
        at_place ax, MOVES_LINE, SIDE
        mov     list, ax
        mov     si, offset i_take
        mov     ah, CROSSES
        call    tell_move
        mov     si, offset centre
        call    show_text
        mov     al, CENTRE_CELL
        mov     si, offset a_cross
        call    show_mark
        set_cursor PROMPT_LINE, READY_END
        ret
show_page endp

; Wraps the cell AL to 1 to 8.
wrap    proc
        dec     al
        and     al, 7
        inc     al
        ret
wrap    endp

        end     start
