; compile.asm: compiles a small language to 8086 code, writes it to OUT.COM, and runs that.
;
; The source is standard input, to its end. Statements, with blanks and line ends between any two signs:
;   x=E          x is one of the variables a to z, signed words
;   ?E           prints a number on a line of its own
;   [E ... ]     repeats the following while E is not zero
; E has numbers, variables, brackets, a minus in front, and + - * / % with the usual precedence.
; Exit code: OUT.COM's, 1 for a mistake in the source, 2 where DOS says no. Assembles with UASM and JWasm.

        .model  tiny
        .code
        org     100h

SOURCE      equ 2000h
SOURCE_ROOM equ 0FFFh                   ; and a zero behind it
OUTPUT      equ 3000h
OUTPUT_END  equ 4F00h
STACK_LOW   equ 5040h
STACK_TOP   equ 5800h

start:  mov     sp, STACK_TOP
        mov     bx, STACK_TOP / 16
        mov     ah, 4Ah                 ; gives back the memory behind the stack
        int     21h
        jc      refused
        call    read
        mov     di, OUTPUT
        mov     si, offset runtime
        mov     cx, RUNTIME_BYTES
        rep     movsb
        mov     si, SOURCE
        call    block
        cmp     byte ptr [si], 0        ; a bracket that closes nothing
        jne     mistake
        mov     si, offset leave_it
        mov     cx, LEAVE_BYTES
        rep     movsb
        call    write
        call    run
        mov     ah, 4Ch
        int     21h

refused:
        mov     ax, 4C02h
        int     21h

; Reads standard input to its end. A source that is too long lacks its end.
read:   mov     dx, SOURCE
more:   mov     cx, SOURCE + SOURCE_ROOM
        sub     cx, dx
        xor     bx, bx
        mov     ah, 3Fh
        int     21h
        jc      refused
        add     dx, ax
        or      ax, ax
        jnz     more
        mov     bx, dx
        mov     byte ptr [bx], 0
        ret

write:  mov     dx, offset file
        xor     cx, cx
        mov     ah, 3Ch
        int     21h
        jc      refused
        mov     bx, ax
        mov     dx, OUTPUT
        mov     cx, di
        sub     cx, dx
        mov     ah, 40h
        int     21h
        jc      refused
        mov     ah, 3Eh
        int     21h
        jc      refused
        ret

; Gives the exit code in AL.
run:    mov     parameters + 4, cs
        mov     parameters + 8, cs
        mov     parameters + 12, cs
        mov     bx, offset parameters
        mov     dx, offset file
        mov     ax, 4B00h
        int     21h
        jc      refused
        mov     ah, 4Dh
        int     21h
        ret

; Statements up to a closing bracket or the end of the source, to which SI points then.
block:  call    skip
        cmp     al, ']'
        je      block_ends
        or      al, al
        jz      block_ends
        call    statement
        jmp     block
block_ends:
        ret

statement:
        cmp     di, OUTPUT_END
        jae     mistake
        cmp     sp, STACK_LOW
        jb      mistake
        call    skip
        inc     si
        cmp     al, '?'
        je      print
        cmp     al, '['
        je      repeat_it
        call    variable
        push    ax
        call    skip
        inc     si
        cmp     al, '='
        jne     mistake
        call    expression
        mov     ax, 068Fh               ; pop [address]
        stosw
        pop     ax
        stosw
        ret

print:  call    expression
        mov     ax, 0E858h              ; pop ax; call
        stosw
        mov     ax, PRINT_AT + OUTPUT - 2
        sub     ax, di
        stosw
        ret

repeat_it:
        push    di                      ; where the condition begins
        call    expression
        mov     si_there, si
        mov     si, offset test_it
        mov     cx, TEST_BYTES
        rep     movsb
        mov     si, si_there
        push    di                      ; behind the jump out
        call    block
        cmp     byte ptr [si], ']'
        jne     mistake
        inc     si
        mov     al, 0E9h                ; jmp
        stosb
        pop     bx
        pop     ax
        sub     ax, di
        dec     ax
        dec     ax
        stosw
        mov     ax, di
        sub     ax, bx
        mov     [bx-2], ax
        ret

; Each of these leaves code behind that pushes its value.
expression:
        call    term
sum:    call    skip
        mov     bx, offset add_them
        cmp     al, '+'
        je      another_term
        mov     bx, offset subtract_them
        cmp     al, '-'
        jne     done
another_term:
        inc     si
        push    bx
        call    term
        pop     bx
        call    emit
        jmp     sum

term:   call    factor
product:
        call    skip
        mov     bx, offset multiply_them
        cmp     al, '*'
        je      another_factor
        mov     bx, offset divide_them
        cmp     al, '/'
        je      another_factor
        mov     bx, offset rest_of_them
        cmp     al, '%'
        jne     done
another_factor:
        inc     si
        push    bx
        call    factor
        pop     bx
        call    emit
        jmp     product
done:   ret

factor: cmp     di, OUTPUT_END
        jae     mistake
        cmp     sp, STACK_LOW
        jb      mistake
        call    skip
        cmp     al, '('
        je      bracket
        cmp     al, '-'
        je      negative
        cmp     al, '9'
        jbe     number
        inc     si
        call    variable
        mov     bx, ax
        mov     ax, 36FFh               ; push [address]
        stosw
        mov     ax, bx
        stosw
        ret

bracket:
        inc     si
        call    expression
        call    skip
        inc     si
        cmp     al, ')'
        jne     mistake
        ret

negative:
        inc     si
        call    factor
        mov     bx, offset negate_it
        jmp     emit

number: cmp     al, '0'
        jb      mistake
        xor     ax, ax
digit:  mov     bl, [si]
        sub     bl, '0'
        cmp     bl, 9
        ja      number_ends
        inc     si
        xor     bh, bh
        mov     cx, 10
        mul     cx
        add     ax, bx
        jmp     digit
number_ends:
        mov     bx, ax
        mov     al, 0B8h                ; mov ax, number; push ax
        stosb
        mov     ax, bx
        stosw
        mov     al, 50h
        stosb
        ret

; The letter AL as the address of its variable, in AX.
variable:
        sub     al, 'a'
        cmp     al, 26
        jae     mistake
        xor     ah, ah
        add     ax, ax
        add     ax, VARIABLES_AT
        ret

; AL is the next sign, and SI points to it.
skip:   mov     al, [si]
        dec     al
        cmp     al, ' '
        inc     al
        jae     skipped
        inc     si
        jmp     skip
skipped:
        ret

; Code from BX on, after a byte that tells how much it is.
emit:   push    si
        mov     si, bx
        lodsb
        mov     cl, al
        xor     ch, ch
        rep     movsb
        pop     si
        ret

mistake:
        mov     dx, offset complaint
        mov     ah, 9
        int     21h
        mov     ax, 4C01h
        int     21h

add_them    db  5, 5Bh, 58h, 03h, 0C3h, 50h             ; pop bx; pop ax; add ax, bx; push ax
subtract_them db 5, 5Bh, 58h, 2Bh, 0C3h, 50h
multiply_them db 5, 5Bh, 58h, 0F7h, 0EBh, 50h           ; imul bx
divide_them db  6, 5Bh, 58h, 99h, 0F7h, 0FBh, 50h       ; cwd; idiv bx
rest_of_them db 6, 5Bh, 58h, 99h, 0F7h, 0FBh, 52h       ; push dx
negate_it   db  4, 58h, 0F7h, 0D8h, 50h

test_it label   byte                    ; pop ax; or ax, ax; jnz on; jmp out
        db      58h, 0Bh, 0C0h, 75h, 03h, 0E9h, 0, 0
TEST_BYTES equ  $ - test_it

leave_it    db  0B8h, 00h, 4Ch, 0CDh, 21h             ; mov ax, 4C00h; int 21h
LEAVE_BYTES equ $ - leave_it

file    db      'OUT.COM', 0
tail    db      0, 13
complaint db    'There is a mistake in the source.', 13, 10, '$'
si_there dw     ?
parameters dw   0, offset tail, ?, 5Ch, ?, 6Ch, ?

; The header of OUT.COM.
runtime:
        jmp     code
print_number:
        xor     cx, cx
        mov     bx, 10
        or      ax, ax
        jns     divide
        push    ax
        mov     dl, '-'
        mov     ah, 2
        int     21h
        pop     ax
        neg     ax
divide: xor     dx, dx
        div     bx
        push    dx
        inc     cx
        or      ax, ax
        jnz     divide
show:   pop     dx
        add     dl, '0'
        mov     ah, 2
        int     21h
        loop    show
        mov     dl, 13
        int     21h
        mov     dl, 10
        int     21h
        ret
variables dw    26 dup (0)
code:
RUNTIME_BYTES equ $ - runtime
PRINT_AT    equ print_number - runtime
VARIABLES_AT equ 100h + variables - runtime

        end     start
