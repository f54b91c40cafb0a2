; tweak.asm: sixteen colours on a CGA: 80-column text of rows of two scan lines, 160x100 blocks, by the 6845's registers.
;
; Each cell is character DEh, the right half block: background and foreground are two pixels.
; Colours are x + y. A VGA shows another picture. INT 10h AH=00h; INT 16h AH=00h. Assembles with
; UASM and JWasm.

        include video.inc

CELLS   equ     80 * 100

        .model  tiny
        .code
        org     100h

start:  mov     ax, 0003h
        int     10h
        mov     dx, 3D8h                ; the picture off, 80 columns
        mov     al, 01h
        out     dx, al
        mov     dx, CRTC
        mov     si, offset registers
        cld
next_register:
        lodsw
        cmp     ax, 0FFFFh
        je      programmed
        out     dx, al
        inc     dx
        mov     al, ah
        out     dx, al
        dec     dx
        jmp     next_register
programmed:
        mov     ax, 0B800h
        mov     es, ax
        xor     di, di
        xor     dx, dx                  ; y
next_line:
        xor     cx, cx                  ; x
next_cell:
        mov     al, cl
        add     al, dl
        shr     al, 1
        and     al, 0Fh
        mov     bl, al
        mov     ah, cl
        add     ah, dl
        inc     ah
        shr     ah, 1
        and     ah, 0Fh
        shl     bl, 1
        shl     bl, 1
        shl     bl, 1
        shl     bl, 1
        or      ah, bl
        mov     al, 0DEh
        stosw
        inc     cx
        cmp     cx, 80
        jb      next_cell
        inc     dx
        cmp     dx, 100
        jb      next_line
        mov     dx, 3D8h                ; on, and no blinking
        mov     al, 09h
        out     dx, al
        finish

; 127 + 1 rows and 6 lines per frame, 100 of them shown, the retrace from row 112 on, two lines per row.
registers dw    7F04h, 6406h, 7007h, 0109h, 0FFFFh

        end     start
