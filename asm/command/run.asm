; run.asm: executes a line: pipes, redirections, internal commands, programs and batch files by
; PATH.

; SI: the text. What remains to do is in frames afterwards.
run_line:
        mov     redirect_in, 0
run_piped:
        mov     redirect_out, 0
        mov     appending, 0
        mov     calling, 0
run_again:
        call    skip_separators
        test    al, al
        jz      run_end
        cmp     al, ':'
        je      run_end
        cmp     al, '@'
        jne     run_word
        inc     si
        jmp     run_again
run_word:
        call    take_word
        call    ends_command
        jne     run_other               ; the name of a program, such as FOR1 or IF_A
        mov     di, offset rem_word
        call    same_word
        je      run_end
        mov     di, offset for_word
        call    same_word
        je      run_for
        mov     di, offset if_word
        call    same_word
        je      run_if
run_other:
        call    split_at_pipe
        call    take_redirections
        call    commit
        mov     si, offset command
run_command:
        call    skip_separators
        test    al, al
        jz      run_nothing
        call    take_word
        cmp     word_ + 1, 0
        jne     run_own
        cmp     byte ptr [bx], ':'
        jne     run_own
        mov     al, [bx + 1]
        test    al, al
        jz      run_drive
        call    is_separator
        je      run_drive
run_own:
        call    find_own
        jc      run_program
        mov     si, bx
        test    ah, OWN_CONTROL
        jz      run_redirected
        jmp     word ptr [di]           ; the programs that it starts take the redirections
run_nothing:                            ; a redirection without a command creates its file
        mov     di, offset nothing_
run_redirected:
        push    si
        push    di
        call    apply_redirection
        pop     di
        pop     si
        jc      run_end
        call    word ptr [di]
        jmp     undo_redirection
run_end:
        ret
nothing_ dw     run_end

; Changes the current drive.
run_drive:
        mov     dl, word_
        sub     dl, 'A'
        mov     ah, 0Eh
        int     21h
        mov     ah, 19h
        int     21h
        cmp     al, dl
        je      run_end
        mov     dx, offset invalid_drive_text
        jmp     print_error

; ---- Our own commands.

OWN_CONTROL equ 1                       ; takes no redirection itself
OWN_DOT equ     2                       ; a dot or a colon may follow directly

own     macro   text, flags, handler
        db      text, 0, flags
        dw      handler
        endm

own_commands label byte
        own     'DIR', 0, do_dir
        own     'COPY', 0, do_copy
        own     'TYPE', 0, do_type
        own     'DEL', 0, do_delete
        own     'ERASE', 0, do_delete
        own     'REN', 0, do_rename
        own     'RENAME', 0, do_rename
        own     'CD', OWN_DOT, do_cd
        own     'CHDIR', OWN_DOT, do_cd
        own     'MD', 0, do_md
        own     'MKDIR', 0, do_md
        own     'RD', 0, do_rd
        own     'RMDIR', 0, do_rd
        own     'ECHO', OWN_DOT, do_echo
        own     'SET', 0, do_set
        own     'PATH', 0, do_path
        own     'PROMPT', 0, do_prompt
        own     'CALL', OWN_CONTROL, do_call
        own     'GOTO', OWN_CONTROL, do_goto
        own     'SHIFT', OWN_CONTROL, do_shift
        own     'EXIT', OWN_CONTROL, do_exit
        own     'LH', OWN_CONTROL, run_command
        own     'LOADHIGH', OWN_CONTROL, run_command
        own     'PAUSE', 0, do_pause
        own     'CLS', 0, do_cls
        own     'DATE', 0, do_date
        own     'TIME', 0, do_time
        own     'VER', 0, do_ver
        own     'VOL', 0, do_vol
        own     'BREAK', 0, do_break
        own     'VERIFY', 0, do_verify
        own     'TRUENAME', 0, do_truename
        db      0

; Finds the internal command named `word_` that character [BX] may follow. DI: the address of its
; handler, AH: its flags. CF: none.
find_own:
        push    si
        mov     si, offset own_commands
find_own_next:
        cmp     byte ptr [si], 0
        stc
        je      find_own_end
        mov     di, offset word_
find_own_letter:
        lodsb
        cmp     al, [di]
        jne     find_own_skip
        inc     di
        test    al, al
        jnz     find_own_letter
        lodsb
        mov     ah, al
        mov     di, si
        call    ends_command
        je      find_own_end            ; CF is 0
        cmp     al, '.'
        je      find_own_dot
        cmp     al, ':'
        stc
        jne     find_own_end
find_own_dot:
        test    ah, OWN_DOT             ; CF is 0
        jnz     find_own_end
        stc
find_own_end:
        pop     si
        ret
find_own_skip:
        test    al, al
        jz      find_own_row
find_own_rest:
        lodsb
        test    al, al
        jnz     find_own_rest
find_own_row:
        add     si, 3
        jmp     find_own_next

; ZF: the character at [BX], returned in AL, ends the name of an internal command. CF is 0 then.
ends_command:
        mov     al, [bx]
        call    is_separator
        je      ends_command_end
        push    di
        push    cx
        mov     di, offset own_delimiters
        mov     cx, DELIMITER_COUNT
        repne   scasb
        pop     cx
        pop     di
ends_command_end:
        ret

own_delimiters db 0, '/\+"[]'
DELIMITER_COUNT equ $ - own_delimiters

; ---- Pipes and redirections.

; Cuts the text at SI at its first |: the rest goes to a frame, and the output to a file for it.
split_at_pipe:
        push    si
        mov     ah, 0
split_next:
        lodsb
        test    al, al
        jz      split_end
        cmp     al, '"'
        jne     split_pipe
        xor     ah, 1
split_pipe:
        cmp     al, '|'
        jne     split_next
        test    ah, ah
        jnz     split_next
        mov     byte ptr [si - 1], 0
        push    si
        mov     di, offset redirect_out
        call    temporary_folder
        mov     dx, offset redirect_out
        xor     cx, cx
        mov     ah, 5Ah
        int     21h
        jc      split_failed
        mov     bx, ax
        mov     ah, 3Eh
        int     21h
        mov     cx, PATH_ROOM + LINE_ROOM
        call    room_for_frame
        mov     si, offset redirect_out
        call    copy_text
        pop     si
        call    copy_text
        mov     al, FRAME_PIPE
        call    end_frame
split_end:
        pop     si
        ret
split_failed:
        mov     dx, offset pipe_text
        call    print_error
        jmp     next

; DI: the path for a temporary file, with a backslash: TEMP if that is a directory, else the root.
temporary_folder:
        push    di
        mov     si, offset temp_name
        call    get_variable
        mov     si, offset name_1
        mov     byte ptr [si], 0
        jc      temporary_root
        call    copy_value
        mov     si, offset name_1
        call    is_directory
        jc      temporary_root
        cmp     name_1 + 60, 0          ; too long: a DOS path is shorter
        pop     di
        jmp     temporary_copy
temporary_root:
        pop     di
        mov     name_1, 0
temporary_copy:
        mov     si, offset name_1
        call    copy_text
        dec     di
        cmp     name_1, 0
        je      temporary_backslash
        cmp     byte ptr [di - 1], '\'
        je      temporary_end
temporary_backslash:
        mov     al, '\'
        stosb
temporary_end:
        mov     byte ptr [di], 0
        ret

; Copies the text at SI to `command`, and removes the redirections from it.
take_redirections:
        mov     di, offset command
        mov     ah, 0
take_next:
        lodsb
        cmp     al, '"'
        jne     take_redirection
        xor     ah, 1
take_redirection:
        test    ah, ah
        jnz     take_copy
        mov     bx, offset redirect_in
        cmp     al, '<'
        je      take_name
        cmp     al, '>'
        jne     take_copy
        mov     bx, offset redirect_out
        mov     appending, 0
        cmp     byte ptr [si], '>'
        jne     take_name
        inc     si
        mov     appending, 1
take_name:
        call    skip_separators
        mov     cx, PATH_ROOM - 1
        push    bx
take_letter:
        mov     al, [si]
        test    al, al
        jz      take_named
        call    is_separator
        je      take_named
        cmp     al, '<'
        je      take_named
        cmp     al, '>'
        je      take_named
        mov     [bx], al
        inc     bx
        inc     si
        loop    take_letter
take_named:
        mov     byte ptr [bx], 0
        pop     cx
        cmp     bx, cx
        jne     take_next
        jmp     syntax_error
take_copy:
        stosb
        test    al, al
        jnz     take_next
        ret

; Redirects the standard handles; undo_redirection restores them. CF: failed, with a message.
apply_redirection:
        cmp     redirect_in, 0
        je      apply_output
        mov     dx, offset redirect_in
        mov     ax, 3D00h
        int     21h
        jc      apply_no_input
        mov     cx, STDIN
        mov     di, offset saved_in
        call    bind
apply_output:
        cmp     redirect_out, 0
        je      apply_done
        mov     dx, offset redirect_out
        cmp     appending, 0
        je      apply_create
        mov     ax, 3D02h
        int     21h
        jnc     apply_append
        mov     ax, 3D01h               ; a device that is only written
        int     21h
        jc      apply_create
apply_append:
        mov     bx, ax
        push    ax
        xor     cx, cx
        xor     dx, dx
        mov     ax, 4202h
        int     21h
        pop     ax
        jmp     apply_bind
apply_create:
        xor     cx, cx
        mov     ah, 3Ch
        int     21h
        jc      apply_no_output
apply_bind:
        mov     cx, STDOUT
        mov     di, offset saved_out
        call    bind
apply_done:
        clc
        ret
apply_no_input:
        mov     dx, offset file_not_found_text
        jmp     apply_failed
apply_no_output:
        call    undo_redirection
        mov     dx, offset file_creation_text
apply_failed:
        call    print_error
        stc
        ret

; Makes the file AX the standard handle CX, and saves the old one in [DI].
bind:   push    ax
        mov     bx, cx
        mov     ah, 45h
        int     21h
        jc      bind_new
        mov     [di], ax
bind_new:
        pop     bx
        mov     ah, 46h
        int     21h
        mov     ah, 3Eh
        int     21h
        ret

undo_redirection:
        mov     cx, STDIN
        mov     di, offset saved_in
        call    unbind
        mov     cx, STDOUT
        mov     di, offset saved_out
unbind: mov     bx, -1
        xchg    bx, [di]
        cmp     bx, -1
        je      unbind_end
        mov     ah, 46h
        int     21h
        mov     ah, 3Eh
        int     21h
unbind_end:
        ret

; The next command is redirected: redirects the resident part's handles until the frame ends. CF:
; failed, with a message.
redirect_resident:
        mov     al, redirect_in
        or      al, redirect_out
        jz      redirect_end            ; CF is 0
        mov     cx, 4
        call    room_for_frame
        call    enter_resident
        call    apply_redirection
        call    leave_resident
        jc      redirect_end
        mov     di, top
        mov     ax, -1
        xchg    ax, saved_in
        stosw
        mov     ax, -1
        xchg    ax, saved_out
        stosw
        mov     al, FRAME_REDIRECTED
        call    end_frame
        mov     redirect_in, 0
        mov     redirect_out, 0
        mov     start_anew, 1
        clc
redirect_end:
        ret

; ---- Programs and batch files.

; SI: the command.
run_program:
        mov     name_at, si
        mov     di, offset name_1
        mov     cx, PATH_ROOM - 16
program_letter:
        mov     al, [si]
        cmp     al, '/'
        je      program_named
        test    al, al
        jz      program_named
        call    is_separator
        je      program_named
        cmp     al, '*'
        je      bad_command
        cmp     al, '?'
        je      bad_command
        stosb
        inc     si
        loop    program_letter
bad_command:
        mov     dx, offset bad_command_text
        jmp     print_error
program_named:
        mov     byte ptr [di], 0
        mov     rest_at, si
        call    find_program
        jc      bad_command
        cmp     al, 'B'
        je      start_batch

; Builds its command tail, and FCBs of its first two words.
        mov     si, rest_at
        mov     di, offset tail + 1
        mov     cx, 126
program_tail:
        lodsb
        test    al, al
        jz      program_tail_end
        stosb
        loop    program_tail
program_tail_end:
        mov     byte ptr [di], CR
        mov     ax, di
        sub     ax, offset tail + 1
        mov     tail, al
        mov     di, offset fcb_1
        mov     cx, 16
        xor     ax, ax
        rep     stosw
        mov     si, offset tail + 1
        mov     di, offset fcb_1
        mov     ax, 2901h
        int     21h
        call    program_next_word
        mov     di, offset fcb_2
        mov     ax, 2901h
        int     21h
        call    redirect_resident
        jc      run_end
        mov     al, ASK_RUN
        jmp     leave_with

; Skips the rest of the word at SI.
program_next_word:
        mov     al, [si]
        cmp     al, CR
        je      program_word_end
        call    is_separator
        je      program_word_end
        inc     si
        jmp     program_next_word
program_word_end:
        ret

; A batch file ends the one that starts it, except with CALL, and in a pipe.
start_batch:
        mov     al, echoing
        mov     echo_kept, al
        cmp     calling, 0
        jne     batch_redirect
        mov     bx, top
        cmp     bx, offset frames
        je      batch_redirect
        mov     al, [bx - 1]
        cmp     al, FRAME_BATCH
        je      batch_replace
        cmp     al, FRAME_FOR
        jne     batch_redirect
        call    topmost_batch
        jc      batch_redirect          ; FOR at the prompt continues
        call    drop_frame
        mov     bx, top
        cmp     byte ptr [bx - 1], FRAME_BATCH
        jne     batch_redirect
batch_replace:
        call    last_frame
        mov     al, [bx].batch_frame.echo_before
        mov     echo_kept, al
        call    pop_frame
batch_redirect:
        call    redirect_resident
        jc      run_end
        mov     cx, BATCH_PATH + PATH_ROOM + 2 * LINE_ROOM
        mov     si, name_at
        call    text_size
        add     cx, BATCH_PATH + PATH_ROOM
        call    room_for_frame
        xor     ax, ax
        stosw
        stosw
        stosb
        mov     al, echo_kept
        stosb
        mov     si, offset program
        call    copy_text
        mov     si, name_at
        call    copy_text
        mov     al, FRAME_BATCH
        jmp     end_frame

; Searches for `name_1`. `program`: its path, AL: the first letter of its extension. CF: not found.
find_program:
        mov     si, offset name_1
        mov     own_place, 0
        mov     extension_at, 0
find_part:
        lodsb
        test    al, al
        jz      find_here
        cmp     al, '.'
        jne     find_place
        mov     extension_at, si
find_place:
        cmp     al, '\'
        je      find_placed
        cmp     al, ':'
        jne     find_part
find_placed:
        mov     own_place, 1
        mov     extension_at, 0
        jmp     find_part
find_here:
        mov     di, offset name_2
        call    find_in_folder
        jnc     find_path_end
        cmp     own_place, 0
        jne     find_path_end
        mov     si, offset path_name
        call    get_variable
        jc      find_command
        mov     si, offset buffer
        call    copy_value
        mov     si, offset buffer
find_folder:
        lodsb
        test    al, al
        jz      find_command
        cmp     al, ';'
        je      find_folder
        dec     si
        mov     di, offset name_2
find_folder_letter:
        lodsb
        test    al, al
        jz      find_folder_ends
        cmp     al, ';'
        je      find_folder_ends
        cmp     di, offset name_2 + PATH_ROOM - 14
        jae     find_folder_letter
        stosb
        jmp     find_folder_letter
find_folder_ends:
        dec     si
        mov     al, '\'
        cmp     [di - 1], al
        je      find_in_path
        stosb
find_in_path:
        push    si
        call    find_in_folder
        pop     si
        jc      find_folder
        ret
; COMMAND.COM itself is found without PATH.
find_command:
        mov     si, offset name_1
        call    take_word
        cmp     byte ptr [bx], 0
        stc
        jne     find_path_end
        mov     di, offset command_word
        call    same_word
        stc
        jne     find_path_end
        mov     si, offset own_path
        mov     di, offset program
        call    copy_text
        mov     al, 'C'
        clc
find_path_end:
        ret

; DI: the end of a folder's path in `name_2`. Tries `name_1` there.
find_in_folder:
        mov     si, offset name_1
        call    copy_text
        dec     di
        cmp     extension_at, 0
        je      find_extensions
        push    di
        mov     di, extension_at
        mov     si, offset extensions
        mov     cx, 3
find_extension:
        push    si
        push    di
        inc     si
        mov     dx, 3
find_extension_letter:
        mov     al, [di]
        call    upper
        cmp     al, [si]
        jne     find_extension_no
        inc     si
        inc     di
        dec     dx
        jnz     find_extension_letter
        cmp     byte ptr [di], 0
find_extension_no:
        pop     di
        pop     si
        je      find_known
        add     si, 5
        loop    find_extension
        pop     di
        stc
        ret
find_known:
        pop     di
        jmp     find_file
find_extensions:
        mov     si, offset extensions
        mov     cx, 3
find_with_extension:
        push    si
        push    di
        push    cx
        call    copy_text
        pop     cx
        pop     di
        pop     si
        call    find_file
        jnc     find_file_end
        add     si, 5
        loop    find_with_extension
        stc
        ret
; Whether `name_2` with the extension at SI is a file. Keeps CX, SI, DI.
find_file:
        push    cx
        mov     dx, offset name_2
        mov     ax, 4300h
        int     21h
        jc      find_file_none
        test    cl, 10h
        stc
        jnz     find_file_none
        push    si
        push    di
        mov     si, offset name_2
        mov     di, offset program
        mov     ah, 60h
        int     21h
        pop     di
        pop     si
        mov     al, [si + 1]
        clc
find_file_none:
        pop     cx
find_file_end:
        ret

extensions db   '.COM', 0, '.EXE', 0, '.BAT', 0

appending db    0
calling db      0
saved_in dw     -1
saved_out dw    -1
name_at dw      0
rest_at dw      0
own_place db    0
extension_at dw 0
echo_kept db    0
