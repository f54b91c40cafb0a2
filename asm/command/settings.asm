; settings.asm: ECHO, SET, PATH, PROMPT, DATE, TIME, VER, VOL, CLS, PAUSE, BREAK, VERIFY.

; ECHO [ON | OFF | text]: one character of any kind may separate it from its text.
do_echo:
        mov     al, [si]
        test    al, al
        jz      echo_state
        inc     si
        cmp     al, '.'
        je      echo_text
        cmp     al, ':'
        je      echo_text
        push    si
        call    skip_separators
        test    al, al
        jz      echo_blank
        call    on_or_off
        jnz     echo_other
        pop     si
        mov     echoing, al
        ret
echo_blank:
        pop     si
echo_state:
        mov     dx, offset echo_on_text
        cmp     echoing, 0
        jne     echo_print
        mov     dx, offset echo_off_text
echo_print:
        jmp     print
echo_other:
        pop     si
echo_text:
        mov     dx, si
        call    print
        jmp     new_line

; ZF: the text SI is ON or OFF; AL is the value. Changes AL, BX, DI.
on_or_off:
        call    take_word
        push    si
        mov     si, bx
        call    skip_separators
        pop     si
        test    al, al
        jnz     on_or_off_end
        mov     al, 1
        mov     di, offset on_word
        call    same_word
        je      on_or_off_end
        mov     al, 0
        mov     di, offset off_word
        call    same_word
on_or_off_end:
        ret

; SET [name=[value]]
do_set: call    skip_blanks
        test    al, al
        jz      set_list
        mov     di, offset name_1
set_letter:
        lodsb
        test    al, al
        jz      set_syntax
        cmp     al, '='
        je      set_named
        call    upper
        cmp     di, offset name_1 + 2 * PATH_ROOM - 1
        jae     set_letter
        stosb
        jmp     set_letter
set_named:
        mov     byte ptr [di], 0
        cmp     name_1, 0
        je      set_syntax
        jmp     set_variable
set_syntax:
        mov     dx, offset syntax_text
        jmp     print_error

set_list:
        xor     di, di
set_list_next:
        mov     es, resident_segment
        mov     es, es:[PSP_ENVIRONMENT]
        cmp     byte ptr es:[di], 0
        je      set_list_end
        mov     si, offset buffer
        push    di
        mov     cx, size buffer - 2
set_list_letter:
        mov     al, es:[di]
        mov     [si], al
        inc     si
        inc     di
        test    al, al
        loopnz  set_list_letter
        pop     ax
        push    ds
        pop     es
        mov     dx, offset buffer
        call    print
        call    new_line
        jmp     set_list_next
set_list_end:
        push    ds
        pop     es
        ret

; PATH [folder;... | ;]
do_path:
        call    skip_blanks
        test    al, al
        jz      path_show
        push    si
        mov     si, offset path_name
        mov     di, offset name_1
        call    copy_text
        pop     si
        call    skip_separators         ; a semicolon alone removes it
        push    si
path_upper:
        mov     al, [si]
        call    upper
        mov     [si], al
        inc     si
        test    al, al
        jnz     path_upper
        pop     si
        jmp     set_variable
path_show:
        mov     si, offset path_name
        call    get_variable
        mov     dx, offset no_path_text
        jc      echo_print
        mov     si, offset buffer
        call    copy_value
        mov     dx, offset path_text
        call    print
        mov     dx, offset buffer
        call    print
        jmp     new_line

; PROMPT [text]
do_prompt:
        mov     al, [si]
        call    is_separator
        jne     prompt_set
        inc     si
prompt_set:
        push    si
        mov     si, offset prompt_name
        mov     di, offset name_1
        call    copy_text
        pop     si
        jmp     set_variable

do_pause:
        mov     dx, offset pause_text
        call    print
pause_key:
        mov     ah, 08h
        int     21h
        cmp     al, LF                  ; the rest of the line from redirected input
        je      pause_key
        test    al, al
        jnz     pause_end
        mov     ah, 08h                 ; the scan code of a key without a character
        int     21h
pause_end:
        jmp     new_line

; CLS: by ANSI.SYS if it is loaded, so that it uses the current colour.
do_cls: mov     ax, 4400h
        mov     bx, STDOUT
        int     21h
        and     dl, 82h
        cmp     dl, 82h
        jne     cls_end                 ; not to the screen
        mov     ax, 1A00h
        int     2Fh
        cmp     al, 0FFh
        jne     cls_bios
        mov     dx, offset cls_sequence
        jmp     print
cls_bios:
        mov     ah, 0Fh
        int     10h
        mov     dl, ah
        dec     dl
        mov     dh, 24
        push    bx
        xor     cx, cx
        mov     bh, 07h
        mov     ax, 0600h
        int     10h
        pop     bx
        xor     dx, dx
        mov     ah, 02h
        int     10h
cls_end:
        ret
cls_sequence db ESCAPE, '[2J', 0

do_ver: call    new_line
        call    print_version
        jmp     new_line

print_version:
        push    si
        mov     ah, 30h
        int     21h
        push    ax
        mov     si, offset version_text
        mov     di, offset row
        call    copy_text
        dec     di
        pop     ax
        push    ax
        add     al, '0'
        stosb
        mov     al, '.'
        stosb
        pop     ax
        mov     al, ah
        call    put_two
        mov     byte ptr [di], 0
        mov     dx, offset row
        call    print
        pop     si
        ret

; VOL [drive:]
do_vol: call    take_path
        mov     al, name_1
        jnc     vol_drive
        mov     ah, 19h
        int     21h
        add     al, 'A'
vol_drive:
        push    ax
        mov     dl, al
        and     dl, 1Fh
        mov     si, offset row
        mov     ah, 47h
        int     21h
        pop     ax
        mov     dx, offset invalid_drive_text
        jc      vol_no_drive
        call    new_line

; Prints label and serial number of the drive AL (a letter).
print_volume:
        mov     volume_pattern, al
        mov     dx, offset volume_text
        call    print
        call    print_character
        mov     dx, offset volume_pattern
        mov     cx, 8
        call    find_first
        mov     dx, offset no_label_text
        jc      volume_told
        mov     dx, offset label_is_text
        call    print
        mov     si, offset found + 1Eh  ; without the dot in a name of this length
        mov     di, si
volume_letter:
        lodsb
        cmp     al, '.'
        je      volume_letter
        stosb
        test    al, al
        jnz     volume_letter
        mov     dx, offset found + 1Eh
        call    print
        mov     dx, offset new_line_text
volume_told:
        call    print
        mov     bl, volume_pattern
        sub     bl, 'A' - 1
        mov     bh, 0
        mov     dx, offset buffer
        mov     ax, 6900h
        int     21h
        jc      volume_end
        mov     dx, offset serial_text
        call    print
        mov     di, offset row
        mov     ax, word ptr buffer + 4
        call    put_hexadecimal
        mov     al, '-'
        stosb
        mov     ax, word ptr buffer + 2
        call    put_hexadecimal
        mov     byte ptr [di], 0
        mov     dx, offset row
        call    print
        call    new_line
volume_end:
        ret
vol_no_drive:
        jmp     print_error
volume_pattern db 'C:\*.*', 0

; Writes AX in four digits to DI. Changes AX, CX, DX.
put_hexadecimal:
        mov     dx, ax
        mov     ch, 4
put_hexadecimal_digit:
        mov     cl, 4
        rol     dx, cl
        mov     al, dl
        and     al, 0Fh
        add     al, '0'
        cmp     al, '9'
        jbe     put_hexadecimal_store
        add     al, 'A' - '9' - 1
put_hexadecimal_store:
        stosb
        dec     ch
        jnz     put_hexadecimal_digit
        ret

; BREAK and VERIFY [ON | OFF]
do_break:
        call    skip_separators
        test    al, al
        jz      break_show
        call    on_or_off
        jnz     not_on_or_off
        mov     dl, al
        mov     ax, 3301h
        int     21h
        ret
break_show:
        mov     ax, 3300h
        int     21h
        mov     al, dl
        mov     dx, offset break_on_text
        mov     bx, offset break_off_text
        jmp     state_show
do_verify:
        call    skip_separators
        test    al, al
        jz      verify_show
        call    on_or_off
        jnz     not_on_or_off
        mov     dl, 0
        mov     ah, 2Eh
        int     21h
        ret
verify_show:
        mov     ah, 54h
        int     21h
        mov     dx, offset verify_on_text
        mov     bx, offset verify_off_text
state_show:
        test    al, al
        jnz     state_print
        mov     dx, bx
state_print:
        jmp     print
not_on_or_off:
        mov     dx, offset on_or_off_text
        jmp     print_error

; ---- DATE [mm-dd-yy], TIME [hh:mm[:ss[.cc]]]: asked for again until it is right or nothing.

do_date:
        call    skip_separators
        test    al, al
        jnz     date_try
        mov     dx, offset date_text
        call    print
        call    print_date
        call    new_line
date_ask:
        mov     dx, offset new_date_text
        call    ask_text
        jz      date_end
date_try:
        call    number
        mov     month, al
        call    next_number
        jc      date_bad
        mov     day, al
        call    next_number
        jc      date_bad
        cmp     ax, 100
        jae     date_year
        add     ax, 1900
        cmp     ax, 1980
        jae     date_year
        add     ax, 100
date_year:
        mov     cx, ax
        mov     dh, month
        mov     dl, day
        mov     ah, 2Bh
        int     21h
        test    al, al
        jz      date_end
date_bad:
        mov     dx, offset bad_date_text
        call    print_error
        jmp     date_ask
date_end:
        ret

do_time:
        call    skip_separators
        test    al, al
        jnz     time_try
        mov     dx, offset time_text
        call    print
        call    print_time
        call    new_line
time_ask:
        mov     dx, offset new_time_text
        call    ask_text
        jz      date_end
time_try:
        call    number
        mov     hour, al
        xor     ax, ax
        mov     word ptr minute, ax
        mov     hundredth, al
        call    next_number
        jc      time_bad
        mov     minute, al
        call    next_number
        jc      time_suffix
        mov     second, al
        call    next_number
        jc      time_suffix
        mov     hundredth, al
time_suffix:
        call    skip_blanks
        call    upper
        cmp     al, 'P'
        jne     time_morning
        cmp     hour, 12
        jae     time_set
        add     hour, 12
time_morning:
        cmp     al, 'A'
        jne     time_set
        cmp     hour, 12
        jne     time_set
        mov     hour, 0
time_set:
        mov     ch, hour
        mov     cl, minute
        mov     dh, second
        mov     dl, hundredth
        mov     ah, 2Dh
        int     21h
        test    al, al
        jz      date_end
time_bad:
        mov     dx, offset bad_time_text
        call    print_error
        jmp     time_ask

; Parses a number after one of - / . : at SI, into AX. CF: none.
next_number:
        mov     al, [si]
        mov     di, offset number_marks
        mov     cx, 4
        repne   scasb
        stc
        jne     next_number_end
        inc     si
        mov     al, [si]
        sub     al, '0'
        cmp     al, 10
        cmc
        jc      next_number_end
        call    number
        clc
next_number_end:
        ret
number_marks db '-/.:'

; Asks DX; SI is the answer. ZF: it is empty.
ask_text:
        call    print
        mov     dx, offset buffer
        mov     byte ptr buffer, 40
        mov     ah, 0Ah
        int     21h
        call    new_line
        mov     si, offset buffer + 2
        mov     bl, buffer + 1
        mov     bh, 0
        mov     byte ptr [si + bx], 0
        call    skip_separators
        test    al, al
        ret

; Print day and date, and time, as DATE, TIME and the prompt show them. Keep SI.
print_date:
        push    si
        mov     ah, 2Ah
        int     21h
        mov     ah, 3
        mul     ah
        add     ax, offset days_text
        mov     si, ax
        mov     di, offset row
        push    cx
        mov     cx, 3
        rep     movsb
        mov     al, ' '
        stosb
        mov     al, dh
        call    put_two
        mov     ah, '-'
        mov     al, dl
        call    put_after
        mov     al, '-'
        stosb
        pop     ax
        xor     dx, dx
        mov     cl, 4
        call    put_number
        jmp     print_row_end
print_time:
        push    si
        mov     ah, 2Ch
        int     21h
        push    dx
        push    cx
        mov     di, offset row
        mov     al, ch
        mov     ah, 0
        xor     dx, dx
        mov     cl, 2
        call    put_number
        pop     ax
        mov     ah, ':'
        call    put_after
        pop     dx
        mov     al, dh
        call    put_after
        mov     ah, '.'
        mov     al, dl
        call    put_after
print_row_end:
        mov     byte ptr [di], 0
        mov     dx, offset row
        call    print
        pop     si
        ret

month   db      0
day     db      0
hour    db      0
minute  db      0
second  db      0                       ; directly after minute
hundredth db    0
