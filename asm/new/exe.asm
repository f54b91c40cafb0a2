; {name}: an EXE program with a procedure. It adds a table and prints the sum.
;
; Run it:    oxbox run {name}.asm
; Step it:   oxbox debug {name}.asm

        .model  small
        .stack  100h

        .data
table   dw      10, 20, 30, 40
count   equ     ($ - table) / 2         ; the number of words in the table

        .code
start:  mov     ax, @data               ; DS is not set when an EXE starts
        mov     ds, ax

        mov     si, offset table
        mov     cx, count
        mov     ax, 0
add_one:
        add     ax, [si]
        add     si, 2                   ; a word has two bytes
        loop    add_one                 ; CX times

        call    print_number

        mov     ax, 4C00h               ; end, with exit code 0
        int     21h

; Prints AX as an unsigned decimal number. Changes AX, BX, CX and DX.
print_number proc
        mov     bx, 10
        mov     cx, 0                   ; the number of digits on the stack
divide: mov     dx, 0                   ; DIV divides DX:AX
        div     bx                      ; AX: the quotient, DX: the last digit
        push    dx
        inc     cx
        or      ax, ax
        jnz     divide
print:  pop     dx                      ; the first digit comes off first
        add     dl, '0'
        mov     ah, 2                   ; DOS function 02h: print the character in DL
        int     21h
        loop    print
        ret
print_number endp

        end     start
