; errors.asm: an unmasked division by zero, delivered by the BIOS: INT 02h, by NMI on an 8087, and
; by IRQ 13 and INT 75h on later coprocessors.
;
; The handler prints the status word and whether the last instruction's address is that of the
; division, clears the exception and returns. The program continues with its operands unchanged.
; Assembles with UASM and JWasm.

        .model  tiny
        .8087
        .code
        org     100h

start:  mov     ax, 2502h
        mov     dx, offset handler
        int     21h
        finit
        fldcw   zero_divide
        fld1
        fldz
division:
        fdiv    st(1), st
        fstp    st                      ; the zero
        fistp   result
        fwait
        mov     ax, result
        add     al, '0'
        mov     left, al
        mov     dx, offset went_on
        mov     ah, 09h
        int     21h
        mov     ax, 4C00h
        int     21h

handler:
        push    ax
        push    bx
        push    cx
        push    dx
        fnstenv environment
        mov     ax, environment + 2
        mov     cx, 4
        mov     bx, offset digits
next:   push    cx
        mov     cl, 4
        rol     ax, cl
        pop     cx
        mov     dl, al
        and     dl, 0Fh
        add     dl, '0'
        cmp     dl, '9'
        jbe     is_digit
        add     dl, 7
is_digit:
        mov     [bx], dl
        inc     bx
        loop    next
        mov     dx, offset caught
        mov     ah, 09h
        int     21h

        mov     ax, cs                  ; the linear address, its lower 16 bits
        mov     cl, 4
        shl     ax, cl
        add     ax, offset division
        mov     dx, offset at_division
        sub     ax, environment + 6
        jz      print
        inc     ax                      ; an 8087 stores the opcode's, after WAIT and prefixes
        jz      print
        mov     dx, offset elsewhere
print:  mov     ah, 09h
        int     21h
        fnclex
        fldcw   zero_divide
        pop     dx
        pop     cx
        pop     bx
        pop     ax
        iret

zero_divide dw      037Bh
environment dw      7 dup (0)
result      dw      0
caught      db      'caught, status '
digits      db      '....$'
at_division db      ' at the division', 13, 10, '$'
elsewhere   db      ' elsewhere', 13, 10, '$'
went_on     db      'went on with '
left        db      '?', 13, 10, '$'

        end     start
