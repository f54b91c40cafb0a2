; grid.asm: a tic-tac-toe grid in eighteen bits, and its four procedures.
;
; Two bits per field in a 32-bit word: field 3*y + x from the lowest pair, x and y from 0. The low
; bit of a pair: the field is filled. The high bit: with a cross, else with a circle. After Patrick
; Pedersen's grid for x86-64 (2018).
;
; Arguments: BX = x, DX = y (0 to 2), AL = player (0 circle, 1 cross). Results in AL. All other
; registers are kept. DS is the data group. Needs a 386. At CS:0000 the program lists the addresses
; of the procedures: see `directory`.

        .model  small
        .386

        public  grid, init_grid, set_field, get_field, eval_grid

CIRCLE  equ     01b
CROSS   equ     11b
EMPTY   equ     2                       ; results of get_field

; Tests EDX and its `count`-1 rotations by `turns` for a line of player AL: `full` masks it,
; `circle` is that of a circle. Jumps to line_found. Changes EBX, ECX, EDX, ESI, EDI.
test_lines macro full, circle, turns, count
        local   next, other
        mov     edi, full
        mov     esi, circle
        or      al, al
        jz      other
        mov     esi, full
other:  mov     ecx, count
next:   mov     ebx, edx
        and     ebx, edi
        cmp     ebx, esi
        je      line_found
        ror     edx, turns
        dec     ecx
        jnz     next
endm

        .data

grid    dd      0

        .code

; For external callers: a name, four near procedures, and the grid's offset in the data group. The
; first bytes of the program in memory.
directory db    'GRID18', 0, 0
        dw      init_grid, set_field, get_field, eval_grid
        dw      offset DGROUP:grid

; Empties the grid.
init_grid proc
        mov     grid, 0
        ret
init_grid endp

; Fills a field with a player's mark. It clears nothing, and does not check that the field is free.
set_field proc
        push    eax
        push    cx
        mov     cl, CIRCLE
        or      al, al
        jz      shift_mark
        mov     cl, CROSS
shift_mark:
        movzx   eax, cl
        call    field_shift
        shl     eax, cl
        or      grid, eax
        pop     cx
        pop     eax
        ret
set_field endp

; Returns the content of a field: EMPTY, 0 for a cross, 1 for a circle. The pair is masked in place
; and taken modulo 3.
get_field proc
        push    ebx
        push    ecx
        push    edx
        push    eax
        call    field_shift
        mov     eax, CROSS
        shl     eax, cl
        and     eax, grid
        mov     edx, EMPTY
        jz      answer
        xor     edx, edx
        mov     ebx, 3
        div     ebx
answer: pop     eax
        mov     al, dl
        pop     edx
        pop     ecx
        pop     ebx
        ret
get_field endp

; Returns 1 if a player has three in a row, else 0. Rows, columns, diagonals.
eval_grid proc
        push    ebx
        push    ecx
        push    edx
        push    esi
        push    edi
        mov     edx, grid
        test_lines 3Fh, 15h, 6, 3
        mov     edx, grid
        test_lines 30C3h, 1041h, 2, 3
        mov     edx, grid
        test_lines 30303h, 10101h, 0, 1
        test_lines 3330h, 1110h, 0, 1
        mov     al, 0
        jmp     evaluated
line_found:
        mov     al, 1
evaluated:
        pop     edi
        pop     esi
        pop     edx
        pop     ecx
        pop     ebx
        ret
eval_grid endp

; Returns in CL twice the number of field (BX, DX). Changes CH.
field_shift proc
        mov     cx, dx
        add     cx, dx
        add     cx, dx
        add     cx, bx
        shl     cx, 1
        ret
field_shift endp

        end
