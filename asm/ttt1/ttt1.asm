; TTT1: tic-tac-toe on two bitmaps.
;
; The human is X, the computer O. After Randall Hyde's program of 1996 and with its behaviour,
; including quirks; the text is our own. Keys 0 to 8 are the cells row by row, q leaves.
;
; DOS calls: INT 21h AH=02h (write a character), 08h (read a key), 09h (write a text), 4Ch (exit).
; Any 8086. Assembles with UASM and JWasm.

        include dos.inc

        .model  small
        .stack  256

; A side is a word: bits 0 to 7 run clockwise around the edge from the upper left, bit 8 is the
; centre. So a quarter turn of the board rotates the low byte by two bits.
CORNER  equ     001h
CENTRE  equ     100h
FULL    equ     1FFh

CELLS   equ     9

; A pattern: if (side AND check) = expect and the target is free, the target is the move.
pattern struct
check   dw      ?
expect  dw      ?
target  db      ?
pattern ends

        .data

human    dw     0               ; the Xs
computer dw     0               ; the Os

mask_of dw      001h, 002h, 004h        ; the bit of each key's cell
        dw      080h, 100h, 008h
        dw      040h, 020h, 010h

; Two Os in a row and the cell that completes them, in one of the four turns.
winning pattern <006h, 006h, 01h>
        pattern <0C0h, 0C0h, 01h>
        pattern <110h, 110h, 01h>
        pattern <005h, 005h, 02h>
        pattern <120h, 120h, 02h>
WINNING_PATTERNS equ 5

; The same for X, then six that look further ahead. These six have the targets that the original
; executes: it reads them past the end of the table for O. So three of them never play, and three
; play a cell that their author did not intend.
blocking pattern <006h, 006h, 01h>
        pattern <0C0h, 0C0h, 01h>
        pattern <110h, 110h, 01h>
        pattern <005h, 005h, 02h>
        pattern <120h, 120h, 02h>
        pattern <1FFh, 044h, 06h>
        pattern <0C7h, 082h, 0C0h>
        pattern <0C7h, 084h, 10h>
        pattern <0C7h, 044h, 05h>
        pattern <122h, 100h, 20h>
        pattern <111h, 100h, 0FFh>
BLOCKING_PATTERNS equ 11

separator db    '---+---+---  ---+---+---', CR, LF, '$'
gap       db    '  $'
prompt    db    'Your move:$'
line_end  db    CR, LF, '$'
game_over db    CR, LF, 'Game Over', CR, LF, '$'

        .code

start:  mov     ax, @data
        mov     ds, ax

        call    show_boards
        call    human_move
        mov     bx, CENTRE              ; the first reply needs no search
        test    human, CENTRE
        jz      first_reply
        mov     bx, CORNER
first_reply:
        mov     computer, bx

next_turn:
        call    show_boards
        call    human_move
        mov     ax, human
        or      ax, computer
        cmp     ax, FULL
        je      over
        call    computer_move
        jnc     next_turn
        mov     al, bl                  ; the Os of the edge, turned like the winning pattern

; The exit code is AL, as the original leaves it: this value, or FFh for a full board.
over:   push    ax
        call    show_boards
        put_text game_over
        pop     ax
        mov     ah, 4Ch
        int     21h

; Prints an empty line, then the keys of free cells on the left and the pieces on the right, row by
; row. Changes AX, BX, CX, DX, SI.
show_boards proc
        put_text line_end
        xor     si, si                  ; twice the cell, an index into mask_of
show_row:
        mov     cx, 3
        call    show_keys
        put_text gap
        sub     si, 2 * 3
        mov     cx, 3
        call    show_pieces
        put_text line_end
        cmp     si, 2 * CELLS
        jae     shown
        put_text separator
        jmp     show_row
shown:  ret
show_boards endp

; Prints the keys of free cells among the CX cells from SI. Changes AX, BX, CX, DX; SI moves past
; them.
show_keys proc
        mov     ax, human
        or      ax, computer
        mov     bl, ' '
        test    ax, mask_of[si]
        jnz     taken
        mov     bx, si
        shr     bx, 1
        add     bl, '0'
taken:  call    show_cell
        loop    show_keys
        ret
show_keys endp

; Prints the pieces on the CX cells from SI. Changes AX, BX, CX, DX; SI moves past them.
show_pieces proc
        mov     ax, mask_of[si]
        mov     bl, 'X'
        test    ax, human
        jnz     known
        mov     bl, 'O'
        test    ax, computer
        jnz     known
        mov     bl, ' '
known:  call    show_cell
        loop    show_pieces
        ret
show_pieces endp

; Prints a cell that contains BL, and a bar unless it is the last of CX. Changes AX, DX; SI moves to
; the next cell.
show_cell proc
        put_char ' '
        put_char bl
        put_char ' '
        cmp     cx, 1
        je      last
        put_char '|'
last:   inc     si
        inc     si
        ret
show_cell endp

; Asks for a free cell, and puts an X there. q ends the program. Changes AX, BX, DX.
human_move proc
        put_text prompt
        jmp     ask
bad_input:
        put_char BEL
ask:    read_key
        mov     bl, al
        put_char bl                     ; the echo shows q too
        cmp     bl, 'Q'
        je      leave_game
        cmp     bl, 'q'
        je      leave_game
        sub     bl, '0'
        cmp     bl, CELLS
        jae     bad_input
        xor     bh, bh
        shl     bx, 1
        mov     ax, human
        or      ax, computer
        test    ax, mask_of[bx]
        jnz     bad_input
        mov     ax, mask_of[bx]
        or      human, ax
        ret
leave_game:
        exit_program 'q'                ; as in the original, where the key is in AL
human_move endp

; Puts an O. CF is set if the game is over: O has three in a row, or there is no free cell. Changes
; AX, BX, CX, DX, SI.
computer_move proc
        mov     si, offset winning
        mov     cx, WINNING_PATTERNS
        mov     ax, computer
        call    find_pattern
        jc      played                  ; CF: this move wins

        mov     si, offset blocking
        mov     cx, BLOCKING_PATTERNS
        mov     ax, human
        call    find_pattern
        cmc
        jnc     played

        mov     ax, human               ; the first free cell of the edge; the centre is already taken
        or      ax, computer
        mov     dl, 01h
try_edge:
        test    al, dl
        jz      found
        shl     dl, 1
        jnz     try_edge
        stc                             ; no cell left
        ret
found:  or      byte ptr computer, dl
        clc
played: ret
computer_move endp

; Matches the CX patterns at SI against the side AX, each in four turns of the board, and plays the
; target of the first match. CF is set if there is one. Changes BX, CX, DX, SI, BP.
find_pattern proc
        mov     dh, byte ptr human      ; the edge cells that are taken; these do not turn
        or      dh, byte ptr computer
next_pattern:
        mov     bx, ax
        mov     dl, [si].pattern.target
try_turn:
        mov     bp, bx
        and     bp, [si].pattern.check
        cmp     bp, [si].pattern.expect
        jne     turn
        test    dh, dl
        jz      fits
turn:   ror     bl, 1                   ; turn the side by a quarter
        ror     bl, 1
        shl     dl, 1                   ; turn the target back, until it has left the board
        shl     dl, 1
        jnz     try_turn
        add     si, size pattern
        loop    next_pattern
        clc
        ret
fits:   or      byte ptr computer, dl
        stc
        ret
find_pattern endp

        end     start
