; {name}: stays resident and counts seconds in the corner of the screen.
;
; Try it at a prompt:   oxbox build {name}.asm -o {name}.com
;                       oxbox shell .        and there: {name}, {name} /u
; {name} /u takes it out of memory again.

        .model  tiny
        .8086
        .code
        org     100h

start:  jmp     install

; ---- What stays resident -------------------------------------------------------

OUR_ID  equ     0C7h                    ; our function number of INT 2Fh

old_1ch dd      0                       ; who had INT 1Ch before
old_2fh dd      0                       ; who had INT 2Fh before
ticks   db      18                      ; timer ticks until the next second
seconds db      '00'

; The BIOS calls INT 1Ch 18.2 times per second. Every register must stay as it was.
on_tick:
        dec     cs:ticks
        jnz     tick_done
        mov     cs:ticks, 18
        push    ax
        push    ds
        push    cs
        pop     ds                      ; our data is in our segment
        inc     seconds + 1
        cmp     seconds + 1, '9'
        jbe     show
        mov     seconds + 1, '0'
        inc     seconds
        cmp     seconds, '9'
        jbe     show
        mov     seconds, '0'
show:   push    es
        mov     ax, 0B800h              ; the text screen
        mov     es, ax
        mov     ah, 1Fh                 ; white on blue
        mov     al, seconds
        mov     es:[78 * 2], ax         ; row 0, column 78
        mov     al, seconds + 1
        mov     es:[79 * 2], ax
        pop     es
        pop     ds
        pop     ax
tick_done:
        jmp     cs:old_1ch              ; others may count ticks, too

; INT 2Fh tells whether we are there: AL becomes FFh and ES our segment.
on_multiplex:
        cmp     ah, OUR_ID
        je      ours
        jmp     cs:old_2fh
ours:   mov     al, 0FFh
        push    cs
        pop     es
        iret

; ---- What is needed once -------------------------------------------------------

install:
        mov     ah, OUR_ID              ; are we resident already?
        mov     al, 0
        int     2Fh
        mov     bl, al                  ; FFh: yes, at segment ES

        mov     si, 81h                 ; the command tail: look for /u
        cld
look:   lodsb
        cmp     al, ' '
        je      look
        cmp     al, '/'
        jne     no_option
        lodsb
        or      al, 20h                 ; small letters and capitals alike
        cmp     al, 'u'
        je      remove

no_option:
        mov     dx, offset there_already
        cmp     bl, 0FFh
        je      say_and_end

        mov     ax, 351Ch               ; DOS function 35h: ES:BX is the vector
        int     21h
        mov     word ptr old_1ch, bx
        mov     word ptr old_1ch + 2, es
        mov     dx, offset on_tick
        mov     ax, 251Ch               ; DOS function 25h: DS:DX becomes the vector
        int     21h

        mov     ax, 352Fh
        int     21h
        mov     word ptr old_2fh, bx
        mov     word ptr old_2fh + 2, es
        mov     dx, offset on_multiplex
        mov     ax, 252Fh
        int     21h

        mov     es, ds:[2Ch]            ; the environment is not needed any more
        mov     ah, 49h                 ; DOS function 49h: free memory
        int     21h

        mov     dx, offset installed
        mov     ah, 9
        int     21h
        mov     dx, offset install      ; all before this label stays
        int     27h                     ; end and stay resident, up to CS:DX

remove: mov     dx, offset not_there
        cmp     bl, 0FFh
        jne     say_and_end
        push    ds                      ; ES: the segment of the resident part
        lds     dx, es:old_1ch
        mov     ax, 251Ch
        int     21h
        lds     dx, es:old_2fh
        mov     ax, 252Fh
        int     21h
        pop     ds
        mov     ah, 49h                 ; frees the resident part at ES
        int     21h
        mov     dx, offset removed

say_and_end:
        mov     ah, 9
        int     21h
        mov     ax, 4C00h
        int     21h

installed       db 'Resident. /u takes me out of memory.', 13, 10, '$'
there_already   db 'I am resident already.', 13, 10, '$'
not_there       db 'I am not resident.', 13, 10, '$'
removed         db 'Out of memory.', 13, 10, '$'

        end     start
