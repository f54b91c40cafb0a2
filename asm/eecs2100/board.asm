; board.asm: the position of the EECS-2100 game, the computer's choice and the test for three in a row.
;
; The cells form a ring, so a quarter turn of the board moves its eight bytes by two places. All
; patterns are matched at the top left corner and the top edge, in four turns of the board.

        include eecs2100.inc

        .data

cells   db      9 dup (BLANK)

centre  equ     cells[8]

        .code

; Makes all cells blank. Changes CX, DI.
clear_board proc
        mov     di, 9
next_cell:
        dec     di
        mov     cells[di], BLANK
        jnz     next_cell
        ret
clear_board endp

; Turns the board clockwise by a quarter turn. Keeps all registers and flags.
turn_board proc
        push    ax
        mov     ax, word ptr cells[6]
        xchg    ax, word ptr cells[0]
        xchg    ax, word ptr cells[2]
        xchg    ax, word ptr cells[4]
        mov     word ptr cells[6], ax
        pop     ax
        ret
turn_board endp

; Sets the computer's o: to win, else to block, else by look-ahead, else on the last free cell.
; Changes AX, BX, CX, SI.
computer_move proc
        mov     si, offset find_pair
        mov     al, RING
        call    in_four_turns
        jc      moved
        mov     al, CROSS
        call    in_four_turns
        jc      moved
        mov     si, offset look_ahead
        call    in_four_turns
        jc      moved
        mov     bx, 9
try_cell:
        dec     bx
        cmp     cells[bx], BLANK
        jne     try_cell
        mov     cells[bx], RING
moved:  ret
computer_move endp

; Calls SI on the board in each of its four turns, until it returns CF set and a cell in BX. Sets
; the o there. Restores the board; CF is set if an o was set. Changes BX, CX.
in_four_turns proc
        mov     cx, 4
view:   call    si
        jc      place
        call    turn_board
        loop    view
        clc
        ret
place:  mov     cells[bx], RING
back:   call    turn_board
        loop    back
        stc
        ret
in_four_turns endp

; Finds a corner or edge that completes three of mark AL: CF set, its place in BX, 0 or 1.
find_pair proc
        mov     bx, 0
        cmp     cells[0], BLANK
        jne     edge
        cmp     cells[1], al            ; the top row
        jne     left_column
        cmp     cells[2], al
        je      found
left_column:
        cmp     cells[7], al
        jne     diagonal
        cmp     cells[6], al
        je      found
diagonal:
        cmp     centre, al
        jne     edge
        cmp     cells[4], al
        je      found
edge:   mov     bx, 1
        cmp     cells[1], BLANK
        jne     no_pair
        cmp     cells[0], al            ; the top row
        jne     middle_column
        cmp     cells[2], al
        je      found
middle_column:
        cmp     centre, al
        jne     no_pair
        cmp     cells[5], al
        je      found
no_pair:
        clc
        ret
found:  stc
        ret
find_pair endp

; Finds a place from which two lines can open: CF set, the place in BX, 0 or 1. The rules are the
; original's, with its oversights: one of them falls through from the computer's centre into the
; code for the human's.
look_ahead proc
        cmp     centre, RING
        je      ring_centre
        cmp     centre, CROSS
        jne     nothing

        ; An x in the centre: the edge opposite a free one. It is not checked itself.
        mov     bx, 1
        cmp     cells[5], BLANK
        je      hit
        cmp     cells[0], BLANK
        jne     nothing
corner_if_opposite_free:
        mov     bx, 0
        cmp     cells[4], BLANK
        je      hit
nothing:
        clc
        ret

ring_centre:
        cmp     cells[0], BLANK
        jne     nothing
        ; Two opposite corners have an x, all other cells are free.
        cmp     cells[2], CROSS
        jne     left_edge
        cmp     cells[6], CROSS
        jne     left_edge
        cmp     cells[1], BLANK
        jne     left_edge
        cmp     cells[3], BLANK
        jne     left_edge
        cmp     cells[4], BLANK
        jne     left_edge
        cmp     cells[5], BLANK
        jne     left_edge
        cmp     cells[7], BLANK
        jne     left_edge
        mov     bx, 1
        jmp     hit

left_edge:
        mov     bx, 0
        cmp     cells[7], CROSS
        jne     lower_corner
        cmp     cells[6], BLANK
        jne     nothing
        cmp     cells[1], CROSS
        jne     top_not_cross
        cmp     cells[2], BLANK
        je      hit
        jmp     corner_if_opposite_free
top_not_cross:
        cmp     cells[1], BLANK
        jne     corner_if_opposite_free
        cmp     cells[2], CROSS
        je      hit
        jmp     nothing

lower_corner:
        cmp     cells[6], CROSS
        jne     nothing
        cmp     cells[7], BLANK
        jne     nothing
hit:    stc
        ret
look_ahead endp

; Sets CF if mark AL has three in a row. The board stays turned if the row was found in a turned
; view. Changes CX.
has_won proc
        call    lines_of_view
        jc      won
        call    turn_board
        call    lines_of_view
        jc      won
        mov     cx, 3
restore:
        call    turn_board
        loop    restore
        clc
won:    ret
has_won endp

; Checks the diagonal and the three columns of the board in its current turn: CF if AL has one of
; them. The middle column is skipped if the left one lacks only its lower end, as in the original;
; no game reaches that.
lines_of_view proc
        cmp     cells[0], al
        jne     middle
        cmp     centre, al
        jne     left
        cmp     cells[4], al
        je      three
left:   cmp     cells[7], al
        jne     middle
        cmp     cells[6], al
        je      three
        jmp     right
middle: cmp     cells[1], al
        jne     right
        cmp     centre, al
        jne     right
        cmp     cells[5], al
        je      three
right:  cmp     cells[2], al
        jne     none
        cmp     cells[3], al
        jne     none
        cmp     cells[4], al
        je      three
none:   clc
        ret
three:  stc
        ret
lines_of_view endp

        end
