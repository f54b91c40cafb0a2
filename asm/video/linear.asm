; linear.asm: mode 13h: x XOR y in 256 colours of its own palette, with a frame.
;
; DAC: red falls, green rises in the middle, blue rises with the index. INT 10h AH=00h; INT 16h AH=00h. Assembles with UASM and
; JWasm.

        include video.inc

        .model  tiny
        .code
        org     100h

start:  mov     ax, 0013h
        int     10h
        mov     dx, DAC_WRITE
        xor     al, al
        out     dx, al
        inc     dx
        xor     cx, cx                  ; the colour
next_colour:
        mov     al, cl
        shr     al, 1
        shr     al, 1
        mov     ah, al                  ; 0 to 63
        not     al
        and     al, 3Fh
        out     dx, al                  ; red
        mov     al, cl
        test    al, 80h
        jz      rising
        not     al
rising: shr     al, 1
        out     dx, al                  ; green
        mov     al, ah
        out     dx, al                  ; blue
        inc     cl
        jnz     next_colour

        mov     ax, 0A000h
        mov     es, ax
        cld
        xor     di, di
        xor     dx, dx                  ; y
next_line:
        xor     cx, cx                  ; x
next_pixel:
        mov     al, cl
        xor     al, dl
        cmp     cx, 0
        je      edge
        cmp     cx, 319
        je      edge
        cmp     dx, 0
        je      edge
        cmp     dx, 199
        jne     store
edge:   mov     al, 127
store:  stosb
        inc     cx
        cmp     cx, 320
        jb      next_pixel
        inc     dx
        cmp     dx, 200
        jb      next_line
        finish

        end     start
