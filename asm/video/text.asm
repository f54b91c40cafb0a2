; text.asm: all characters and attributes in the text mode of the command line (00 to 03, 07).
;
; Codes continue from cell to cell; the row is the attribute's high digit, the column's sixteenth
; its low digit. Two lines of teletype output follow below. INT 10h AH=00h, 02h, 0Eh; INT 16h
; AH=00h. Assembles with UASM and JWasm.

        include video.inc

        .model  tiny
        .code
        org     100h

start:  take_argument
        mov     mode, al
        mov     ah, 00h
        int     10h
        mov     bx, 0B800h
        cmp     mode, 7
        jne     in_colour
        mov     bx, 0B000h
in_colour:
        mov     es, bx
        push    ds
        mov     bx, 40h
        mov     ds, bx
        mov     bl, ds:[4Ah]            ; columns
        pop     ds
        xor     di, di
        xor     cx, cx                  ; CH row, CL column
        xor     si, si                  ; the cell
next_cell:
        mov     al, cl                  ; column / (columns / 16)
        xor     ah, ah
        mov     dl, bl
        shr     dl, 1
        shr     dl, 1
        shr     dl, 1
        shr     dl, 1
        div     dl
        mov     dh, ch
        shl     dh, 1
        shl     dh, 1
        shl     dh, 1
        shl     dh, 1
        add     dh, al                  ; the attribute
        mov     ax, si
        mov     ah, dh
        stosw
        inc     si
        inc     cl
        cmp     cl, bl
        jb      next_cell
        xor     cl, cl
        inc     ch
        cmp     ch, 20
        jb      next_cell

        mov     ah, 02h
        mov     bh, 0
        mov     dx, 1500h
        int     10h
        mov     si, offset greeting
next_character:
        lodsb
        or      al, al
        jz      written
        mov     ah, 0Eh
        int     10h
        jmp     next_character
written:
        finish

        define_hex_digit

mode    db      ?
greeting db     'Hello, world!', 13, 10, 'C:\>', 0

        end     start
