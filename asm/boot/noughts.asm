; Noughts and crosses in a boot sector. The computer is O and searches to the end of the game. It
; also runs as a COM file, and assembles with MASM, JWasm and UASM.
;
; From a disk, it counts the games in its own sector.

        .8086
code    segment
        assume cs:code, ds:code, es:code, ss:nothing
        org     100h

BOOT_SEGMENT equ 07B0h          ; 07B0:0100 is 0000:7C00
OTHER   equ     'X' xor 'O'

start:  mov     ax, cs
        or      ax, ax
        jnz     here            ; a COM file has no disk
        db      0EAh            ; jmp BOOT_SEGMENT:booted
        dw      offset booted, BOOT_SEGMENT
booted: mov     cs:disk, dl
here:   push    cs
        pop     ds
        push    cs
        pop     es
        cld
        mov     si, offset title_
        call    print

game:   mov     di, offset board
        mov     al, '1'
number: stosb
        inc     ax
        cmp     al, '9'
        jbe     number

turn:   call    show
ask:    mov     ah, 0
        int     16h
        cmp     al, 'q'
        je      quit
        sub     al, '1'
        cmp     al, 8
        ja      ask
        mov     bl, al
        mov     bh, 0
        cmp     board[bx], '9'
        ja      ask             ; taken
        mov     dl, 'X'
        mov     board[bx], dl
        call    ended
        jnz     over
        mov     dl, 'O'
        call    best
        mov     board[bx], dl
        call    ended
        jz      turn

over:   push    ax
        call    show
        pop     ax
        mov     si, offset drawn
        cmp     al, '='
        je      tell
        call    put
        mov     si, offset wins
tell:   call    print
        inc     games
        mov     al, games
        aam                     ; tens and units
        add     ax, '00'
        push    ax
        mov     al, ah
        call    put
        pop     ax
        call    put
        mov     dl, disk
        cmp     dl, 0FFh
        je      game
        mov     ax, 0301h       ; write the sector back to the disk
        mov     bx, offset start
        mov     cx, 1
        mov     dh, 0
        int     13h
        jnc     game
        mov     si, offset failed
        call    print
        jmp     game

quit:   cmp     disk, 0FFh
        jne     reboot
        int     20h
reboot: int     19h

; Returns in AL the winner, '=' for a full board, or 0 (ZF) if the game continues. Changes BX and
; SI.
ended:  mov     si, offset lines
        xor     bx, bx
line:   lodsb
        mov     bl, al
        mov     ah, board[bx]
        lodsb
        mov     bl, al
        lodsb
        cmp     ah, board[bx]
        jne     missed
        mov     bl, al
        mov     al, ah
        cmp     ah, board[bx]
        je      told
missed: cmp     si, offset lines + 24
        jb      line
        mov     bl, 8
place:  mov     al, 0
        cmp     board[bx], '9'
        jbe     told
        dec     bx
        jns     place
        mov     al, '='
told:   or      al, al
        ret

; DL is to move. Returns in AL its best result (1, 0 or -1), and in BX the move that leads to it.
best:   push    cx
        mov     cx, 0FE00h      ; best so far: -2, no move
        mov     bx, 8
try:    mov     al, board[bx]
        cmp     al, '9'
        ja      next
        push    ax
        push    bx
        mov     board[bx], dl
        call    ended
        jnz     final
        xor     dl, OTHER
        call    best
        xor     dl, OTHER
        neg     al
        jmp     short value
final:  cmp     al, '='
        mov     al, 0
        je      value
        inc     ax
value:  pop     bx
        cmp     al, ch
        jle     worse
        mov     ch, al
        mov     cl, bl
worse:  pop     ax
        mov     board[bx], al
next:   dec     bx
        jns     try
        mov     al, ch
        mov     bl, cl
        mov     bh, 0
        pop     cx
        ret

show:   mov     si, offset board
        mov     bl, 3
row:    push    si
        mov     si, offset crlf
        call    print
        pop     si
        mov     cl, 3
cell:   lodsb
        call    put
        dec     cl
        jnz     cell
        dec     bl
        jnz     row
        mov     si, offset crlf
; Prints the zero-terminated text at SI.
print:  lodsb
        or      al, al
        jz      printed
        call    put
        jmp     print
printed: ret

put:    push    bx
        mov     ah, 0Eh
        mov     bx, 7
        int     10h
        pop     bx
        ret

lines   db      0,1,2, 3,4,5, 6,7,8, 0,3,6, 1,4,7, 2,5,8, 0,4,8, 2,4,6
title_  db      'Noughts and crosses: 1-9, q', 0
wins    db      ' wins', 0
drawn   db      'Drawn', 0
failed  db      ' (not saved)', 0
crlf    db      13, 10, 0
disk    db      0FFh
games   db      0
board   db      9 dup (0)

        org     2FEh
        dw      0AA55h
code    ends
        end     start
