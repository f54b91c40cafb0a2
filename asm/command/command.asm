; COMMAND.COM: the command interpreter of oxbox.
;
; One file, two parts. The resident part (resident.asm) is small and stays in memory. It holds the
; data that outlasts a program, starts programs and gets their return codes. For other work it
; starts this file again as its child, the transient part (all other files). The transient part
; reads commands, executes the internal ones, and ends with a request to start a program. So a
; program has all memory except 3 KB. After Ctrl-C, DOS ends the transient part like any program,
; and the resident part starts a new one.
;
;     COMMAND [/E:bytes] [/C command | /K command]
;
; /C ends after the command, with its ERRORLEVEL; /K stays. /E sets the size of the environment. Any
; 8086, DOS 3.3 or later. Assembles with UASM and JWasm.

        .8086
        .model  tiny

BLANK   equ     ' '
TAB     equ     9
LF      equ     10
CR      equ     13
BACKSPACE equ   8
ESCAPE  equ     27
END_OF_TEXT equ 1Ah                     ; Ctrl-Z

STDIN   equ     0
STDOUT  equ     1
STDERR  equ     2

; Offsets in the PSP.
PSP_TOP equ     2
PSP_PARENT equ  16h
PSP_ENVIRONMENT equ 2Ch
PSP_STACK equ   2Eh
PSP_TAIL equ    80h

LINE_ROOM equ   256                     ; a line of input or of a batch file
PATH_ROOM equ   80                      ; drive, 64 of path, 8.3 and a zero byte, rounded up

        .code
        org     100h

start:  jmp     begin

        include resident.asm
        include begin.asm
        include main.asm
        include lines.asm
        include run.asm
        include batch.asm
        include dir.asm
        include copy.asm
        include files.asm
        include settings.asm
        include text.asm
        include messages.asm

        .data?

line    db      LINE_ROOM dup (?)       ; the current command line
        db      LINE_ROOM dup (?)       ; its overflow: it can grow in the expansion before it is cut
raw     db      LINE_ROOM dup (?)       ; a line of a batch file, before expansion
raw_end label   byte
command db      2 * LINE_ROOM dup (?)   ; the line without redirections
word_   db      16 dup (?)              ; a word in upper case
name_1  db      2 * PATH_ROOM dup (?)   ; current paths
name_2  db      2 * PATH_ROOM dup (?)
name_3  db      2 * PATH_ROOM dup (?)
pattern db      16 dup (?)
found   db      44 dup (?)              ; the result of a search
row     db      2 * PATH_ROOM dup (?)   ; a line of output
redirect_in db  PATH_ROOM dup (?)
redirect_out db PATH_ROOM dup (?)
depths  db      16 * 48 dup (?)         ; the directories of DIR /S: a search and the length of its path
sources db      2 * LINE_ROOM dup (?)   ; the source of COPY
buffer  db      8192 dup (?)
stack_room db   1024 dup (?)
stack_end label byte

        end     start
