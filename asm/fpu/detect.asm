; detect.asm: prints which coprocessor is present, and whether INT 11h reports it.
;
; FNINIT, then stores the status and control words to initialised memory, which does not change
; without a coprocessor. FENI enables interrupts of the 8087 and is ignored by later ones.
; Infinities of different sign are equal up to the 80287. Assembles with UASM and JWasm.

        .model  tiny
        .8087
        .code
        org     100h

start:  mov     word_there, 5A5Ah
        fninit
        mov     cx, 100                 ; an 8087 needs time
wait_a_bit:
        loop    wait_a_bit
        fnstsw  word_there
        mov     dx, offset none
        cmp     byte ptr word_there, 0
        jne     print
        fnstcw  word_there
        mov     ax, word_there
        and     ax, 103Fh
        cmp     ax, 003Fh
        jne     print

        mov     dx, offset is_8087      ; FDISI sets bit 7 of an 8087's control word
        fndisi
        fnstcw  word_there
        test    byte ptr word_there, 80h
        jnz     print

        mov     dx, offset is_80287
        fld1
        fldz
        fdivp   st(1), st               ; infinity
        fld     st
        fchs
        fcompp
        fstsw   word_there
        mov     ah, byte ptr word_there + 1
        sahf
        je      print
        mov     dx, offset is_80387

print:  mov     ah, 09h
        int     21h
        int     11h
        mov     dx, offset in_equipment
        test    al, 2
        jnz     print_equipment
        mov     dx, offset not_in_equipment
print_equipment:
        mov     ah, 09h
        int     21h
        mov     ax, 4C00h
        int     21h

word_there          dw      0
none                db      'none$'
is_8087             db      '8087$'
is_80287            db      '80287$'
is_80387            db      '80387$'
in_equipment        db      ', in the equipment word', 13, 10, '$'
not_in_equipment    db      ', not in the equipment word', 13, 10, '$'

        end     start
