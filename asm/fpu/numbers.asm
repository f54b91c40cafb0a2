; numbers.asm: constants and functions to 15 places, with the instructions of an 8087.
;
; A number is multiplied by 10^15 and stored as packed decimal (FBSTP), which is printed. Assembles with UASM and JWasm.

        .model  tiny
        .8087
        .code
        org     100h

start:  finit
        mov     si, offset names
        fldpi
        call    print
        fld     two
        fsqrt
        call    print
        fldl2t
        call    print
        fldl2e
        call    print
        fldlg2
        call    print
        fldln2
        call    print
        fld     half                    ; 2^0.5 - 1
        f2xm1
        call    print
        fld     half                    ; tan 0.5: y over x
        fptan
        fdivp   st(1), st
        call    print
        fld1                            ; 4 atan 1
        fld1
        fpatan
        fmul    four
        call    print
        fldln2                          ; ln 10
        fld     ten
        fyl2x
        call    print
        fldln2                          ; ln 1.125
        fld     eighth
        fyl2xp1
        call    print
        fld     ten                     ; 10 mod 3, negative
        fchs
        fld     three
        fxch
        fprem
        fstp    st(1)
        call    print
        fild    thousands               ; 12345 times 2^-10
        fild    minus_ten
        fxch
        fscale
        fstp    st(1)
        call    print
        fld1                            ; 1/7
        fidiv   seven
        call    print
        mov     ax, 4C00h
        int     21h

; Prints the name at SI and ST(0), and pops it; SI moves to the next name.
print:  lodsb
        or      al, al
        jz      named
        call    put
        jmp     print
named:  fimul   million
        fimul   million
        fimul   thousand
        fbstp   tbyte ptr decimal
        fwait
        mov     al, ' '
        test    decimal + 9, 80h
        jz      sign
        mov     al, '-'
sign:   call    put
        mov     bx, 8
        mov     al, decimal[bx]
        call    pair
        dec     bx
        mov     al, decimal[bx]
        mov     cl, 4
        shr     al, cl
        call    digit
        mov     al, '.'
        call    put
        mov     al, decimal[bx]
        call    digit
next:   dec     bx
        js      line
        mov     al, decimal[bx]
        call    pair
        jmp     next
line:   mov     al, 13
        call    put
        mov     al, 10
        jmp     put

pair:   push    ax
        mov     cl, 4
        shr     al, cl
        call    digit
        pop     ax
digit:  and     al, 0Fh
        add     al, '0'
put:    push    ax
        mov     dl, al
        mov     ah, 02h
        int     21h
        pop     ax
        ret

two         dd      2.0
three       dd      3.0
four        dd      4.0
ten         dq      10.0
half        dt      0.5
eighth      dd      0.125
thousand    dw      1000
million     dd      1000000
seven       dw      7
thousands   dq      12345
minus_ten   dw      -10
decimal     db      10 dup (0)
names       db      'pi        ', 0
            db      'sqrt 2    ', 0
            db      'log2 10   ', 0
            db      'log2 e    ', 0
            db      'log10 2   ', 0
            db      'ln 2      ', 0
            db      '2^0.5 - 1 ', 0
            db      'tan 0.5   ', 0
            db      '4 atan 1  ', 0
            db      'ln 10     ', 0
            db      'ln 1.125  ', 0
            db      '-10 mod 3 ', 0
            db      '12345/1024', 0
            db      '1/7       ', 0

        end     start
