; lines.asm: the prompt and command input: on the console with an editor and a history, else from a
; file.

; Reads a command to `line`. CF: end of input.
read_command:
        call    new_line
        call    show_prompt
        mov     bx, STDIN
        mov     ax, 4400h
        int     21h
        jc      read_from_file
        and     dl, 81h
        cmp     dl, 81h                 ; a device, and the console
        je      edit_line

; From a file: one byte at a time, so that programs read on after the command. Echoed, as in DOS.
read_from_file:
        mov     di, offset line
        mov     byte ptr [di], 0
read_byte:
        mov     dx, offset row
        mov     cx, 1
        mov     bx, STDIN
        mov     ah, 3Fh
        int     21h
        jc      read_end
        test    ax, ax
        jz      read_end
        mov     al, row
        cmp     al, END_OF_TEXT
        je      read_end
        cmp     al, LF
        je      read_byte
        cmp     al, CR
        je      read_done
        cmp     di, offset line + LINE_ROOM - 2
        jae     read_byte
        stosb
        jmp     read_byte
read_end:
        cmp     di, offset line
        jne     read_done
        call    new_line
        stc
        ret
read_done:
        mov     byte ptr [di], 0
        mov     dx, offset line
        call    print
        call    new_line
        clc
        ret

; ---- The editor. SI is the place of the cursor in the line, DI its end.

EDIT_END equ    offset line + 127       ; the maximum length in DOS

edit_line:
        mov     di, offset line
        mov     si, di
        mov     byte ptr [di], 0
        mov     ax, history_used
        add     ax, offset history
        mov     history_at, ax
edit_key:
        mov     ah, 08h
        int     21h
        cmp     al, ' '
        jae     edit_insert
        test    al, al
        jz      edit_special
        cmp     al, CR
        je      edit_enter
        cmp     al, BACKSPACE
        je      edit_backspace
        cmp     al, ESCAPE
        je      edit_escape
        cmp     al, TAB
        je      edit_insert_blank
        cmp     al, END_OF_TEXT
        jne     edit_key
        jmp     edit_insert             ; for COPY CON, which reads into its own line
edit_insert_blank:
        mov     al, ' '
edit_insert:
        cmp     di, EDIT_END
        jae     edit_key
        mov     bx, di                  ; move the rest up
edit_shift:
        mov     ah, [bx]
        mov     [bx + 1], ah
        dec     bx
        cmp     bx, si
        jae     edit_shift
        mov     [si], al
        inc     di
        mov     dx, si
        call    print
        inc     si
        mov     cx, di
        sub     cx, si
        call    cursor_left
        jmp     edit_key

edit_backspace:
        cmp     si, offset line
        je      edit_key
        mov     cx, 1
        call    cursor_left
        dec     si
; Deletes the character at SI.
edit_delete:
        cmp     si, di
        je      edit_key
        mov     bx, si
edit_close:
        mov     al, [bx + 1]
        mov     [bx], al
        inc     bx
        cmp     bx, di
        jb      edit_close
        dec     di
        mov     dx, si
        call    print
        mov     al, ' '
        call    print_character
        mov     cx, di
        sub     cx, si
        inc     cx
        call    cursor_left
        jmp     edit_key

edit_enter:
        mov     dx, si
        call    print
        call    new_line
        call    remember_line
        clc
        ret

edit_escape:
        mov     bx, offset empty
edit_replace_by:                        ; BX: the new text
        call    edit_replace
        jmp     edit_key

edit_special:
        mov     ah, 08h
        int     21h
        mov     bx, offset edit_keys
edit_look:
        cmp     byte ptr [bx], 0
        je      edit_key
        cmp     al, [bx]
        je      edit_found
        add     bx, 3
        jmp     edit_look
edit_found:
        jmp     word ptr [bx + 1]

edit_keys db    4Bh
        dw      edit_left
        db      4Dh
        dw      edit_right
        db      47h
        dw      edit_home
        db      4Fh
        dw      edit_to_end
        db      53h
        dw      edit_delete
        db      48h
        dw      edit_up
        db      50h
        dw      edit_down
        db      3Dh                     ; F3
        dw      edit_up
        db      0

edit_left:
        cmp     si, offset line
        je      edit_key
        dec     si
        mov     cx, 1
        call    cursor_left
        jmp     edit_key
edit_right:
        cmp     si, di
        je      edit_key
        lodsb
        call    print_character
        jmp     edit_key
edit_home:
        mov     cx, si
        sub     cx, offset line
        call    cursor_left
        mov     si, offset line
        jmp     edit_key
edit_to_end:
        mov     dx, si
        call    print
        mov     si, di
        jmp     edit_key

; Shows the previous or the next line of the history.
edit_up:
        mov     bx, history_at
        cmp     bx, offset history
        je      edit_key
        dec     bx
edit_back:
        cmp     bx, offset history
        je      edit_history
        cmp     byte ptr [bx - 1], 0
        je      edit_history
        dec     bx
        jmp     edit_back
edit_history:
        mov     history_at, bx
        jmp     edit_replace_by
edit_down:
        mov     bx, history_at
        mov     ax, history_used
        add     ax, offset history
        cmp     bx, ax
        je      edit_key
edit_forward:
        inc     bx
        cmp     byte ptr [bx - 1], 0
        jne     edit_forward
        mov     history_at, bx
        cmp     bx, ax
        jne     edit_replace_by
        jmp     edit_escape

; Replaces the line by the text BX.
edit_replace:
        mov     cx, si
        sub     cx, offset line
        call    cursor_left
        mov     cx, di
        sub     cx, offset line         ; columns to erase
        mov     si, bx
        mov     di, offset line
        push    cx
        call    copy_text
        dec     di
        mov     byte ptr [di], 0
        pop     cx
        mov     dx, offset line
        call    print
        mov     si, di
        mov     ax, di
        sub     ax, offset line
        sub     cx, ax
        jbe     edit_replaced
        push    cx
edit_blank:
        mov     al, ' '
        call    print_character
        loop    edit_blank
        pop     cx
        call    cursor_left
edit_replaced:
        ret

; Moves the cursor CX characters to the left, by backspaces if possible, so that a teletype works
; too.
cursor_left:
        jcxz    cursor_end
        push    ax
        push    bx
        push    dx
        push    cx
        mov     bh, 0
        mov     ah, 03h
        int     10h
        pop     cx
        cmp     dl, cl
        jb      cursor_up
cursor_back:
        mov     al, BACKSPACE
        call    print_character
        loop    cursor_back
        jmp     cursor_done
cursor_up:
        push    es
        xor     ax, ax
        mov     es, ax
        mov     bl, es:[44Ah]           ; columns
        pop     es
        mov     al, dh
        mul     bl
        mov     dh, 0
        add     ax, dx
        sub     ax, cx
        div     bl
        mov     dh, al
        mov     dl, ah
        mov     bh, 0
        mov     ah, 02h
        int     10h
cursor_done:
        pop     dx
        pop     bx
        pop     ax
cursor_end:
        ret

; Appends `line` to the history, unless it is empty or equal to the latest. The oldest lines are
; removed.
remember_line:
        cmp     line, 0
        je      remember_end
        mov     cx, di
        sub     cx, offset line - 1     ; with its zero byte
remember_room:
        mov     bx, history_used
        mov     ax, bx
        add     ax, cx
        cmp     ax, HISTORY_ROOM
        jbe     remember_same
        mov     di, offset history
        mov     al, 0
        push    cx
        mov     cx, bx
        repne   scasb
        mov     si, di
        mov     di, offset history
        mov     history_used, cx
        rep     movsb
        pop     cx
        jmp     remember_room
remember_same:
        lea     di, history[bx]
        sub     bx, cx
        jb      remember_copy
        push    di
        push    cx
        lea     di, history[bx]
        mov     si, offset line
        repe    cmpsb
        pop     cx
        pop     di
        je      remember_end
remember_copy:
        mov     history_used, ax
        mov     si, offset line
        rep     movsb
remember_end:
        ret

history_at dw   0

; ---- The prompt.

show_prompt:
        push    si
        mov     si, offset prompt_name
        call    get_variable
        mov     si, offset default_prompt
        jc      prompt_next
        mov     si, offset buffer       ; a copy: the environment is in another segment
        call    copy_value
        mov     si, offset buffer
prompt_next:
        lodsb
        test    al, al
        jz      prompt_end
        cmp     al, '$'
        je      prompt_code
        call    print_character
        jmp     prompt_next
prompt_code:
        lodsb
        test    al, al
        jz      prompt_end
        call    upper
        mov     bx, offset prompt_codes
prompt_look:
        cmp     byte ptr [bx], 0
        je      prompt_next
        cmp     al, [bx]
        je      prompt_found
        add     bx, 4
        jmp     prompt_look
prompt_found:
        mov     al, [bx + 1]
        test    al, al
        jz      prompt_call
        call    print_character
        jmp     prompt_next
prompt_call:
        push    si
        call    word ptr [bx + 2]
        pop     si
        jmp     prompt_next
prompt_end:
        pop     si
        ret

; Scan code, character or 0, and the routine to call.
prompt_codes label byte
        db      'P', 0
        dw      print_directory
        db      'G', '>'
        dw      0
        db      'L', '<'
        dw      0
        db      'B', '|'
        dw      0
        db      'Q', '='
        dw      0
        db      '$', '$'
        dw      0
        db      'E', ESCAPE
        dw      0
        db      'H', 0
        dw      prompt_backspace
        db      '_', 0
        dw      new_line
        db      'N', 0
        dw      print_drive
        db      'D', 0
        dw      print_date
        db      'T', 0
        dw      print_time
        db      'V', 0
        dw      print_version
        db      0

prompt_backspace:
        mov     dx, offset backspace_text
        jmp     print

; Prints the current drive, or drive and directory.
print_drive:
        mov     ah, 19h
        int     21h
        add     al, 'A'
        jmp     print_character
print_directory:
        mov     di, offset name_3
        mov     dl, 0
        call    current_path
        mov     dx, offset name_3
        jmp     print
