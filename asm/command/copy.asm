; copy.asm: COPY [/A | /B] source[+source...] [destination].
;
; Joined files are texts: each is read up to its Ctrl-Z, and one Ctrl-Z ends the destination.
; Devices are texts too. Other files are copied completely, with their date. /B and /A override
; this.

do_copy:
        xor     ax, ax
        mov     copied, ax
        mov     source_count, ax
        mov     as_text, al
        mov     as_bytes, al
        mov     joining, al
        mov     plus_seen, al
        mov     target_open, al
        mov     name_2, al
        mov     source_end, offset sources
copy_word:
        call    skip_separators
        test    al, al
        jz      copy_parsed
        cmp     al, '+'
        je      copy_plus
        cmp     al, '/'
        jne     copy_name
        inc     si
        lodsb
        call    upper
        mov     bx, offset as_text
        cmp     al, 'A'
        je      copy_switch
        mov     bx, offset as_bytes
        cmp     al, 'B'
        je      copy_switch
        cmp     al, 'V'
        je      copy_word
        cmp     al, 'Y'
        je      copy_word
        jmp     invalid_switch
copy_switch:
        mov     word ptr as_text, 0     ; and as_bytes: the last switch counts
        mov     byte ptr [bx], 1
        jmp     copy_word
copy_plus:
        inc     si
        mov     plus_seen, 1
        mov     joining, 1
        jmp     copy_word
copy_name:
        call    take_path
        jc      missing_parameter
        cmp     source_count, 0
        je      copy_source
        cmp     plus_seen, 0
        jne     copy_source
        cmp     name_2, 0
        jne     too_many_parameters
        push    si
        mov     si, offset name_1
        mov     di, offset name_2
        call    copy_text
        pop     si
        jmp     copy_word
copy_source:
        mov     plus_seen, 0
        inc     source_count
        push    si
        mov     si, offset name_1
        mov     di, source_end
        call    copy_text
        mov     byte ptr [di], 0
        mov     source_end, di
        pop     si
        jmp     copy_word

; Determines whether the destination is a folder or a file (also with wildcards).
copy_parsed:
        cmp     source_count, 0
        je      missing_parameter
        mov     si, offset sources
        call    is_wild
        mov     source_wild, 0
        jz      copy_source_folder
        mov     source_wild, 1
        jmp     copy_target
copy_source_folder:                     ; a folder alone means all its files
        mov     si, offset sources
        call    is_directory
        jc      copy_target
        cmp     joining, 0
        jne     copy_target
        call    end_folder
        mov     ax, '.*'
        stosw
        mov     ax, '*'
        stosw
        mov     source_wild, 1
copy_target:
        mov     target_folder, 1
        mov     si, offset name_2
        cmp     name_2, 0
        jne     copy_target_given
        cmp     joining, 0
        je      copy_begin
        mov     si, offset sources      ; joined into the first one
        mov     di, offset name_2
        call    copy_text
        mov     target_folder, 0
        jmp     copy_begin
copy_target_given:
        call    is_directory
        jnc     copy_begin_folder
        mov     target_folder, 0
        call    is_wild
        jnz     copy_begin
        mov     al, source_wild
        or      joining, al
        jmp     copy_begin
copy_begin_folder:
        call    end_folder
copy_begin:
        mov     al, joining
        or      al, source_wild
        mov     naming, al
        mov     si, offset sources

; Copies each source in turn.
copy_each:
        mov     source_at, si
        mov     dx, si
        mov     cx, 0
        call    find_first
        jnc     copy_match
        cmp     joining, 0              ; a missing file is skipped when joining
        jne     copy_next_source
        mov     di, offset name_1
        call    copy_text
        call    name_not_found
        jmp     copy_next_source
copy_match:
        mov     si, source_at
        call    name_part
        mov     cx, bx
        sub     cx, si
        mov     di, offset name_1
        rep     movsb
        mov     si, offset found + 1Eh
        call    copy_text
        cmp     naming, 0
        je      copy_one
        mov     dx, offset name_1
        call    print
        call    new_line
copy_one:
        call    copy_file
        jc      copy_end
        mov     ah, 4Fh
        int     21h
        jnc     copy_match
copy_next_source:
        mov     si, source_at
        call    skip_text
        cmp     byte ptr [si], 0
        je      copy_all_done
        mov     al, source_wild
        jmp     copy_each
copy_all_done:
        cmp     target_open, 0
        je      copy_end
        cmp     as_bytes, 0             ; Ctrl-Z ends a text
        jne     copy_close
        mov     buffer, END_OF_TEXT
        mov     cx, 1
        mov     bx, target
        mov     dx, offset buffer
        mov     ah, 40h
        int     21h
copy_close:
        mov     bx, target
        mov     ah, 3Eh
        int     21h
        mov     target_open, 0
        inc     copied
copy_end:
        cmp     target_open, 0
        jne     copy_close
        mov     di, offset row
        mov     ax, copied
        xor     dx, dx
        mov     cl, 9
        call    put_number
        mov     si, offset copied_text
        call    copy_text
        mov     dx, offset row
        jmp     print

; Copies the file `name_1` to the destination. CF: the copy ends; a message has been printed.
copy_file:
        cmp     target_open, 0          ; joined: the name is already known
        jne     copy_open_source
        mov     si, offset name_2
        mov     di, offset name_3
        cmp     target_folder, 0
        je      copy_to_file
        call    copy_text
        dec     di
        mov     si, offset found + 1Eh
        call    copy_text
        jmp     copy_open_source
copy_to_file:
        call    name_part
        mov     cx, bx
        sub     cx, si
        rep     movsb
        call    is_wild_here
        jz      copy_plain_name
        push    si
        mov     si, offset sources      ; merge_name uses this buffer
        mov     di, offset buffer
        mov     cx, 64
        rep     movsb
        pop     si
        mov     di, offset name_3
        mov     ax, si
        sub     ax, offset name_2
        add     di, ax
        mov     bx, offset found + 1Eh
        call    merge_name
        push    si
        mov     si, offset buffer
        mov     di, offset sources
        mov     cx, 64
        rep     movsb
        pop     si
        jmp     copy_open_source
copy_plain_name:
        call    copy_text
copy_open_source:
        mov     dx, offset name_1
        mov     ax, 3D00h
        int     21h
        jnc     copy_source_open
        mov     dx, offset access_denied_name
        cmp     al, 5
        je      copy_tell_source
        mov     dx, offset file_not_found_name
copy_tell_source:
        call    tell_name
        clc
        ret
copy_source_open:
        mov     source, ax
        mov     bx, ax
        mov     ax, 4400h
        int     21h
        mov     text_now, 0
        test    dl, 80h
        jnz     copy_as_text
        mov     al, as_text
        or      al, joining
        jz      copy_compare
        cmp     as_bytes, 0
        jne     copy_compare
copy_as_text:
        mov     text_now, 1
; A file cannot be copied onto itself, but joined files may begin with their destination.
copy_compare:
        mov     same, 0
        test    dl, 80h
        jnz     copy_open_target
        mov     si, offset name_1
        mov     di, offset buffer
        mov     ah, 60h
        int     21h
        mov     si, offset name_3
        mov     di, offset buffer + 256
        mov     ah, 60h
        int     21h
        jc      copy_open_target
        mov     si, offset buffer
        mov     di, offset buffer + 256
        call    same_text
        jne     copy_open_target
        mov     same, 1
        mov     dx, offset lost_text
        cmp     target_open, 0
        jne     copy_lost
        cmp     joining, 0
        jne     copy_open_target
        mov     dx, offset itself_text
        call    print_error
        call    close_source
        stc
        ret
copy_lost:
        call    print_error
        call    close_source
        clc
        ret
copy_open_target:
        cmp     target_open, 0
        jne     copy_bytes
        mov     dx, offset name_3
        cmp     same, 0
        je      copy_create
        mov     ax, 3D02h
        int     21h
        jc      copy_no_target
        mov     target, ax
        mov     target_open, 1
        call    close_source
        mov     bx, target
        mov     ax, 4202h
        xor     cx, cx
        xor     dx, dx
        int     21h
        clc
        ret
copy_create:
        xor     cx, cx
        mov     ah, 3Ch
        int     21h
        jnc     copy_target_opened
copy_no_target:
        mov     dx, offset file_creation_text
        cmp     al, 5
        jne     copy_refused
        mov     dx, offset access_denied_text
copy_refused:
        call    print_error
        call    close_source
        stc
        ret
copy_target_opened:
        mov     target, ax
        mov     al, joining
        mov     target_open, al
copy_bytes:
        mov     bx, source
        mov     dx, offset buffer
        mov     cx, size buffer
        mov     ah, 3Fh
        int     21h
        jc      copy_source_ends
        test    ax, ax
        jz      copy_source_ends
        mov     cx, ax
        mov     same, 0
        cmp     text_now, 0
        je      copy_write
        push    cx
        mov     di, offset buffer
        mov     al, END_OF_TEXT
        repne   scasb
        pop     cx
        jne     copy_write
        mov     cx, di
        sub     cx, offset buffer + 1
        mov     same, 1                 ; the last component
        jcxz    copy_source_ends
copy_write:
        mov     bx, target
        mov     dx, offset buffer
        mov     ah, 40h
        int     21h
        jc      copy_full
        cmp     ax, cx
        jne     copy_full_unless_device
copy_written:
        cmp     same, 0
        je      copy_bytes
copy_source_ends:
        cmp     target_open, 0
        jne     copy_file_done
        inc     copied
        cmp     text_now, 0
        jne     copy_close_target
        mov     bx, source              ; the copy keeps the date of its source
        mov     ax, 5700h
        int     21h
        jc      copy_close_target
        mov     bx, target
        mov     ax, 5701h
        int     21h
copy_close_target:
        mov     bx, target
        mov     ah, 3Eh
        int     21h
copy_file_done:
        call    close_source
        clc
        ret
copy_full_unless_device:
        mov     ax, 4400h
        push    dx
        int     21h
        mov     ax, dx
        pop     dx
        test    al, 80h
        jnz     copy_written
copy_full:
        mov     dx, offset full_text
        call    print_error
        call    close_source
        mov     bx, target
        mov     ah, 3Eh
        int     21h
        mov     target_open, 0
        mov     dx, offset name_3
        mov     ah, 41h
        int     21h
        stc
        ret
close_source:
        mov     bx, source
        mov     ah, 3Eh
        int     21h
        ret

; Moves SI to the name in name_2. ZF: it has no wildcard.
is_wild_here:
        push    bx
        mov     si, bx
        call    is_wild
        pop     bx
        mov     si, bx
        ret

copied  dw      0
source_count dw 0
source_end dw   0
source_at dw    0
source  dw      0
target  dw      0
as_text db      0
as_bytes db     0                       ; directly after as_text
joining db      0
naming  db      0
plus_seen db    0
source_wild db  0
target_folder db 0
target_open db  0                       ; joined files are appended to the open file
text_now db     0
same    db      0
