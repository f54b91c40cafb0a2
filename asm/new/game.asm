; {name}: tic-tac-toe for two, X begins. Keys 1 to 9 choose a square, q leaves.
; The exit code is 0 for a draw, 1 if X wins, 2 if O wins, 3 if the players left.
;
; Run it:      oxbox run {name}.asm
; Prove it:    oxbox explore {name}.asm --choices "1-9 q" --never crash

        .model  small
        .stack  100h

        .data
board   db      '123456789'             ; a free square holds its key
player  db      'X'
free    db      9                       ; free squares

; The eight rows, as offsets in the board.
rows    db      0,1,2, 3,4,5, 6,7,8, 0,3,6, 1,4,7, 2,5,8, 0,4,8, 2,4,6
ROW_COUNT equ   8

prompt  db      13, 10, 'Player '
who     db      'X, your square? $'
taken   db      13, 10, 'That square is taken.$'
won     db      13, 10, 'Player '
winner  db      'X wins.', 13, 10, '$'
drawn   db      13, 10, 'A draw.', 13, 10, '$'
newline db      13, 10, '$'

        .code
start:  mov     ax, @data
        mov     ds, ax

turn:   call    show_board
ask:    mov     al, player
        mov     who, al
        mov     dx, offset prompt
        call    print

        mov     ah, 1                   ; DOS function 01h: read a key, with echo
        int     21h
        cmp     al, 'q'
        je      leave_game
        cmp     al, '1'
        jb      ask
        cmp     al, '9'
        ja      ask

        mov     bl, al                  ; BX: the square, 0 to 8
        sub     bl, '1'
        mov     bh, 0
        cmp     board[bx], al           ; a free square holds its own key
        jne     is_taken

        mov     al, player
        mov     board[bx], al
        dec     free
        call    has_won
        je      win
        cmp     free, 0
        je      draw

        xor     player, 'X' xor 'O'     ; the other player
        jmp     turn

is_taken:
        mov     dx, offset taken
        call    print
        jmp     ask

win:    call    show_board
        mov     al, player
        mov     winner, al
        mov     dx, offset won
        call    print
        mov     al, 1
        cmp     player, 'X'
        je      finish
        mov     al, 2
        jmp     finish

draw:   call    show_board
        mov     dx, offset drawn
        call    print
        mov     al, 0
        jmp     finish

leave_game:
        mov     al, 3

finish: mov     ah, 4Ch                 ; end; AL is the exit code
        int     21h

; Sets the zero flag if the player has a row. Changes AL, BX, CX and SI.
has_won proc
        mov     si, offset rows
        mov     cx, ROW_COUNT
        mov     al, player
        mov     bh, 0
one_row:
        mov     bl, [si]
        cmp     board[bx], al
        jne     next_row
        mov     bl, [si + 1]
        cmp     board[bx], al
        jne     next_row
        mov     bl, [si + 2]
        cmp     board[bx], al
        je      row_found               ; the zero flag is set
next_row:
        add     si, 3
        loop    one_row
        or      al, al                  ; AL is not 0: clears the zero flag
row_found:
        ret
has_won endp

; Prints the board, three squares a line. Changes AX, CX, DX and SI.
show_board proc
        mov     si, offset board
        mov     cx, 9
one_square:
        cmp     cx, 9
        je      new_line
        cmp     cx, 6
        je      new_line
        cmp     cx, 3
        jne     same_line
new_line:
        mov     dx, offset newline
        call    print
same_line:
        mov     dl, [si]
        mov     ah, 2                   ; DOS function 02h: print the character in DL
        int     21h
        mov     dl, ' '
        int     21h
        inc     si
        loop    one_square
        ret
show_board endp

; Prints the text at DX, up to '$'. Changes AX.
print   proc
        mov     ah, 9
        int     21h
        ret
print   endp

        end     start
