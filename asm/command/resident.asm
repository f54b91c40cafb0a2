; resident.asm: the resident part. It starts programs and the transient part in turn.
;
; The transient part has the same bytes at the same addresses. It copies the state when it starts,
; and copies it back before it ends (fetch and commit in main.asm).

FRAME_ROOM equ  1536
HISTORY_ROOM equ 512
STACK_ROOM_RESIDENT equ 320

; Requests of the transient part, as return codes.
ASK_AGAIN equ   0                       ; start the transient part again
ASK_RUN equ     1                       ; start `program` with `tail`
ASK_LEAVE equ   2                       ; end, with `errorlevel`

exec_block dw   0                       ; our environment
exec_tail dw    offset transient_tail, 0
        dw      offset fcb_1, 0
        dw      offset fcb_2, 0
transient_tail db 2, 0FEh, 'T', CR      ; marks the child as the transient part
own_sp  dw      0

; DS = ES = SS = CS.
resident:
        mov     exec_tail, offset transient_tail
        mov     dx, offset own_path
        call    execute
        jc      no_transient
        test    ah, ah
        jnz     was_broken              ; by Ctrl-C: a new one starts, and detects that
        cmp     al, ASK_RUN
        jb      resident
        ja      leave_
        mov     exec_tail, offset tail
        mov     dx, offset program
        call    execute
        jc      not_started
        test    ah, ah
        jz      ended
        test    al, al                  ; a division error ends a program like Ctrl-C, but with a code
        jnz     ended
        cmp     ah, 3                   ; it stays resident
        je      ended
was_broken:
        mov     broken, 1
        jmp     resident
ended:  mov     errorlevel, al
        jmp     resident
not_started:
        mov     failed, ax
        jmp     resident
no_transient:
        mov     dx, offset no_transient_text
        mov     ah, 09h
        int     21h
        mov     errorlevel, 1
leave_: mov     al, errorlevel
        mov     ah, 4Ch
        int     21h

; Starts the program DX. CF: AX is the error, else AX is how it ended.
execute:
        mov     bx, offset exec_block
        mov     own_sp, sp
        mov     ax, 4B00h
        int     21h
        mov     bx, cs                  ; DOS 2 keeps only CS:IP
        mov     ss, bx
        mov     sp, cs:own_sp
        mov     ds, bx
        mov     es, bx
        cld
        jc      execute_end
        mov     ah, 4Dh
        int     21h
        clc
execute_end:
        ret

no_transient_text db 'COMMAND: not enough memory to go on', CR, LF, '$'
        db      STACK_ROOM_RESIDENT dup (0)
resident_stack label byte

; ---- The state.

state   label   byte
signature db    'oxbox COMMAND'
SIGNATURE_SIZE equ $ - signature
errorlevel db   0
broken  db      0                       ; the last program was ended by Ctrl-C
failed  dw      0                       ; why a program was not started
echoing db      1                       ; ECHO is on
single  db      0                       ; /C
own_path db     PATH_ROOM dup (0)
program db      PATH_ROOM dup (0)       ; the program to start
tail    db      128 dup (0)
fcb_1   db      16 dup (0)
fcb_2   db      16 dup (0)

; The stack of frames. A frame is its data, its size including these three bytes (a word), and its
; kind.
top     dw      offset frames           ; after the last frame
frames  db      FRAME_ROOM dup (0)
frames_end label byte
single_end label byte

history_used dw 0                       ; lines that were typed, each with its zero byte, the latest last
history db      HISTORY_ROOM dup (0)
resident_end label byte

FRAME_LINE equ  0                       ; a command: its text
FRAME_BATCH equ 1
FRAME_FOR equ   2
FRAME_PIPE equ  3                       ; a file that the next command reads, and that command
FRAME_DELETE equ 4                      ; a file to delete
FRAME_REDIRECTED equ 5                  ; the saved standard handles: words, FFFFh for none

; A batch file: the data before its path and the words of its command line.
batch_frame struct
position dd     ?                       ; of its next line
shifts  db      ?
echo_before db  ?
batch_frame ends
BATCH_PATH equ  size batch_frame

; FOR: the data before the set and the command.
for_frame struct
variable db     ?
next_item dw    ?                       ; from the beginning of the frame
searching db    ?
item    dw      ?                       ; the current pattern, from the beginning of the frame
prefix  db      ?                       ; the length of its drive and path
search  db      44 dup (?)
for_frame ends
FOR_SET equ     size for_frame
