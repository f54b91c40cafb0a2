; text.asm: words, numbers, paths and printing. Texts end with a zero byte. Routines keep all
; registers but those that they name.

; ZF: AL is a blank, a tab, or one of , ; = which DOS treats like a blank (CF is 0 then).
is_separator:
        cmp     al, BLANK
        je      separator_end
        cmp     al, TAB
        je      separator_end
        cmp     al, ','
        je      separator_end
        cmp     al, ';'
        je      separator_end
        cmp     al, '='
separator_end:
        ret

; Moves SI past separators, or past blanks and tabs. AL is the character there.
skip_separators:
        mov     al, [si]
        call    is_separator
        jne     separator_end
        inc     si
        jmp     skip_separators
skip_blanks:
        mov     al, [si]
        cmp     al, BLANK
        je      skip_blank
        cmp     al, TAB
        jne     separator_end
skip_blank:
        inc     si
        jmp     skip_blanks

; Moves SI past a text and its zero byte. Changes AL.
skip_text:
        lodsb
        test    al, al
        jnz     skip_text
        ret

; Converts AL to upper case.
upper:  cmp     al, 'a'
        jb      upper_end
        cmp     al, 'z'
        ja      upper_end
        sub     al, 'a' - 'A'
upper_end:
        ret

; Copies the text at SI to DI; both are after it then. Changes AL.
copy_text:
        lodsb
        stosb
        test    al, al
        jnz     copy_text
        ret

; Returns in CX the bytes of the text SI with its zero byte. Changes AL.
text_size:
        push    di
        mov     di, si
        mov     cx, -1
        mov     al, 0
        repne   scasb
        not     cx
        pop     di
        ret

; ZF: the texts SI and DI are equal. Changes AL, SI, DI.
same_text:
        lodsb
        cmp     al, [di]
        jne     same_end
        inc     di
        test    al, al
        jnz     same_text
same_end:
        ret

; ZF: `word_` equals the text DI. Changes DI.
same_word:
        push    ax
        push    si
        mov     si, offset word_
        call    same_text
        pop     si
        pop     ax
        ret

; Copies the letters at SI to `word_`, in upper case; BX is after them. Changes AL.
take_word:
        push    di
        mov     di, offset word_
        mov     bx, si
word_letter:
        mov     al, [bx]
        call    upper
        cmp     al, 'A'
        jb      word_end
        cmp     al, 'Z'
        ja      word_end
        cmp     di, offset word_ + 14
        jae     word_end
        stosb
        inc     bx
        jmp     word_letter
word_end:
        mov     byte ptr [di], 0
        pop     di
        ret

; Parses the decimal number at SI into AX; SI is after it. FFFFh if it is too large. Changes BX, CX,
; DX.
number: xor     ax, ax
        mov     ch, 0
number_digit:
        mov     cl, [si]
        sub     cl, '0'
        cmp     cl, 9
        ja      number_end
        inc     si
        mov     dx, 10
        mul     dx
        add     ax, cx
        jc      number_large
        test    dx, dx
        jz      number_digit
number_large:
        mov     ax, -1
number_end:
        ret

; Copies a word of the command line, as a path, to `name_1`; SI is after it. CF: no word. Changes
; AX, CX, DI.
take_path:
        mov     di, offset name_1
take_path_to:
        call    skip_separators
        mov     cx, PATH_ROOM - 16      ; room for text that is appended
        push    di
path_letter:
        mov     al, [si]
        test    al, al
        jz      path_end
        call    is_separator
        je      path_end
        cmp     al, '/'
        je      path_end
        cmp     al, '+'
        je      path_end
        call    upper
        inc     si
        stosb
        loop    path_letter
path_end:
        mov     byte ptr [di], 0
        pop     ax
        cmp     ax, di                  ; equal: none
        cmc
        jne     path_taken
        stc
        ret
path_taken:
        clc
        ret

; Returns in BX the position after the last \ or : of the path SI.
name_part:
        push    ax
        push    si
        mov     bx, si
name_part_letter:
        lodsb
        cmp     al, '\'
        je      name_part_here
        cmp     al, ':'
        je      name_part_here
        test    al, al
        jnz     name_part_letter
        pop     si
        pop     ax
        ret
name_part_here:
        mov     bx, si
        jmp     name_part_letter

; Cuts the last name off the path SI. The rest is its directory; a root keeps its backslash. Changes
; BX.
cut_name:
        call    name_part
        mov     byte ptr [bx], 0
        ret

; ZF: the path SI has no wildcard. Changes AL, BX.
is_wild:
        mov     bx, si
is_wild_letter:
        mov     al, [bx]
        inc     bx
        cmp     al, '*'
        je      is_wild_yes
        cmp     al, '?'
        je      is_wild_yes
        test    al, al
        jnz     is_wild_letter
        ret
is_wild_yes:
        test    al, al
        ret

; Finds the first file of the path DX with the attributes CX, in `found`. CF: no file; AX is the
; error.
find_first:
        push    dx
        mov     dx, offset found
        mov     ah, 1Ah
        int     21h
        pop     dx
        mov     ah, 4Eh
        int     21h
        ret

; CF clear: the path SI is a directory. It may end in a backslash; an empty path is the current
; directory. Changes AX, BX, CX, DX, DI.
is_directory:
        push    si
        mov     di, offset name_3
        call    copy_text
        cmp     name_3, 0
        je      directory_end           ; CF is 0
        mov     bx, offset name_3
        sub     di, 2
        cmp     byte ptr [di], ':'
        je      directory_drive
        cmp     byte ptr [di], '\'
        jne     directory_name
        cmp     di, bx
        je      directory_end
        cmp     byte ptr [di - 1], ':'
        je      directory_drive
        mov     byte ptr [di], 0
directory_name:
        mov     dx, bx
        mov     ax, 4300h
        int     21h
        jc      directory_dots
        test    cl, 10h
        jnz     directory_end
        stc
        jmp     directory_end
directory_dots:                         ; .. may be the root, which has no attributes
        cmp     byte ptr [di], '.'
        stc
        jne     directory_end
        mov     si, bx
        mov     di, offset row
        mov     ah, 60h
        int     21h
        jc      directory_end
        cmp     row + 3, 1
        cmc
        jmp     directory_end
directory_drive:                        ; an existing drive
        mov     dl, name_3
        and     dl, 1Fh
        mov     si, offset row
        mov     ah, 47h
        int     21h
directory_end:
        pop     si
        ret

; Appends a backslash to the path SI, unless it ends in one, in a colon, or is empty. DI: its end.
; Changes AL, CX.
end_folder:
        call    text_size
        mov     di, si
        add     di, cx
        dec     di
        cmp     cx, 1
        je      end_folder_end
        mov     al, [di - 1]
        cmp     al, '\'
        je      end_folder_end
        cmp     al, ':'
        je      end_folder_end
        mov     al, '\'
        stosb
        mov     byte ptr [di], 0
end_folder_end:
        ret

; Copies the directory of drive DL (0 the current one, 1 A:) to DI, with drive and root. Changes AX,
; DX, DI, SI.
current_path:
        mov     al, dl
        dec     al
        jns     current_drive
        mov     ah, 19h
        int     21h
current_drive:
        add     al, 'A'
        stosb
        mov     ax, '\:'
        stosw
        mov     byte ptr [di], 0
        mov     si, di
        mov     ah, 47h
        int     21h
        ret

; ---- The environment: that of the resident part.

; Finds the variable SI. ES:DI: its value, ES:BX: its string. CF: no such variable; ES does not
; change.
get_variable:
        push    ax
        push    cx
        push    es
        push    si
        mov     es, resident_segment
        mov     es, es:[PSP_ENVIRONMENT]
        xor     di, di
variable_string:
        mov     bx, di
        pop     si
        push    si
        cmp     byte ptr es:[di], 0
        je      variable_none
variable_letter:
        lodsb
        test    al, al
        jz      variable_name_ends
        cmp     al, es:[di]
        jne     variable_other
        inc     di
        jmp     variable_letter
variable_name_ends:
        cmp     byte ptr es:[di], '='
        je      variable_found
variable_other:
        mov     al, 0
        mov     cx, -1
        repne   scasb
        jmp     variable_string
variable_found:
        inc     di
        pop     si
        pop     ax                      ; ES stays the environment
        pop     cx
        pop     ax
        clc
        ret
variable_none:
        pop     si
        pop     es
        pop     cx
        pop     ax
        stc
        ret

; Copies the text ES:DI, cut if necessary, to SI. ES is DS afterwards. Changes AL, CX, DI, SI.
copy_value:
        mov     cx, 2 * PATH_ROOM - 1
        cmp     si, offset buffer
        jne     copy_value_letter
        mov     cx, 1024
copy_value_letter:
        mov     al, es:[di]
        mov     [si], al
        inc     si
        inc     di
        test    al, al
        loopnz  copy_value_letter
        mov     byte ptr [si], 0
        push    ds
        pop     es
        ret

; Sets the variable `name_1` (in upper case) to the value SI, or removes it without a value. Changes
; all registers.
set_variable:
        push    si
        mov     si, offset name_1
        call    get_variable
        jc      set_append
        mov     di, bx
        mov     al, 0
        mov     cx, -1
        repne   scasb
        mov     si, di                  ; move the following strings down
        push    ds
        push    es
        pop     ds
        mov     di, bx
set_move:
        lodsb
        stosb
        test    al, al
        jnz     set_move
        cmp     byte ptr [si], 0
        jne     set_move
        stosb
        test    bx, bx                  ; the last one: two zero bytes remain
        jnz     set_moved
        mov     byte ptr [di], 0
set_moved:
        pop     ds
set_append:
        pop     si
        cmp     byte ptr [si], 0
        je      set_end
        mov     es, resident_segment
        mov     es, es:[PSP_ENVIRONMENT]
        call    environment_size
        mov     dx, cx
        push    si
        call    text_size_here
        add     dx, cx
        mov     si, offset name_1
        call    text_size_here
        add     dx, cx
        mov     ax, es
        dec     ax
        mov     es, ax
        mov     ax, es:[3]              ; paragraphs of the block
        cmp     ax, 0FFFh
        ja      set_room
        mov     cl, 4
        shl     ax, cl
        cmp     dx, ax
        ja      set_full
set_room:
        mov     ax, es
        inc     ax
        mov     es, ax
        call    environment_size
        mov     di, cx
        dec     di
        mov     si, offset name_1
        call    copy_text
        mov     byte ptr es:[di - 1], '='
        pop     si
        call    copy_text
        mov     byte ptr es:[di], 0
set_end:
        push    ds
        pop     es
        ret
set_full:
        pop     si
        push    ds
        pop     es
        mov     dx, offset environment_text
        jmp     print_error

; Like text_size, for any ES.
text_size_here:
        push    es
        push    ds
        pop     es
        call    text_size
        pop     es
        ret

; ---- Printing.

; Writes the text DX to standard output, or to standard error.
print_error:
        push    bx
        mov     bx, STDERR
        jmp     print_text
print:  push    bx
        mov     bx, STDOUT
print_text:
        push    ax
        push    cx
        push    si
        mov     si, dx
        call    text_size_here
        dec     cx
        jz      printed                 ; a write of 0 bytes would truncate a file
        mov     ah, 40h
        int     21h
printed:
        pop     si
        pop     cx
        pop     ax
        pop     bx
        ret

print_character:
        push    dx
        mov     character, al
        mov     dx, offset character
        call    print
        pop     dx
        ret

new_line:
        push    dx
        mov     dx, offset new_line_text
        call    print
        pop     dx
        ret

; Writes DX:AX in decimal to DI, right-aligned in CL columns; DI is after it. Changes AX, BX, CX,
; DX.
put_number:
        push    si
        mov     ch, 0
        add     di, cx
        push    di
        mov     si, cx
        mov     cx, 10
put_digit:
        mov     bx, ax
        mov     ax, dx
        xor     dx, dx
        div     cx
        xchg    ax, bx
        div     cx                      ; BX:AX is the quotient
        add     dl, '0'
        dec     di
        mov     [di], dl
        dec     si
        mov     dx, bx
        mov     bx, ax
        or      bx, dx
        jnz     put_digit
        mov     cx, si
        test    cx, cx
        jle     put_done
put_blank:
        dec     di
        mov     byte ptr [di], ' '
        loop    put_blank
put_done:
        pop     di
        pop     si
        ret

; Writes AL in two digits to DI, after AH unless that is 0.
put_after:
        test    ah, ah
        jz      put_two
        mov     [di], ah
        inc     di
put_two:
        push    ax
        aam
        xchg    al, ah
        add     ax, '00'
        stosw
        pop     ax
        ret

; Reads a key as an answer: echoes it and converts it to upper case. Skips a line feed that
; redirected input may have left.
read_answer:
        mov     ah, 01h
        int     21h
        cmp     al, LF
        je      read_answer
        call    upper
        push    ax
        call    new_line
        pop     ax
        ret

character db    0, 0
