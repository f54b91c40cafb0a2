; cga.asm: the CGA's graphics modes (command line 04, 05 or 06): two interleaved halves at B800h.
;
; Four bars of the four colours at the top, bytes x XOR y below, and a line at the top and at the
; bottom that only fits if the halves are at the right addresses. INT 10h AH=00h; INT 16h AH=00h.
; Assembles with UASM and JWasm.

        include video.inc

BYTES   equ     80
LINES   equ     200

        .model  tiny
        .code
        org     100h

start:  take_argument
        mov     ah, 00h
        int     10h
        mov     ax, 0B800h
        mov     es, ax
        cld
        xor     dx, dx                  ; the line
next_line:
        mov     ax, dx                  ; 2000h for odd lines, 80 bytes per two lines
        shr     ax, 1
        mov     bx, BYTES
        push    dx
        mul     bx
        pop     dx
        mov     di, ax
        test    dl, 1
        jz      is_even
        add     di, 2000h
is_even:
        xor     cx, cx                  ; the byte
next_byte:
        mov     al, cl
        xor     al, dl
        cmp     dl, LINES / 2
        jae     store
        mov     al, cl                  ; a quarter of the line each
        xor     ah, ah
        mov     bl, BYTES / 4
        div     bl
        mov     bl, 55h
        mul     bl
store:  stosb
        inc     cx
        cmp     cx, BYTES
        jb      next_byte
        inc     dx
        cmp     dx, LINES
        jb      next_line

        mov     al, 0FFh
        xor     di, di
        mov     cx, BYTES
        rep     stosb
        mov     di, 2000h + (LINES / 2 - 1) * BYTES
        mov     cx, BYTES
        rep     stosb
        finish

        define_hex_digit

        end     start
