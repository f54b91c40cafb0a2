; PARITY: eight switches and their parity. Keys 0 to 7 turn a switch, c clears all, q leaves; the exit code
; is how many are on. Other keys are ignored.
;
; Calls: INT 21h AH=02h, 08h, 09h, 4Ch. Any 8086. Assembles with UASM and JWasm.

        .model  tiny
        .code
        org     100h

start:  xor     bx, bx                  ; BL: the switches

show:   mov     dl, 13
        call    put
        mov     cx, 8
        mov     bh, bl
digit:  mov     dl, '0'
        rol     bh, 1
        adc     dl, 0
        call    put
        loop    digit
        mov     dx, offset is_even
        or      bl, bl
        jpe     say
        mov     dx, offset is_odd
say:    mov     ah, 9
        int     21h

ask:    mov     ah, 8
        int     21h
        cmp     al, 'q'
        je      leave_it
        cmp     al, 'c'
        je      start
        sub     al, '0'
        cmp     al, 7
        ja      ask
        mov     cl, al
        mov     al, 1
        shl     al, cl
        xor     bl, al
        jmp     show

leave_it:
        mov     cx, 8
        xor     al, al
count:  shr     bl, 1
        adc     al, 0
        loop    count
        mov     ah, 4Ch
        int     21h

put:    mov     ah, 2
        int     21h
        ret

is_even db      ' even$'
is_odd  db      ' odd $'

        end     start
