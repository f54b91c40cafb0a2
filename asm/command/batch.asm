; batch.asm: batch files: reading lines, expanding %, and control commands.

; Runs the next line of the batch file in the last frame.
next_in_batch:
        call    read_batch_line
        jc      end_batch
        mov     si, offset raw
        mov     di, offset line
        call    expand_batch_line
        mov     si, offset line
        call    skip_separators
        test    al, al
        jz      batch_end
        cmp     al, ':'
        je      batch_end
        call    show_line
        jmp     run_line
batch_end:
        ret

; Ends the batch file in the last frame. Restores ECHO to its state before the first batch file.
end_batch:
        call    pop_frame
        mov     al, [bx].batch_frame.echo_before
        push    ax
        call    topmost_batch
        pop     ax
        jnc     batch_end
        mov     echoing, al
        ret

; Prints a line before it is executed, if ECHO is on and it does not begin with @. SI: moves past
; the @.
show_line:
        cmp     byte ptr [si], '@'
        jne     show_line_echo
        inc     si
        ret
show_line_echo:
        cmp     echoing, 0
        je      batch_end
        call    new_line
        call    show_prompt
        mov     dx, si
        call    print
        jmp     new_line

; Reads a line of the last frame's file to `raw`. CF: end of file.
read_batch_line:
        call    last_frame
        lea     dx, [bx + BATCH_PATH]
        mov     ax, 3D00h
        int     21h
        jc      batch_missing
        push    bx
        mov     dx, word ptr [bx].batch_frame.position
        mov     cx, word ptr [bx].batch_frame.position + 2
        mov     bx, ax
        mov     ax, 4200h
        int     21h
        mov     dx, offset raw
        mov     cx, LINE_ROOM - 1
        mov     ah, 3Fh
        int     21h
        mov     cx, ax
        mov     ah, 3Eh
        int     21h
        pop     bx
        jcxz    no_batch_line
        cmp     raw, END_OF_TEXT
        je      no_batch_line
        mov     di, offset raw
        mov     dx, cx                  ; bytes of the file that were used
batch_byte:
        mov     al, [di]
        cmp     al, LF
        je      batch_line_feed
        cmp     al, CR
        je      batch_return
        cmp     al, END_OF_TEXT
        je      batch_line_ends         ; the line feed of the next line
        inc     di
        loop    batch_byte
        jmp     batch_line_cut
batch_return:
        mov     byte ptr [di], 0
        cmp     cx, 1
        je      batch_line_feed
        cmp     byte ptr [di + 1], LF
        jne     batch_line_feed
        dec     cx
batch_line_feed:
        dec     cx
batch_line_ends:
        sub     dx, cx
batch_line_cut:
        mov     byte ptr [di], 0
        add     word ptr [bx].batch_frame.position, dx
        adc     word ptr [bx].batch_frame.position + 2, 0
        clc
        ret
batch_missing:
        mov     dx, offset batch_missing_text
        call    print_error
no_batch_line:
        stc
        ret

; ---- The replacement of %.

LINE_LAST equ   offset line + LINE_ROOM - 2

; Expands SI to DI; cuts what is too long. %0 to %9 are words of the command line, %NAME% is a
; variable, %% is %.
expand_batch_line:
        lodsb
        cmp     di, LINE_LAST
        jae     expand_end
        cmp     al, '%'
        je      expand_percent
expand_copy:
        stosb
        test    al, al
        jnz     expand_batch_line
        ret
expand_percent:
        mov     al, [si]
        cmp     al, '%'
        jne     expand_digit
        inc     si
        jmp     expand_copy
expand_digit:
        cmp     al, '0'
        jb      expand_variable
        cmp     al, '9'
        ja      expand_variable
        inc     si
        sub     al, '0'
        call    batch_word
        jmp     expand_batch_line
expand_variable:
        call    percent_variable
        jmp     expand_batch_line       ; not a variable: skip the %
expand_end:
        mov     byte ptr [di], 0
        ret

; SI: after a %. For %NAME% SI moves past it, and the value, if any, goes to DI. CF: no such name or
; no second %; SI does not change.
percent_variable:
        push    si
        mov     bx, offset name_1
percent_letter:
        lodsb
        test    al, al
        jz      percent_none
        cmp     al, '%'
        je      percent_name
        cmp     bx, offset name_1 + PATH_ROOM
        jae     percent_none
        call    upper
        mov     [bx], al
        inc     bx
        jmp     percent_letter
percent_none:
        pop     si
        stc
        ret
percent_name:
        mov     byte ptr [bx], 0
        pop     bx                      ; the start of the name
        push    si
        mov     si, offset name_1
        push    di
        call    get_variable
        mov     cx, di
        pop     di
        jc      percent_unset
        mov     si, cx
percent_value:
        mov     al, es:[si]
        inc     si
        test    al, al
        jz      percent_copied
        cmp     di, LINE_LAST
        jae     percent_copied
        mov     [di], al
        inc     di
        jmp     percent_value
percent_copied:
        clc
percent_unset:
        push    ds
        pop     es
        pop     si
        ret

; At the prompt only existing variables are expanded; other text stays as typed. SI: `line`.
expand_variables:
        mov     di, offset command
        push    si
        call    copy_text
        mov     si, offset command
        pop     di
expand_next:
        lodsb
        cmp     di, LINE_LAST
        jae     expand_end
        cmp     al, '%'
        jne     expand_plain
        push    si
        call    percent_variable
        pop     bx
        jnc     expand_next
        mov     si, bx
        mov     al, '%'
expand_plain:
        stosb
        test    al, al
        jnz     expand_next
        mov     si, offset line
        ret

; Appends word AL of the topmost batch file's command line to DI.
batch_word:
        push    si
        mov     cl, al
        call    topmost_batch
        jc      batch_word_end
        add     cl, [bx].batch_frame.shifts
        jc      batch_word_end
        mov     ch, 0
        lea     si, [bx + BATCH_PATH]
        call    skip_text
        inc     cx
batch_word_next:
        call    skip_separators
        test    al, al
        jz      batch_word_end
        mov     bx, si
batch_word_letter:
        lodsb
        test    al, al
        jz      batch_word_over
        call    is_separator
        jne     batch_word_letter
batch_word_over:
        dec     si
        loop    batch_word_next
batch_word_copy:
        cmp     bx, si
        je      batch_word_end
        cmp     di, LINE_LAST
        jae     batch_word_end
        mov     al, [bx]
        inc     bx
        stosb
        jmp     batch_word_copy
batch_word_end:
        pop     si
        ret

; ---- The commands.

do_call:
        mov     calling, 1
        jmp     run_command

do_shift:
        call    topmost_batch
        jc      goto_end
        inc     [bx].batch_frame.shifts
        jnz     goto_end
        dec     [bx].batch_frame.shifts
goto_end:
        ret

do_exit:
        jmp     leave_shell

; GOTO: ends frames above the batch file's, such as FOR's. Eight characters of a label count.
do_goto:
        call    take_label
        call    topmost_batch
        jc      goto_end
goto_drop:
        mov     bx, top
        cmp     byte ptr [bx - 1], FRAME_BATCH
        je      goto_begin
        call    drop_frame
        jmp     goto_drop
goto_begin:
        mov     di, offset name_2
        mov     si, offset name_1
        call    copy_text
        call    last_frame
        mov     word ptr [bx].batch_frame.position, 0
        mov     word ptr [bx].batch_frame.position + 2, 0
goto_line:
        call    read_batch_line
        jc      goto_missing
        mov     si, offset raw
        call    skip_separators
        cmp     al, ':'
        jne     goto_line
        call    take_label
        mov     si, offset name_1
        mov     di, offset name_2
        call    same_text
        jne     goto_line
        ret
goto_missing:
        mov     dx, offset label_text
        call    print_error
        jmp     end_batch

; Copies the label at SI, with or without its colon, to `name_1`.
take_label:
        call    skip_separators
        cmp     al, ':'
        jne     label_begin
        inc     si
        call    skip_separators
label_begin:
        mov     di, offset name_1
        mov     cx, 8
label_letter:
        lodsb
        test    al, al
        jz      label_done
        call    is_separator
        je      label_done
        cmp     al, '+'
        je      label_done
        cmp     al, ':'
        je      label_done
        call    upper
        stosb
        loop    label_letter
label_done:
        mov     byte ptr [di], 0
        ret

; ---- IF [NOT] ERRORLEVEL n | EXIST name | text==text command. BX: behind the word.

run_if: mov     si, bx
        mov     negated, 0
if_condition:
        call    skip_separators
        call    take_word
        mov     al, [bx]
        test    al, al
        jz      if_word_ends
        call    is_separator
        jne     if_equal                ; NOT1 is a text, not NOT
if_word_ends:
        mov     di, offset not_word
        call    same_word
        jne     if_errorlevel
        xor     negated, 1
        mov     si, bx
        jmp     if_condition
if_errorlevel:
        mov     di, offset errorlevel_word
        call    same_word
        jne     if_exist
        mov     si, bx
        call    skip_separators
        cmp     al, '0'
        jb      syntax_error
        cmp     al, '9'
        ja      syntax_error
        call    number
        mov     dx, ax
        mov     al, errorlevel
        mov     ah, 0
        cmp     ax, dx
        mov     al, 0
        jb      if_known
        inc     ax
        jmp     if_known
if_exist:
        mov     di, offset exist_word
        call    same_word
        jne     if_equal
        mov     si, bx
        call    take_path
        push    si
        mov     si, offset name_1
        call    exists
        pop     si
        mov     al, 0
        jc      if_known
        inc     ax
        jmp     if_known
; Each side is a word; blanks may be in quotation marks.
if_equal:
        mov     di, offset name_1
        call    take_side
        call    skip_blanks
        cmp     word ptr [si], '=='
        jne     syntax_error
        add     si, 2
        call    skip_blanks
        mov     di, offset name_2
        call    take_side
        push    si
        mov     si, offset name_1
        mov     di, offset name_2
        call    same_text
        pop     si
        mov     al, 0
        jne     if_known
        inc     ax
if_known:
        xor     al, negated
        jnz     if_true
        ret
if_true:
        call    skip_separators
        test    al, al
        jz      syntax_error
        jmp     run_again

; Copies one side of == from SI to DI.
take_side:
        mov     ah, 0
        mov     cx, 2 * PATH_ROOM - 1
side_letter:
        mov     al, [si]
        test    al, al
        jz      side_end
        cmp     al, '"'
        jne     side_blank
        xor     ah, 1
side_blank:
        test    ah, ah
        jnz     side_copy
        cmp     al, '='
        je      side_end
        cmp     al, ' '
        je      side_end
        cmp     al, TAB
        je      side_end
side_copy:
        inc     si
        stosb
        loop    side_letter
side_end:
        mov     byte ptr [di], 0
        ret

; SI: a path, also with wildcards. CF: no file matches. A device exists if its directory does.
exists:
        mov     dx, si
        mov     cx, 27h
        call    find_first
        jc      exists_end
        test    byte ptr found + 15h, 40h
        jz      exists_end
        call    cut_name
        jmp     is_directory
exists_end:
        ret

syntax_error:
        mov     dx, offset syntax_text
        call    print_error
        jmp     next

; ---- FOR %x IN (set) DO command. BX: behind the word.

run_for:
        mov     si, bx
        mov     bx, top
        cmp     bx, offset frames
        je      for_parse
        cmp     byte ptr [bx - 1], FRAME_FOR
        je      syntax_error            ; FOR is not nested
for_parse:
        mov     cx, FOR_SET + LINE_ROOM
        call    room_for_frame
        mov     bx, di
        call    skip_separators
        cmp     al, '%'
        jne     syntax_error
        inc     si
        lodsb
        test    al, al
        jz      syntax_error
        mov     [bx].for_frame.variable, al
        mov     [bx].for_frame.next_item, FOR_SET
        mov     [bx].for_frame.searching, 0
        push    bx
        call    skip_separators
        call    take_word
        mov     si, bx
        mov     di, offset in_word
        call    same_word
        jne     syntax_error
        call    skip_separators
        pop     bx
        cmp     al, '('
        jne     syntax_error
        inc     si
        lea     di, [bx + FOR_SET]
for_set_letter:
        lodsb
        test    al, al
        jz      syntax_error
        cmp     al, ')'
        je      for_set_end
        stosb
        jmp     for_set_letter
for_set_end:
        mov     al, 0
        stosb
        call    skip_separators
        call    take_word
        mov     si, bx
        push    di
        mov     di, offset do_word
        call    same_word
        pop     di
        jne     syntax_error
        call    skip_separators
        test    al, al
        jz      syntax_error
        call    copy_text
        mov     al, FRAME_FOR
        jmp     end_frame

; Runs the next iteration of the FOR in the last frame.
next_in_for:
        call    last_frame
        lea     dx, [bx].for_frame.search
        mov     ah, 1Ah
        int     21h
        cmp     [bx].for_frame.searching, 0
        je      for_item
        mov     ah, 4Fh
        int     21h
        jnc     for_found
        mov     [bx].for_frame.searching, 0
for_item:
        mov     si, [bx].for_frame.next_item
        add     si, bx
        call    skip_separators
        test    al, al
        jz      pop_frame               ; no more files
        mov     ax, si
        sub     ax, bx
        mov     [bx].for_frame.item, ax
        mov     di, offset name_1
        mov     dx, di                  ; after the last \ or :
        mov     ah, 0                   ; a wildcard was found
for_letter:
        mov     al, [si]
        test    al, al
        jz      for_taken
        call    is_separator
        je      for_taken
        inc     si
        cmp     di, offset name_1 + 2 * PATH_ROOM - 2
        jae     for_letter
        stosb
        cmp     al, '\'
        je      for_path
        cmp     al, ':'
        jne     for_wild
for_path:
        mov     dx, di
for_wild:
        cmp     al, '*'
        je      for_is_wild
        cmp     al, '?'
        jne     for_letter
for_is_wild:
        mov     ah, 1
        jmp     for_letter
for_taken:
        mov     byte ptr [di], 0
        sub     dx, offset name_1
        mov     [bx].for_frame.prefix, dl
        sub     si, bx
        mov     [bx].for_frame.next_item, si
        test    ah, ah
        jz      for_command
        mov     dx, offset name_1
        mov     cx, 21h
        mov     ah, 4Eh
        int     21h
        jc      next_in_for             ; no file name
        mov     [bx].for_frame.searching, 1
; Builds the file's path from the pattern's path.
for_found:
        mov     si, [bx].for_frame.item
        add     si, bx
        mov     di, offset name_1
        mov     cl, [bx].for_frame.prefix
        mov     ch, 0
        rep     movsb
        lea     si, [bx].for_frame.search + 1Eh
        call    copy_text

; Replaces %x in the command by `name_1`.
for_command:
        mov     cl, [bx].for_frame.variable
        lea     si, [bx + FOR_SET]
        call    skip_text
        mov     di, offset line
for_copy:
        lodsb
        cmp     di, LINE_LAST
        jae     for_cut
        cmp     al, '%'
        jne     for_plain
        cmp     [si], cl
        jne     for_plain
        inc     si
        push    si
        mov     si, offset name_1
for_insert:
        lodsb
        test    al, al
        jz      for_inserted
        cmp     di, LINE_LAST
        jae     for_inserted
        stosb
        jmp     for_insert
for_inserted:
        pop     si
        jmp     for_copy
for_plain:
        stosb
        test    al, al
        jnz     for_copy
for_cut:
        mov     byte ptr [di], 0
        mov     si, offset line
        call    show_line
        jmp     run_line

negated db      0
