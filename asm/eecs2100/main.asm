; EECS2100: tic-tac-toe in unchained VGA graphics, with three tunes.
;
; After the game of the University of Toledo's course EECS-2100 (2007) and with its behaviour; the text is our
; own. The human is x and begins, the computer is o. The digits 1 to 9 are the cells as on the keypad.
;
; Calls: INT 10h AX=0012h, 0013h, 0003h (video modes), INT 21h AH=08h (read a key), 4Ch (exit). Ports: the
; VGA's sequencer, graphics controller and CRTC; 42h, 43h and 61h for the speaker.
; Needs a 386 (long delay loops) and a VGA. Modules: main, board, screen, vga, font, sound.
; Assembles with UASM and JWasm.

        include dos.inc
        include eecs2100.inc

        .stack  256

        .data

won_by_computer db 'Computer Wins!!', 0
won_by_player   db 'Player Wins!!', 0
tied            db 'Tie Game!!', 0
play_again      db 'Play Again? (Y/N)', 0
leaving         db 'Exiting Program...', 0

; The cell of each digit from 1 on.
cell_of_key     db 6, 5, 4, 7, 8, 3, 0, 1, 2

move_number     db ?                    ; marks set so far, and the next one

        .code

start:  mov     ax, @data
        mov     ds, ax
        call    set_graphics

new_game:
        call    clear_board
        mov     turn_flag, 0
        mov     move_number, 0
        call    show_title
        read_key
        call    show_board

next_turn:
        call    human_turn
        jc      tie
        mov     al, CROSS
        call    has_won
        mov     bx, offset won_by_player
        mov     di, offset play_castle
        jc      over

        inc     move_number
        cmp     move_number, 10
        je      tie
        call    computer_move
        mov     turn_flag, 0
        call    show_board
        mov     al, RING
        call    has_won
        jnc     next_turn
        mov     bx, offset won_by_computer
        mov     di, offset play_wah
        jmp     over

tie:    mov     bx, offset tied
        mov     di, offset play_wah

; Returns the result in BX and its tune in DI.
over:   push    di
        call    show_message
        pop     di
        call    di
        read_key
        mov     bx, offset play_again
        call    show_message
ask:    read_key
        cmp     al, 'Y'
        je      new_game
        cmp     al, 'y'
        je      new_game
        cmp     al, 'N'
        je      leave_game
        cmp     al, 'n'
        jne     ask
leave_game:
        mov     bx, offset leaving
        call    show_message
        read_key
        call    set_text
        exit_program 0

; Waits for the digit of a free cell, sets an x there, plays its tune, then shows the board. Sets CF
; if all nine cells were already taken. Changes all registers.
human_turn proc
try_again:
        inc     move_number
        cmp     move_number, 10
        je      board_full
        read_key
        sub     al, '0'
        cmp     al, 1
        jl      refused
        cmp     al, 9
        jg      refused
        cbw
        mov     bx, ax
        mov     bl, cell_of_key[bx-1]
        cmp     cells[bx], BLANK
        jne     refused
        mov     cells[bx], CROSS
        call    play_nbc
        mov     turn_flag, 1
        call    show_board
        clc
        ret
refused:
        dec     move_number
        jmp     try_again
board_full:
        stc
        ret
human_turn endp

        end     start
