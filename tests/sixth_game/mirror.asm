; MIRROR: a game that oxbox does not carry, to show what a game takes. The computer answers opposite, or where that is
; taken in the first free cell. Keys 0 to 8 are the cells row by row; other keys are ignored; q or Esc leaves.
;
; Calls: INT 21h AH=02h, 08h, 09h, 4Ch. Any 8086. Assembles with UASM and JWasm.

        .model  small
        .stack  256

        include dos.inc

        .data

heading db      'MIRROR: 0 to 8 put an X, q leaves', CR, LF, '$'
x_wins  db      CR, LF, 'You win.', CR, LF, '$'
o_wins  db      CR, LF, 'I win.', CR, LF, '$'
drawn   db      CR, LF, 'A draw.', CR, LF, '$'

; Three in a row, one bit per cell: rows, columns, diagonals.
lines   dw      007h, 038h, 1C0h, 049h, 092h, 124h, 111h, 054h
lines_end equ   $
ALL_NINE equ    1FFh

        .code

; Through the game BX are the user's cells, BP the computer's, one bit per cell.
start:  mov     ax, @data
        mov     ds, ax
        xor     bx, bx
        xor     bp, bp
        put_text heading

ask:    read_key
        leave_on_q leave_game
        sub     al, '0'
        cmp     al, 8
        ja      ask
        mov     cl, al
        call    is_free
        jnz     ask
        or      bx, ax
        call    show
        mov     di, offset x_wins
        mov     ax, bx
        call    has_line
        jc      over

        neg     cl                      ; opposite: 8 less the cell
        add     cl, 8
        call    is_free
        jz      answer
        mov     cl, -1
next_cell:
        inc     cl
        call    is_free
        jnz     next_cell
answer: or      bp, ax
        put_char '-'
        call    show
        put_char ' '
        mov     di, offset o_wins
        mov     ax, bp
        call    has_line
        jnc     ask

over:   mov     dx, di
        mov     ah, 09h
        int     21h
leave_game:
        exit_program 0

; The bit of cell CL in AX; ZF=1 if it is free. Changes DX.
is_free proc
        mov     ax, 1
        shl     ax, cl
        mov     dx, bx
        or      dx, bp
        test    dx, ax
        ret
is_free endp

; CF=1 if AX holds three in a row, or the board is full: then DI is the text to say so. Changes DX, SI.
has_line proc
        mov     si, offset lines
next_line:
        mov     dx, ax
        and     dx, [si]
        cmp     dx, [si]
        je      yes
        add     si, 2
        cmp     si, offset lines_end
        jb      next_line
        mov     dx, bx
        or      dx, bp
        mov     di, offset drawn
        cmp     dx, ALL_NINE
        je      yes
        clc
        ret
yes:    stc
        ret
has_line endp

; Writes the digit of cell CL. Changes AX, DL.
show    proc
        mov     dl, cl
        add     dl, '0'
        mov     ah, 02h
        int     21h
        ret
show    endp

        end     start
