; begin.asm: the start of both parts. The resident part is initialised here.

; The transient part recognises itself by its command tail and by its parent's signature.
begin:
        cld
        mov     si, PSP_TAIL
        mov     di, offset transient_tail
        mov     cx, 4
        repe    cmpsb
        jne     begin_resident
        mov     es, ds:[PSP_PARENT]
        mov     si, offset signature
        mov     di, si
        mov     cx, SIGNATURE_SIZE
        repe    cmpsb
        mov     ax, es
        push    ds
        pop     es
        jne     begin_resident
        mov     resident_segment, ax
        jmp     transient

; Parses the command line, frees all memory except the resident part, and enlarges the environment.
begin_resident:
        mov     si, PSP_TAIL + 1
        mov     bl, [si - 1]
        mov     bh, 0
        mov     byte ptr [si + bx], 0
begin_word:
        call    skip_separators
        test    al, al
        jz      begin_memory
        cmp     al, '/'
        je      begin_switch
begin_skip:                             ; the path of COMMAND.COM, or a device: both are ignored
        inc     si
        mov     al, [si]
        call    is_separator
        je      begin_word
        cmp     al, '/'
        jne     begin_skip
        jmp     begin_word
begin_switch:
        inc     si
        lodsb
        call    upper
        cmp     al, 'C'
        je      begin_command
        cmp     al, 'K'
        je      begin_command
        cmp     al, 'E'
        jne     begin_word_end
        cmp     byte ptr [si], ':'
        jne     begin_word_end
        inc     si
        call    number
        cmp     ax, 32000
        ja      begin_word
        mov     wanted_environment, ax
        jmp     begin_word
begin_word_end:                         ; a switch without meaning here
        test    al, al
        jz      begin_memory
        mov     al, [si]
        call    is_separator
        je      begin_word
        inc     si
        jmp     begin_word_end

; The rest of the line is a command: it becomes the first frame.
begin_command:
        cmp     al, 'C'
        jne     begin_text
        mov     single, 1
begin_text:
        call    skip_separators
        mov     di, top
        call    copy_text
        mov     al, FRAME_LINE
        call    end_frame

begin_memory:
        mov     sp, offset resident_stack
        mov     ax, cs
        mov     exec_tail + 2, ax
        mov     exec_tail + 6, ax
        mov     exec_tail + 10, ax
        mov     bx, offset resident_end + 15
        cmp     single, 0
        je      begin_shrink
        mov     bx, offset single_end + 15
begin_shrink:
        mov     cl, 4
        shr     bx, cl
        mov     ah, 4Ah
        int     21h

; The program's path follows the strings of the environment.
        mov     es, ds:[PSP_ENVIRONMENT]
        call    environment_size
        mov     bx, cx                  ; the strings with their final zero byte
        lea     di, [bx + 2]
        mov     si, offset own_path
        mov     cx, PATH_ROOM - 1
begin_path:
        mov     al, es:[di]
        mov     [si], al
        inc     si
        inc     di
        test    al, al
        loopnz  begin_path

        mov     ax, bx
        add     ax, 256
        cmp     single, 0
        jne     begin_allocate
        add     ax, 1024
begin_allocate:
        cmp     ax, wanted_environment
        jae     begin_size
        mov     ax, wanted_environment
begin_size:
        mov     dx, bx
        mov     cl, 4
        mov     bx, ax
        add     bx, 15
        shr     bx, cl
        mov     ah, 48h
        int     21h
        jc      begin_done              ; no room: the environment keeps its size
        mov     cx, dx
        push    ds
        mov     ds, ds:[PSP_ENVIRONMENT]
        mov     es, ax
        xor     si, si
        xor     di, di
        rep     movsb
        mov     bx, ds
        pop     ds
        mov     ds:[PSP_ENVIRONMENT], ax
        mov     es, bx
        mov     ah, 49h
        int     21h
begin_done:
        push    ds
        pop     es
        jmp     resident

; ES: an environment. Returns in CX the size of its strings with the final zero byte. Changes AX,
; DI.
environment_size:
        xor     di, di
        mov     al, 0
        cmp     es:[di], al
        je      environment_end
environment_string:
        mov     cx, -1
        repne   scasb
        cmp     es:[di], al
        jne     environment_string
environment_end:
        inc     di
        mov     cx, di
        ret

wanted_environment dw 0
