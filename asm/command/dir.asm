; dir.asm: DIR [name] [/W] [/P] [/S] [/B] [/A[attributes]] [/O[order]].
;
; `name_2` is the full path of the current directory; `pattern` is searched there.

LEVELS  equ     16                      ; the maximum depth of /S
LEVEL_SIZE equ  48                      ; of `depths`

do_dir: mov     di, offset dir_state
        mov     cx, DIR_STATE_SIZE
        mov     al, 0
        rep     stosb
        mov     name_1, al
dir_word:
        call    skip_separators
        test    al, al
        jz      dir_parsed
        cmp     al, '/'
        je      dir_switch
        cmp     name_1, 0
        jne     too_many_parameters
        call    take_path
        jc      missing_parameter
        jmp     dir_word
dir_switch:
        inc     si
        lodsb
        call    upper
        mov     bx, offset wide
        cmp     al, 'W'
        je      dir_set
        mov     bx, offset pausing
        cmp     al, 'P'
        je      dir_set
        mov     bx, offset below
        cmp     al, 'S'
        je      dir_set
        mov     bx, offset bare
        cmp     al, 'B'
        je      dir_set
        cmp     al, 'O'
        je      dir_order
        cmp     al, 'A'
        jne     invalid_switch
        mov     hidden, 16h             ; what a search returns in addition to plain files
        cmp     byte ptr [si], ':'
        jne     dir_attribute
        inc     si
dir_attribute:
        mov     dl, 0                   ; a required attribute
        cmp     byte ptr [si], '-'
        jne     dir_attribute_letter
        inc     si
        mov     dl, -1
dir_attribute_letter:
        mov     al, [si]
        call    upper
        mov     bx, offset attribute_letters
dir_attribute_look:
        cmp     byte ptr [bx], 0
        je      dir_word
        cmp     al, [bx]
        je      dir_attribute_found
        add     bx, 2
        jmp     dir_attribute_look
dir_attribute_found:
        inc     si
        mov     al, [bx + 1]
        or      looked_at, al
        not     dl
        and     al, dl
        or      looked_for, al
        jmp     dir_attribute
dir_order:                              ; /O alone: directories first, then by name
        mov     di, offset orders
        mov     word ptr [di], 'NG'
        mov     word ptr [di + 2], 'E'
        cmp     byte ptr [si], ':'
        jne     dir_order_key
        inc     si
dir_order_key:
        mov     dl, 0                   ; bit 7: reverse order
        cmp     byte ptr [si], '-'
        jne     dir_order_letter
        inc     si
        mov     dl, 80h
dir_order_letter:
        mov     al, [si]
        call    upper
        push    di
        mov     di, offset order_letters
        mov     cx, ORDER_COUNT
        repne   scasb
        pop     di
        jne     dir_order_end
        inc     si
        or      al, dl
        stosb
        and     al, 7Fh
        cmp     al, 'N'
        jne     dir_order_stored
        mov     al, 'E'                 ; equal names are sorted by extension
        or      al, dl
        stosb
dir_order_stored:
        mov     byte ptr [di], 0
        cmp     di, offset orders + MOST_ORDERS
        jb      dir_order_key
dir_order_end:
        mov     al, [si]
        test    al, al
        jz      dir_ordered
        cmp     al, '/'
        je      dir_ordered
        call    is_separator
        je      dir_ordered
        jmp     invalid_switch
dir_ordered:
        jmp     dir_word
dir_set:
        mov     byte ptr [bx], 1
        jmp     dir_word

; Parses the directory and the pattern.
dir_parsed:
        mov     si, offset name_1
        call    is_wild
        jnz     dir_pattern
        call    is_directory
        jc      dir_pattern
        call    end_folder
        mov     ax, '.*'
        stosw
        mov     ax, '*'
        stosw
        jmp     dir_split
dir_pattern:                            ; NAME is NAME.*, .EXT is *.EXT
        call    name_part
        cmp     byte ptr [bx], '.'
        jne     dir_extension
        call    text_size
        mov     di, si
        add     di, cx
dir_star:
        mov     al, [di - 1]
        mov     [di], al
        dec     di
        cmp     di, bx
        ja      dir_star
        mov     byte ptr [bx], '*'
dir_extension:
        mov     di, bx
dir_dot:
        mov     al, [di]
        cmp     al, '.'
        je      dir_split
        inc     di
        test    al, al
        jnz     dir_dot
        dec     di
        mov     ax, '*.'
        stosw
        mov     byte ptr [di], 0
dir_split:
        mov     di, offset name_2
        mov     ah, 60h
        int     21h
        jc      dir_no_path
        mov     si, offset name_2
        call    name_part
        mov     si, bx
        mov     di, offset pattern
        mov     cx, 13
        rep     movsb
        mov     byte ptr [bx], 0
        cmp     bx, offset name_2 + 3
        je      dir_header
        mov     byte ptr [bx - 1], 0    ; only a root keeps its backslash
dir_header:
        mov     si, offset name_2
        call    is_directory
        jc      dir_no_path
        cmp     bare, 0
        jne     dir_list
        call    dir_new_line
        mov     al, name_2
        call    print_volume
        add     lines, 2
dir_list:
        call    list_directory
        cmp     anything, 0
        jne     dir_totals
        cmp     below, 0
        jne     dir_none
        cmp     bare, 0
        jne     dir_none
        call    print_directory_of
dir_none:
        mov     dx, offset file_not_found_text
        jmp     print_error
dir_no_path:
        mov     dx, offset path_not_found_text
        cmp     al, 0Fh
        jne     dir_no_path_tell
        mov     dx, offset invalid_drive_text
dir_no_path_tell:
        jmp     print_error

; Prints the totals and the free space.
dir_totals:
        cmp     bare, 0
        jne     dir_end
        cmp     below, 0
        je      dir_free
        call    dir_new_line
        mov     dx, offset total_text
        call    print
        call    dir_new_line
        mov     ax, all_files
        mov     bx, word ptr all_bytes
        mov     dx, word ptr all_bytes + 2
        call    print_sum
dir_free:
        mov     dl, name_2
        sub     dl, 'A' - 1
        mov     ah, 36h
        int     21h
        inc     ax
        jz      dir_end
        dec     ax
        mul     bx                      ; clusters to sectors
        push    ax
        mov     ax, dx
        mul     cx
        mov     bx, ax
        pop     ax
        mul     cx
        add     dx, bx
        mov     di, offset row
        mov     cl, 28
        call    put_number
        mov     si, offset free_text
        call    copy_text
        jmp     dir_row
dir_end:
        ret

; Lists the matching entries of `name_2`; with /S also those of its subdirectories.
list_directory:
        mov     files, 0
        mov     word ptr bytes, 0
        mov     word ptr bytes + 2, 0
        mov     column, 0
        mov     si, offset pattern
        call    search_below
        jc      list_summed
        cmp     orders, 0
        je      list_entry
        call    sort_directory
list_entry:
        mov     al, found + 15h
        and     al, looked_at
        cmp     al, looked_for
        jne     list_next
        cmp     bare, 0
        je      list_count
        cmp     byte ptr found + 1Eh, '.'
        je      list_next
list_count:
        cmp     files, 0
        jne     list_show
        cmp     bare, 0
        jne     list_show
        call    print_directory_of
list_show:
        inc     files
        mov     ax, word ptr found + 1Ah
        add     word ptr bytes, ax
        mov     ax, word ptr found + 1Ch
        adc     word ptr bytes + 2, ax
        call    show_entry
list_next:
        call    next_entry
        jnc     list_entry
        cmp     column, 0
        je      list_summed
        call    dir_new_line
list_summed:
        mov     ax, files
        test    ax, ax
        jz      list_below
        mov     anything, 1
        add     all_files, ax
        mov     bx, word ptr bytes
        mov     dx, word ptr bytes + 2
        add     word ptr all_bytes, bx
        adc     word ptr all_bytes + 2, dx
        cmp     bare, 0
        jne     list_below
        call    print_sum
list_below:
        cmp     below, 0
        je      dir_end
        cmp     level, LEVELS
        jae     dir_end
        mov     si, offset all_pattern
        call    search_below
        jc      dir_end
list_folder:
        test    byte ptr found + 15h, 10h
        jz      list_other
        cmp     byte ptr found + 1Eh, '.'
        je      list_other
        mov     si, offset name_2
        call    text_size_here
        dec     cx
        mov     bx, cx                  ; the length of the path to return to
        call    end_folder
        cmp     di, offset name_2 + PATH_ROOM
        jae     list_other
        mov     si, offset found + 1Eh
        call    copy_text
        call    this_level              ; the search continues afterwards
        mov     [di + 44], bx
        mov     si, offset found
        mov     cx, 44
        rep     movsb
        inc     level
        call    list_directory
        dec     level
        call    this_level
        mov     bx, [di + 44]
        mov     name_2[bx], 0
        mov     si, di
        mov     di, offset found
        mov     cx, 44
        rep     movsb
        mov     dx, offset found
        mov     ah, 1Ah
        int     21h
list_other:
        mov     ah, 4Fh
        int     21h
        jnc     list_folder
        ret

; DI: the saved search of this level. Changes AX.
this_level:
        mov     al, level
        mov     ah, LEVEL_SIZE
        mul     ah
        mov     di, ax
        add     di, offset depths
        ret

; Searches for SI in `name_2`. CF: not found.
search_below:
        push    si
        mov     si, offset name_2
        mov     di, offset name_3
        call    copy_text
        mov     si, offset name_3
        call    end_folder
        pop     si
        call    copy_text
        mov     dx, offset name_3
        mov     cl, hidden
        mov     ch, 0
        or      cl, 10h
        jmp     find_first

print_directory_of:
        cmp     below, 0
        je      directory_of
        call    dir_new_line
directory_of:
        mov     dx, offset directory_text
        call    print
        mov     dx, offset name_2
        call    print
        call    dir_new_line
        jmp     dir_new_line

; Prints AX files, DX:BX bytes.
print_sum:
        push    dx
        xor     dx, dx
        mov     di, offset row
        mov     cl, 9
        push    bx
        call    put_number
        mov     si, offset files_text
        call    copy_text
        dec     di
        pop     ax
        pop     dx
        mov     cl, 10
        call    put_number
        mov     si, offset bytes_text
        call    copy_text
        jmp     dir_row

; Prints the entry `found`.
show_entry:
        mov     di, offset row
        mov     si, offset found + 1Eh
        cmp     bare, 0
        jne     show_bare
        cmp     wide, 0
        jne     show_wide
        mov     cx, 8
        call    put_part
        mov     al, ' '
        stosb
        mov     cx, 3
        call    put_part
        test    byte ptr found + 15h, 10h
        jz      show_size
        mov     si, offset dir_mark
        call    copy_text
        dec     di
        jmp     show_stamp
show_size:
        mov     ax, word ptr found + 1Ah
        mov     dx, word ptr found + 1Ch
        mov     cl, 10
        call    put_number
show_stamp:
        mov     al, ' '
        stosb
        mov     ax, word ptr found + 18h
        mov     bx, ax
        mov     cl, 5
        shr     ax, cl
        and     al, 0Fh
        call    put_two
        mov     al, bl
        and     al, 1Fh
        mov     ah, '-'
        call    put_after
        mov     al, bh
        shr     al, 1
        add     al, 80
        cmp     al, 100
        jb      show_year
        sub     al, 100
show_year:
        mov     ah, '-'
        call    put_after
        mov     ax, word ptr found + 16h
        mov     bx, ax
        mov     al, ah
        shr     al, 1
        shr     al, 1
        shr     al, 1
        mov     dl, 'a'
        cmp     al, 12
        jb      show_hour
        mov     dl, 'p'
        sub     al, 12
show_hour:
        test    al, al
        jnz     show_hour_known
        mov     al, 12
show_hour_known:
        push    dx
        push    bx
        mov     ah, 0
        xor     dx, dx
        mov     cl, 4
        call    put_number
        pop     ax
        mov     cl, 5
        shr     ax, cl
        and     al, 3Fh
        mov     ah, ':'
        call    put_after
        pop     ax
        stosb
        mov     byte ptr [di], 0
        jmp     dir_row

; Prints the name up to its dot, or its extension, in CX columns.
put_part:
        cmp     byte ptr [si], '.'
        jne     put_part_letter
        cmp     cx, 8
        je      put_part_letter         ; . and .. have no extension
        inc     si
put_part_letter:
        mov     al, [si]
        test    al, al
        jz      put_part_blank
        cmp     al, '.'
        jne     put_part_copy
        cmp     byte ptr found + 1Eh, '.'
        jne     put_part_blank
put_part_copy:
        movsb
        loop    put_part_letter
        ret
put_part_blank:
        mov     al, ' '
        rep     stosb
        ret

show_bare:
        cmp     below, 0
        je      show_name
        push    si
        mov     si, offset name_2
        call    copy_text
        mov     si, offset row
        call    end_folder
        pop     si
show_name:
        call    copy_text
        jmp     dir_row

; Five names per line; directories in brackets.
show_wide:
        mov     dh, [si - 9]            ; attributes
        test    dh, 10h
        jz      wide_name
        mov     al, '['
        stosb
wide_name:
        call    copy_text
        dec     di
        test    dh, 10h
        jz      wide_fill
        mov     al, ']'
        stosb
wide_fill:
        inc     column
        cmp     column, 5
        je      wide_last
wide_blank:
        mov     al, ' '
        stosb
        cmp     di, offset row + 16
        jb      wide_blank
        mov     byte ptr [di], 0
        mov     dx, offset row
        jmp     print
wide_last:
        mov     column, 0
        mov     byte ptr [di], 0

; Ends a line, and with /P pauses when the screen is full.
dir_row:
        mov     dx, offset row
        call    print
dir_new_line:
        call    new_line
        cmp     pausing, 0
        je      dir_line_end
        inc     lines
        cmp     lines, 23
        jb      dir_line_end
        mov     lines, 0
        jmp     do_pause
dir_line_end:
        ret

; Gets the next entry of the current search in `found`. CF: no more.
next_entry:
        cmp     sorted, 0
        jne     next_sorted
        mov     ah, 4Fh
        int     21h
        ret
next_sorted:
        mov     ax, sorted_next
        cmp     ax, sorted_end
        je      sorted_all
        mov     si, ax
        add     ax, ENTRY_SIZE
        mov     sorted_next, ax
        mov     di, offset found + 15h
        mov     cx, ENTRY_SIZE
        mov     ds, sorted
        rep     movsb
        push    cs
        pop     ds
        clc
        ret
sorted_all:
        mov     sorted, 0
        stc
        ret

; Sorts all entries of the search that began with `found`; the first is in `found` afterwards. They
; are stored in the program's memory after this segment. If there is none, or if they exceed a
; segment, they are not sorted.
sort_directory:
        mov     bx, cs
        add     bx, 1000h
        jc      sort_not
        mov     ax, ds:[PSP_TOP]
        sub     ax, bx
        jbe     sort_not
        cmp     ax, 1000h
        jb      sort_room
        mov     ax, 0FFFh
sort_room:
        mov     cl, 4
        shl     ax, cl
        sub     ax, ENTRY_SIZE
        jb      sort_not
        mov     dx, ax                  ; the last position for an entry
        mov     sorted, bx
        xor     di, di
sort_take:
        mov     es, sorted
        mov     si, offset found + 15h
        mov     cx, ENTRY_SIZE
        rep     movsb
        push    cs
        pop     es
        mov     ah, 4Fh
        int     21h
        jc      sort_taken
        cmp     di, dx
        jbe     sort_take
        mov     sorted, 0
        mov     si, offset pattern
        jmp     search_below
sort_not:
        ret

; Comb sort: compares entries at a distance that shrinks to one.
sort_taken:
        mov     sorted_end, di
        mov     gap, di
        push    cs
        pop     es
sort_round:
        mov     ax, gap                 ; 10/13 of the distance, in whole records
        mov     bx, ENTRY_SIZE
        xor     dx, dx
        div     bx
        mov     bx, 10
        mul     bx
        mov     bx, 13
        div     bx
        mov     swapped, 0
        cmp     ax, 1
        ja      sort_gap
        mov     ax, 1
sort_gap:
        mov     bx, ENTRY_SIZE
        mul     bx
        mov     gap, ax
        mov     ds, sorted
        mov     es, cs:sorted
        xor     si, si
sort_pair:
        mov     di, si
        add     di, cs:gap
        jc      sort_round_end
        cmp     di, cs:sorted_end
        jae     sort_round_end
        call    out_of_order
        jnc     sort_next
        mov     cs:swapped, 1
        push    si
        mov     cx, ENTRY_SIZE
sort_swap:
        mov     al, [si]
        xchg    al, [di]
        mov     [si], al
        inc     si
        inc     di
        loop    sort_swap
        pop     si
sort_next:
        add     si, ENTRY_SIZE
        jmp     sort_pair
sort_round_end:
        push    cs
        pop     ds
        push    cs
        pop     es
        cmp     swapped, 0
        jne     sort_round
        cmp     gap, ENTRY_SIZE
        jne     sort_round
        mov     sorted_next, 0
        jmp     next_entry

; CF: the entry at DI comes before that at SI (DS and ES: the entries). Changes AX, BX, CX, DL.
out_of_order:
        mov     bx, offset orders
order_key:
        mov     dl, cs:[bx]
        inc     bx
        cmp     dl, 1                   ; all keys are equal: keep the order
        jb      order_same
        push    si
        push    di
        mov     al, dl
        and     al, 7Fh
        cmp     al, 'G'
        je      order_folders
        cmp     al, 'S'
        je      order_size
        cmp     al, 'D'
        je      order_date
        add     si, 9                   ; the name
        add     di, 9
        cmp     al, 'E'
        jne     order_letter
        call    extension
        xchg    si, di
        call    extension
        xchg    si, di
order_letter:
        call    letter
        mov     ah, al
        xchg    si, di
        call    letter
        xchg    si, di
        cmp     al, ah
        jne     order_told
        test    al, al
        jnz     order_letter
order_equal:
        pop     di
        pop     si
        jmp     order_key
order_folders:                          ; directories before files
        mov     al, [si]
        mov     ah, [di]
        and     ax, 1010h
        cmp     al, ah
        jne     order_told
        jmp     order_equal
order_size:
        mov     ax, [di + 7]
        cmp     ax, [si + 7]
        jne     order_told
        mov     ax, [di + 5]
        cmp     ax, [si + 5]
        jne     order_told
        jmp     order_equal
order_date:
        mov     ax, [di + 3]
        cmp     ax, [si + 3]
        jne     order_told
        mov     ax, [di + 1]
        cmp     ax, [si + 1]
        je      order_equal
order_told:                             ; CF: DI's is smaller
        pop     di
        pop     si
        rcl     al, 1
        shl     dl, 1                   ; reverse order
        adc     al, 0
        rcr     al, 1
        ret
order_same:
        clc
        ret

; Returns the next letter of the name component at SI, 0 at its end.
letter: mov     al, [si]
        test    al, al
        jz      letter_end
        inc     si
        cmp     al, '.'
        jne     letter_end
        mov     al, 0
letter_end:
        ret

; Moves SI from a name to its extension, or to its end. The names . and .. have no extension.
extension:
        cmp     byte ptr [si], '.'
        jne     extension_look
extension_none:
        inc     si
        cmp     byte ptr [si - 1], 0
        jne     extension_none
        dec     si
        ret
extension_look:
        mov     al, [si]
        test    al, al
        jz      letter_end
        inc     si
        cmp     al, '.'
        jne     extension_look
        ret

; A stored entry: attributes, time, date, size and name of a search.
ENTRY_SIZE equ  22
MOST_ORDERS equ 8

order_letters db 'NESDG'
ORDER_COUNT equ $ - order_letters
all_pattern db  '*.*', 0
attribute_letters db 'R', 01h, 'H', 02h, 'S', 04h, 'D', 10h, 'A', 20h, 0

dir_state label byte
wide    db      0
pausing db      0
below   db      0
bare    db      0
hidden  db      0
looked_at db    0                       ; of the attributes
looked_for db   0
anything db     0                       ; found
level   db      0
lines   db      0
column  db      0
files   dw      0
bytes   dd      0
all_files dw    0
all_bytes dd    0
orders  db      MOST_ORDERS + 3 dup (0) ; letters of /O; bit 7: reverse order
sorted  dw      0                       ; the segment of the sorted entries
sorted_next dw  0
sorted_end dw   0
gap     dw      0
swapped db      0
DIR_STATE_SIZE equ $ - dir_state
