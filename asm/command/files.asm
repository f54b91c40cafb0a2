; files.asm: TYPE, DEL, REN, MD, RD, CD, TRUENAME.

do_type:
        call    take_path
        jc      missing_parameter
        mov     dx, offset name_1
        mov     ax, 3D00h
        int     21h
        jc      name_not_found
        mov     bx, ax
type_part:
        mov     dx, offset buffer
        mov     cx, size buffer
        mov     ah, 3Fh
        int     21h
        jc      type_end
        test    ax, ax
        jz      type_end
        mov     cx, ax
        mov     dx, ax
        mov     di, offset buffer
        mov     al, END_OF_TEXT
        repne   scasb
        mov     cx, dx
        mov     dh, 0                   ; more data follows
        jne     type_write
        mov     cx, di
        sub     cx, offset buffer + 1
        mov     dh, 1
type_write:
        jcxz    type_end
        push    bx
        push    dx
        mov     bx, STDOUT
        mov     dx, offset buffer
        mov     ah, 40h
        int     21h
        pop     dx
        pop     bx
        jc      type_end
        test    dh, dh
        jz      type_part
type_end:
        mov     ah, 3Eh
        int     21h
        ret

missing_parameter:
        mov     dx, offset missing_text
        jmp     print_error
too_many_parameters:
        mov     dx, offset too_many_text
        jmp     print_error
name_not_found:
        mov     dx, offset file_not_found_name
; Prints the message DX and the name that it concerns.
tell_name:
        call    print_error
        mov     dx, offset name_1
        call    print_error
        mov     dx, offset new_line_text
        jmp     print_error
; AL: the switch letter.
invalid_switch:
        mov     dx, offset invalid_switch_text
        call    print_error
        mov     character, al
        mov     dx, offset character
        call    print_error
        mov     dx, offset new_line_text
        jmp     print_error

; DEL [/P] name: a directory means all its files.
do_delete:
        mov     asking, 0
        mov     name_1, 0
delete_word:
        call    skip_separators
        test    al, al
        jz      delete_parsed
        cmp     al, '/'
        jne     delete_name
        inc     si
        lodsb
        call    upper
        cmp     al, 'P'
        jne     invalid_switch
        mov     asking, 1
        jmp     delete_word
delete_name:
        cmp     name_1, 0
        jne     too_many_parameters
        call    take_path
        jc      missing_parameter
        jmp     delete_word
delete_parsed:
        cmp     name_1, 0
        je      missing_parameter
        mov     si, offset name_1
        call    is_wild
        jnz     delete_pattern
        call    is_directory
        jc      delete_pattern
        mov     si, offset name_1
        call    end_folder
        mov     ax, '.*'
        stosw
        mov     ax, '*'
        stosw
delete_pattern:
        cmp     asking, 0
        jne     delete_search
        call    name_part
        cmp     word ptr [bx], '.*'
        jne     delete_search
        cmp     word ptr [bx + 2], '*'
        jne     delete_search
        mov     dx, offset delete_all_text
        call    print
        call    read_answer
        cmp     al, 'Y'
        jne     delete_end
delete_search:
        mov     dx, offset name_1
        xor     cx, cx
        call    find_first
        jc      delete_none
delete_next:
        mov     si, offset name_1
        call    name_part
        mov     di, bx
        mov     si, offset found + 1Eh
        call    copy_text
        cmp     asking, 0
        je      delete_now
        mov     dx, offset name_1
        call    print
        mov     dx, offset delete_one_text
        call    print
        call    read_answer
        cmp     al, 'Y'
        jne     delete_kept
delete_now:
        mov     dx, offset name_1
        mov     ah, 41h
        int     21h
        jnc     delete_kept
        mov     dx, offset access_denied_text
        call    print_error
delete_kept:
        mov     ah, 4Fh
        int     21h
        jnc     delete_next
delete_end:
        ret
delete_none:
        mov     dx, offset file_not_found_text
        cmp     al, 3
        jne     delete_tell
        mov     dx, offset path_not_found_text
delete_tell:
        jmp     print_error

; REN old new: the new name has no path; its wildcards keep characters of the old name.
do_rename:
        call    take_path
        jc      missing_parameter
        mov     di, offset name_2
        call    take_path_to
        jc      missing_parameter
        call    skip_separators
        test    al, al
        jnz     too_many_parameters
        mov     si, offset name_2
        call    name_part
        cmp     bx, si
        mov     dx, offset invalid_parameter_text
        jne     rename_failed
        mov     dx, offset name_1
        xor     cx, cx
        call    find_first
        mov     dx, offset duplicate_text
        jc      rename_failed
        mov     si, offset name_1
        call    name_part
        mov     ax, bx
        sub     ax, si
        mov     prefix_size, ax
rename_next:
        mov     di, offset name_1
        add     di, prefix_size
        mov     si, offset found + 1Eh
        call    copy_text
        mov     si, offset name_1
        mov     di, offset name_3
        mov     cx, prefix_size
        rep     movsb
        mov     si, offset name_2
        mov     bx, offset found + 1Eh
        call    merge_name
        mov     dx, offset name_1
        mov     di, offset name_3
        mov     ah, 56h
        int     21h
        jnc     rename_done
        mov     dx, offset duplicate_text
        call    print_error
rename_done:
        mov     ah, 4Fh
        int     21h
        jnc     rename_next
        ret
rename_failed:
        jmp     print_error

; Copies the name SI to DI, with its wildcards filled from the name BX. Keeps only DS, ES.
merge_name:
        push    di
        push    bx
        mov     di, offset sources
        mov     ax, 2900h
        int     21h
        pop     si
        mov     di, offset sources + 16
        mov     ax, 2900h
        int     21h
        mov     bx, 1
merge_letter:
        cmp     sources[bx], '?'
        jne     merge_next
        mov     al, sources[bx + 16]
        mov     sources[bx], al
merge_next:
        inc     bx
        cmp     bx, 12
        jb      merge_letter
        pop     di
        mov     si, offset sources + 1
        mov     cx, 8
        call    merge_part
        cmp     sources + 9, ' '
        je      merge_end
        mov     al, '.'
        stosb
        mov     si, offset sources + 9
        mov     cx, 3
        call    merge_part
merge_end:
        mov     byte ptr [di], 0
        ret
merge_part:
        lodsb
        cmp     al, ' '
        je      merge_part_end
        stosb
        loop    merge_part
merge_part_end:
        ret

do_md:  call    take_path
        jc      missing_parameter
        mov     dx, offset name_1
        mov     ah, 39h
        int     21h
        mov     dx, offset no_directory_text
        jc      rename_failed
        ret

do_rd:  call    take_path
        jc      missing_parameter
        mov     dx, offset name_1
        mov     ah, 3Ah
        int     21h
        mov     dx, offset not_removed_text
        jc      rename_failed
        ret

; CD, CD d: prints the directory.
do_cd:  call    take_path
        mov     dl, 0
        jc      cd_show
        mov     al, name_1
        and     al, 1Fh
        mov     dl, al
        cmp     word ptr name_1 + 1, ':'
        je      cd_show
        mov     si, offset name_1       ; remove a backslash at the end, except of a root
        call    text_size
        cmp     cx, 3
        jb      cd_change
        mov     bx, cx
        cmp     name_1[bx - 2], '\'
        jne     cd_change
        cmp     name_1[bx - 3], ':'
        je      cd_change
        mov     name_1[bx - 2], 0
cd_change:
        mov     dx, offset name_1
        mov     ah, 3Bh
        int     21h
        mov     dx, offset invalid_directory_text
        jc      rename_failed
        ret
cd_show:
        mov     di, offset name_2
        call    current_path
        mov     dx, offset invalid_drive_text
        jc      rename_failed
        mov     dx, offset name_2
        call    print
        jmp     new_line

do_truename:
        call    take_path
        jnc     truename_given
        mov     word ptr name_1, '.'
truename_given:
        mov     si, offset name_1
        mov     di, offset name_2
        mov     ah, 60h
        int     21h
        mov     dx, offset path_not_found_text
        jc      rename_failed
        mov     dx, offset name_2
        call    print
        jmp     new_line

asking  db      0
prefix_size dw  0
