; main.asm: the main loop of the transient part: the current frame, then the prompt.

transient:
        mov     sp, offset stack_end
        call    fetch
        mov     saved_in, -1
        mov     saved_out, -1

next:   mov     sp, offset stack_end
        cmp     failed, 0
        je      next_broken
        call    tell_failure
next_broken:
        cmp     broken, 0
        je      next_frame
        mov     broken, 0
        call    after_break
next_frame:
        cmp     start_anew, 0
        jne     again
        mov     bx, top
        cmp     bx, offset frames
        je      next_typed
        mov     bl, [bx - 1]
        mov     bh, 0
        shl     bx, 1
        call    next_kinds[bx]
        jmp     next
next_typed:
        cmp     single, 0
        jne     leave_shell
        call    read_command
        jc      leave_shell             ; end of input
        mov     si, offset line
        call    expand_variables
        call    run_line
        jmp     next

next_kinds dw   next_line, next_in_batch, next_in_for, next_in_pipe, next_deletion, next_redirection

again:  mov     al, ASK_AGAIN
        jmp     leave_with
leave_shell:
        call    drop_frames
        mov     al, ASK_LEAVE

; Ends the transient part with the request AL.
leave_with:
        push    ax
        call    commit
        pop     ax
        mov     ah, 4Ch
        int     21h

; Copies the state from the resident part, or back to it. Both keep all registers but AX.
fetch:  push    ds
        push    es
        mov     ds, resident_segment
        jmp     copy_state
commit: push    ds
        push    es
        mov     es, resident_segment
copy_state:
        push    si
        push    di
        push    cx
        mov     si, offset state
        mov     di, si
        mov     cx, offset single_end - offset state
        cmp     ds:[single], 0
        jne     copy_state_now
        mov     cx, offset resident_end - offset state
copy_state_now:
        rep     movsb
        pop     cx
        pop     di
        pop     si
        pop     es
        pop     ds
        ret

; Prints why the program was not started.
tell_failure:
        mov     ax, failed
        mov     failed, 0
        mov     dx, offset too_big_text
        cmp     ax, 8
        je      tell
        mov     dx, offset bad_exe_text
        cmp     ax, 0Bh
        je      tell
        mov     dx, offset access_denied_text
        cmp     ax, 5
        je      tell
        mov     dx, offset bad_command_text
tell:   jmp     print_error

; Ctrl-C has ended a program. A batch file continues if the user agrees.
after_break:
        call    topmost_batch
        jc      drop_frames
ask_about_batch:
        mov     dx, offset terminate_text
        call    print
        call    read_answer
        cmp     al, 'N'
        je      after_break_end
        cmp     al, 'Y'
        jne     ask_about_batch
        call    drop_frames
after_break_end:
        ret

; ---- Frames.

; Completes a frame. DI: the end of the data written from `top`. AL: its kind. Without room all
; frames are cancelled.
end_frame:
        lea     bx, [di + 3]
        cmp     bx, offset frames_end
        ja      end_frame_full
        mov     [bx - 1], al
        mov     ax, bx
        sub     ax, top
        mov     [bx - 3], ax
        mov     top, bx
        ret
end_frame_full:
        mov     dx, offset nesting_text
        call    print_error
        call    drop_frames
        jmp     next

; Returns in DI the address for a frame of CX bytes. Does not return if there is no room.
room_for_frame:
        mov     di, top
        mov     ax, di
        add     ax, cx
        jc      end_frame_full
        cmp     ax, offset frames_end - 3
        ja      end_frame_full
        ret

; Returns in BX the last frame. Changes nothing else.
last_frame:
        mov     bx, top
        sub     bx, [bx - 3]
        ret

; Removes the last frame, without its effects. BX: its former address.
pop_frame:
        call    last_frame
        mov     top, bx
        ret

; Ends all frames.
drop_frames:
        cmp     top, offset frames
        je      drop_frames_end
        call    drop_frame
        jmp     drop_frames
drop_frames_end:
        ret

; Ends the last frame with its effects.
drop_frame:
        mov     bx, top
        mov     al, [bx - 1]
        cmp     al, FRAME_BATCH
        je      end_batch
        cmp     al, FRAME_REDIRECTED
        je      next_redirection
        cmp     al, FRAME_PIPE
        je      next_deletion           ; it begins with its file
        cmp     al, FRAME_DELETE
        je      next_deletion
        jmp     pop_frame

; Returns in BX the topmost batch file's frame. CF: none.
topmost_batch:
        mov     bx, top
topmost_look:
        cmp     bx, offset frames
        stc
        je      topmost_end
        mov     al, [bx - 1]
        sub     bx, [bx - 3]
        cmp     al, FRAME_BATCH
        jne     topmost_look
        clc
topmost_end:
        ret

; A command from /C or /K.
next_line:
        call    pop_frame
        mov     si, bx
        mov     di, offset line
        call    copy_text
        mov     si, offset line
        jmp     run_line

; A pipe's output is complete: the second command reads it, and then it is deleted.
next_in_pipe:
        call    pop_frame
        mov     si, bx
        mov     di, offset redirect_in
        call    copy_text
        mov     di, offset line
        call    copy_text
        mov     si, offset redirect_in
        mov     di, top
        call    copy_text
        mov     al, FRAME_DELETE
        call    end_frame
        mov     si, offset line
        jmp     run_piped

next_deletion:
        call    pop_frame
        mov     dx, bx
        mov     ah, 41h
        int     21h
        ret

; The resident part's standard handles are restored. The transient part has inherited the redirected
; ones, so a new one is started.
next_redirection:
        call    pop_frame
        mov     ax, [bx]
        mov     saved_in, ax
        mov     ax, [bx + 2]
        mov     saved_out, ax
        call    enter_resident
        call    undo_redirection
        call    leave_resident
        mov     start_anew, 1
        ret

; Between these two, opened and closed handles belong to the resident part. DOS notes the stack in
; its PSP, which must be kept for the end of the transient part.
enter_resident:
        push    bx
        push    es
        mov     es, resident_segment
        mov     bx, es:[PSP_STACK]
        mov     resident_stack_at, bx
        mov     bx, es:[PSP_STACK + 2]
        mov     resident_stack_at + 2, bx
        mov     bx, es
        jmp     change_process
leave_resident:
        push    bx
        push    es
        mov     es, resident_segment
        mov     bx, resident_stack_at
        mov     es:[PSP_STACK], bx
        mov     bx, resident_stack_at + 2
        mov     es:[PSP_STACK + 2], bx
        mov     bx, cs
change_process:
        push    ax
        mov     ah, 50h
        int     21h
        pop     ax
        pop     es
        pop     bx
        ret

resident_segment dw 0
resident_stack_at dw 0, 0
start_anew db   0
