; Boot sector of a floppy disk that runs a .COM program without DOS. browser.mjs writes the program to the
; sectors after it. Before the program starts, 02h (start of text) is written to COM1. INT 21h AH=02h writes
; DL there; INT 20h and every other call of INT 21h write 04h (end of transmission) and halt.
        cpu 8086
        bits 16
        org 7C00h
program equ 1000h               ; segment of the program

        xor     ax, ax
        mov     ss, ax
        mov     sp, 7C00h
        mov     ds, ax
        mov     word [20h*4], leave
        mov     [20h*4+2], ax
        mov     word [21h*4], dos
        mov     [21h*4+2], ax
        mov     ax, program + 10h
        mov     es, ax
        mov     cx, 2           ; cylinder 0, sector 2
        xor     dh, dh          ; head 0
sector: mov     ax, 0201h
        xor     bx, bx
        mov     dl, 0
        int     13h
        jc      sector
        mov     ax, es
        add     ax, 20h
        mov     es, ax
        inc     cl
        cmp     cl, 18
        jbe     more
        mov     cl, 1
        xor     dh, 1
        jnz     more
        inc     ch
more:   dec     byte [sectors]
        jnz     sector

        mov     al, 2
        call    send
        mov     ax, program
        mov     ds, ax
        mov     es, ax
        mov     ss, ax
        mov     sp, 0FFFEh
        mov     word [0], 20CDh ; INT 20h, to which RET goes
        xor     ax, ax
        push    ax
        push    ds
        mov     ax, 100h
        push    ax
        xor     ax, ax
        xor     bx, bx
        xor     cx, cx
        xor     dx, dx
        retf

dos:    cmp     ah, 2
        jne     leave
        push    ax
        mov     al, dl
        call    send
        pop     ax
        iret

leave:  mov     al, 4
        call    send
halt:   cli
        hlt
        jmp     halt

; Writes AL to COM1.
send:   push    dx
        mov     dx, 3F8h
        out     dx, al
        pop     dx
        ret

sectors db      127             ; of the program, which has at most 65,024 bytes
        times   510-($-$$) db 0
        dw      0AA55h
