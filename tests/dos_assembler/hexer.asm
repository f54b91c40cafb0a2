; HEXER: an assembler of DOS for tests. A line of its language is bytes in hexadecimal (B4 09), a comment (;) or
; `include FILE`. It takes the command lines of Turbo Assembler (/zi A.ASM,A.OBJ) and MASM (/Zi A.ASM,A.OBJ;), prints
; errors in the form of the one that is meant, and writes an object with line numbers whose code begins at 100h.

        .model  tiny
        .8086
        .code
        org     100h

CODE_MOST equ   1000h
TEXT_MOST equ   2000h

start:  cld
        mov     si, 81h
        call    blanks
        cmp     al, '/'
        jne     names
        mov     al, [si + 1]
        mov     style, al               ; 'z': Turbo Assembler, 'Z': MASM
switch: lodsb
        cmp     al, ' '
        jne     switch
        call    blanks
names:  mov     di, offset source_name
        call    word_
        cmp     al, ','
        jne     usage
        inc     si
        mov     di, offset object_name
        call    word_

        mov     dx, offset source_name
        mov     name_now, dx
        mov     bx, offset text
        call    read_file
        jc      no_file
        mov     code_end, offset code
        mov     lines_end, offset lines
        mov     is_main, 1
        mov     si, offset text
        call    assemble

        cmp     errors, 0
        jne     failed
        call    write_object
        mov     ax, 4C00h
        int     21h

usage:  mov     dx, offset usage_text
        jmp     say_fail
no_file:
        mov     dx, offset no_file_text
say_fail:
        mov     ah, 9
        int     21h
failed: mov     ax, 4C01h
        int     21h

; SI moves to the next character that is not a blank, which is in AL.
blanks: mov     al, [si]
        cmp     al, ' '
        je      skip
        cmp     al, 9
        jne     back
skip:   inc     si
        jmp     blanks
back:   ret

; Copies a name from SI to DI, with a 0 behind it; the character behind the name is in AL.
word_:  mov     al, [si]
        cmp     al, ' '
        jbe     word_end
        cmp     al, ','
        je      word_end
        cmp     al, ';'
        je      word_end
        stosb
        inc     si
        jmp     word_
word_end:
        mov     byte ptr [di], 0
        ret

; Reads the file at DX to BX, with a 0 after it. Carry: not found.
read_file:
        mov     ax, 3D00h
        int     21h
        jc      back
        mov     di, bx
        mov     bx, ax
        mov     dx, di
        mov     cx, TEXT_MOST
        mov     ah, 3Fh
        int     21h
        add     di, ax
        mov     byte ptr [di], 0
        mov     ah, 3Eh
        int     21h
        clc
        ret

; Assembles the text at SI.
assemble:
        mov     line, 0
next_line:
        cmp     byte ptr [si], 0
        je      back
        inc     line
        mov     noted, 0
next_byte:
        call    blanks
        cmp     al, 0
        je      back
        cmp     al, ';'
        je      rest
        cmp     al, 13
        je      rest
        cmp     al, 10
        je      rest
        cmp     al, 'i'
        je      include_
        call    digit
        jc      wrong
        mov     cl, 4
        shl     al, cl
        mov     ah, al
        mov     al, [si]
        call    digit
        jc      wrong
        or      al, ah
        call    note_line
        mov     di, code_end
        stosb
        mov     code_end, di
        jmp     next_byte
wrong:  call    complain
rest:   lodsb                           ; to the end of the line
        cmp     al, 0
        je      at_end
        cmp     al, 10
        jne     rest
        jmp     next_line
at_end: dec     si
        ret

include_:
        add     si, 7                   ; include
        call    blanks
        mov     di, offset include_name
        call    word_
        push    si
        push    line
        push    name_now
        mov     is_main, 0
        mov     dx, offset include_name
        mov     name_now, dx
        mov     bx, offset included
        call    read_file
        jc      not_there
        mov     si, offset included
        call    assemble
        jmp     included_all
not_there:
        pop     name_now
        push    name_now
        call    complain
included_all:
        mov     is_main, 1
        pop     name_now
        pop     line
        pop     si
        jmp     rest

; The digit in AL to its value; SI moves on. Carry: it is none.
digit:  cmp     al, '0'
        jb      no_digit
        cmp     al, '9'
        jbe     decimal
        and     al, 0DFh
        cmp     al, 'A'
        jb      no_digit
        cmp     al, 'F'
        ja      no_digit
        sub     al, 7
decimal:
        sub     al, '0'
        inc     si
        clc
        ret
no_digit:
        stc
        ret

; Notes where the code of a line of the source begins.
note_line:
        cmp     is_main, 0
        je      back
        cmp     noted, 0
        jne     back
        inc     noted
        push    ax
        mov     di, lines_end
        mov     ax, line
        stosw
        mov     ax, code_end
        sub     ax, offset code - 100h
        stosw
        mov     lines_end, di
        pop     ax
        ret

; Prints an error of the present line.
complain:
        inc     errors
        cmp     style, 'Z'
        je      like_masm
        mov     dx, offset stars
        call    say
        call    say_place
        mov     dx, offset turbo_text
        jmp     say
like_masm:
        call    say_place
        mov     dx, offset masm_text
say:    mov     ah, 9
        int     21h
        ret

; Prints FILE(LINE).
say_place:
        mov     bx, name_now
one:    mov     dl, [bx]
        inc     bx
        or      dl, dl
        jz      number
        mov     ah, 2
        int     21h
        jmp     one
number: mov     dl, '('
        mov     ah, 2
        int     21h
        mov     ax, line
        mov     bl, 10
        div     bl
        add     ax, 3030h
        mov     dx, ax
        mov     ah, 2
        cmp     dl, '0'
        je      units
        int     21h
units:  mov     dl, dh
        int     21h
        mov     dl, ')'
        int     21h
        ret

; Writes the object.
write_object:
        mov     dx, offset object_name
        mov     cx, 0
        mov     ah, 3Ch
        int     21h
        mov     bx, ax
        ; THEADR: the source's name.
        mov     si, offset source_name
        mov     di, offset record + 4
        mov     cx, 0
name_:  lodsb
        or      al, al
        jz      named
        stosb
        inc     cx
        jmp     name_
named:  mov     record + 3, cl
        mov     al, 80h
        call    put_record
        ; LNAMES, SEGDEF: one segment, its length with the 100h before the code.
        mov     dx, offset fixed
        mov     cx, fixed_length
        mov     ax, code_end
        sub     ax, offset code - 100h
        mov     segment_length, ax
        mov     ah, 40h
        int     21h
        ; LEDATA: the segment, the offset, the code.
        mov     di, offset record + 3
        mov     al, 1
        stosb
        mov     ax, 100h
        stosw
        mov     si, offset code
        mov     cx, code_end
        sub     cx, si
        rep     movsb
        mov     al, 0A0h
        call    put_record
        ; LINNUM: no group, the segment, the lines.
        mov     di, offset record + 3
        mov     ax, 0100h
        stosw
        mov     si, offset lines
        mov     cx, lines_end
        sub     cx, si
        rep     movsb
        mov     al, 94h
        call    put_record
        mov     dx, offset last
        mov     cx, last_length
        mov     ah, 40h
        int     21h
        mov     ah, 3Eh
        int     21h
        ret

; Writes a record of the kind in AL that ends before DI. Its checksum is 0, which means none.
put_record:
        mov     record, al
        mov     byte ptr [di], 0
        inc     di
        mov     cx, di
        sub     cx, offset record
        mov     ax, cx
        sub     ax, 3
        mov     word ptr record + 1, ax
        mov     dx, offset record
        mov     ah, 40h
        int     21h
        ret

style   db      'z'
errors  db      0
line    dw      0
noted   db      0
is_main db      1
name_now dw     0
code_end dw     0
lines_end dw    0
usage_text      db '**Fatal** Command line: what is wanted is SOURCE,OBJECT', 13, 10, '$'
no_file_text    db "**Fatal** Command line: Can't locate file", 13, 10, '$'
stars   db      '**Error** $'
turbo_text      db ' Illegal instruction', 13, 10, '$'
masm_text       db ': error A2008: Illegal instruction', 13, 10, '$'

; LNAMES: "", CODE. SEGDEF: at any byte, public. The code is entered at 100h.
fixed   db      96h, 7, 0, 0, 4, 'CODE', 0
        db      98h, 7, 0, 28h
segment_length dw 0
        db      2, 2, 1, 0
fixed_length equ $ - fixed
last    db      8Ah, 6, 0, 0C1h, 50h, 1, 0, 1, 0
last_length equ $ - last

source_name     db 80 dup (?)
object_name     db 80 dup (?)
include_name    db 80 dup (?)
lines   db      800h dup (?)
code    db      CODE_MOST dup (?)
record  db      CODE_MOST + 100h dup (?)
text    db      TEXT_MOST + 1 dup (?)
included db     TEXT_MOST + 1 dup (?)

        end     start
