; OXO: noughts and crosses that cannot be won, from a table of eight numbers.
;
; After Julian Skidmore's Forth program for the FIGnition computer (2011); the text is our own. The computer is X, opens
; in the centre, and never looks at the board again except to see whether it was blocked. Keys 1 to 8 are the cells
; clockwise round the edge from the upper left; other keys and taken cells are ignored; q or Esc leaves.
;
; Screen: a heading on line 0, the board on lines 2 to 6; on line 8 the cursor waits, and there the result is written,
; with a question below.
; Calls: INT 10h AH=02h, 06h (cursor, clear), INT 21h AH=02h, 08h, 09h, 4Ch; ports 42h, 43h, 61h (a note for each answer
; of the computer, a tune at the end). Any 8086. Assembles with UASM and JWasm.

        .model  small
        .stack  256

        include dos.inc
        include tune.inc

BOARD_LINE  equ 2
RESULT_LINE equ 8
LAST_LINE equ   10                      ; where DOS goes on

        .data

heading db      'OXO: 1 to 8 put an O, q leaves', CR, LF, CR, LF
        db      '1|2|3', CR, LF
        db      '-+-+-', CR, LF
        db      '8|X|4', CR, LF
        db      '-+-+-', CR, LF
        db      '7|6|5$'
i_win   db      'I WIN!', CR, LF, '$'
a_draw  db      'DRAW!', CR, LF, '$'
again   db      'Any key plays again, q leaves. $'

move_tune beep  <TIMER_HZ / 440, 4>, <0>
win_tune beep   <TIMER_HZ / 330, 8>, <TIMER_HZ / 262, 8>, <TIMER_HZ / 196, 16>, <0>
draw_tune beep  <TIMER_HZ / 330, 20>, <0>

; How far round the edge the computer goes on: 0 to 3 after an edge as the human's first move, 4 to 7 after a corner.
delta   db      1, 2, 7, 0, 1, 2, 3, 6
WINNING equ     7
DRAWING equ     6
AFTER_EDGE equ  0
AFTER_CORNER equ 4

; Where each cell from 1 on is on the screen: column, line.
place   db      0, BOARD_LINE,   2, BOARD_LINE,   4, BOARD_LINE,   4, BOARD_LINE+2
        db      4, BOARD_LINE+4, 2, BOARD_LINE+4, 0, BOARD_LINE+4, 0, BOARD_LINE+2

is_taken db     9 dup (?)               ; by cell from 1 on
move    dw      ?                       ; where we are in delta

        .code

start:  mov     ax, @data
        mov     ds, ax

; Through the game BH is the computer's last cell, BL the human's.
new_game:
        clear_text
        put_text heading
        set_cursor RESULT_LINE, 0
        mov     cx, 8
free_cells:
        mov     si, cx
        mov     is_taken[si], 0
        loop    free_cells

        call    human_move
        mov     bh, bl                  ; nothing of the computer's to block yet
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
        mov     bh, al                  ; the opposite cell was left open
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
        mov     si, offset move_tune
        call    play_tune
        call    human_move
        jmp     answer

computer_won:
        put_text i_win
        mov     si, offset win_tune
        jmp     over
drawn:  put_text a_draw
        mov     si, offset draw_tune
over:   put_text again
        call    play_tune
        read_key
        leave_on_q leave_game
        jmp     new_game
leave_game:
        set_cursor LAST_LINE, 0
        exit_program 0

; Waits for the digit of a free cell, answers it in BL and shows an O there. Changes AX, DX, SI.
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
        mov     bl, al
        mov     dl, 'O'
        call    show_mark
        ret
human_move endp

; Shows an X in cell BH. Changes AX, DX, SI.
computer_move proc
        mov     al, bh
        xor     ah, ah
        mov     si, ax
        mov     dl, 'X'
        call    show_mark
        ret
computer_move endp

; Takes cell SI and shows the mark DL there; the cursor goes back to where it waits. Keeps BX. Changes AX, DX, SI.
show_mark proc
        push    bx
        push    dx
        mov     is_taken[si], 1
        shl     si, 1
        mov     dx, word ptr place[si-2]
        mov     bh, 0
        mov     ah, 02h
        int     10h
        pop     dx
        mov     ah, 02h
        int     21h
        set_cursor RESULT_LINE, 0
        pop     bx
        ret
show_mark endp

; Keeps the cell AL within 1 to 8.
wrap    proc
        dec     al
        and     al, 7
        inc     al
        ret
wrap    endp

        end     start
