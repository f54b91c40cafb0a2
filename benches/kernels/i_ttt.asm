; (i) every game of tic-tac-toe, N times: calls, tables, compares with memory. Result = 255168 games = E4C0h (low word)
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 10
%endif
        mov     bp, N
again:  mov     word [games], 0
        xor     cx, cx
        mov     dl, 1
        call    play
        dec     bp
        jnz     again
        mov     ax, [games]
%include "common.inc"
        FINISH
; every game that continues with a move of DL; CX marks are on the board
play:   push    di
        xor     di, di
move:   cmp     byte [board+di], 0
        jne     taken
        mov     [board+di], dl
        inc     cx
        call    won
        jz      over
        cmp     cx, 9
        je      over
        xor     dl, 3
        call    play
        xor     dl, 3
        jmp     short undo
over:   inc     word [games]
undo:   dec     cx
        mov     byte [board+di], 0
taken:  inc     di
        cmp     di, 9
        jb      move
        pop     di
        ret
; ZF when DL has three in a row
won:    push    si
        push    bx
        mov     si, lines
        xor     bh, bh
line:   mov     bl, [si]
        cmp     [board+bx], dl
        jne     next
        mov     bl, [si+1]
        cmp     [board+bx], dl
        jne     next
        mov     bl, [si+2]
        cmp     [board+bx], dl
        je      done
next:   add     si, 3
        cmp     si, lines+24
        jne     line
        or      si, si
done:   pop     bx
        pop     si
        ret
lines:  db 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 3, 6, 1, 4, 7, 2, 5, 8, 0, 4, 8, 2, 4, 6
games:  dw 0
board:  times 9 db 0
