; {name}: prints a line and ends.
;
; Run it:    oxbox run {name}.asm
; Step it:   oxbox debug {name}.asm
; Test it:   oxbox test {name}.toml

        .model  small                   ; one segment of code, one of data
        .stack  100h                    ; 256 bytes for the stack

        .data
message db      'Hello, world!', 13, 10, '$'    ; 13, 10: a new line; '$' ends the text

        .code
start:  mov     ax, @data               ; DS is not set when an EXE starts:
        mov     ds, ax                  ; without these lines the text is not found

        mov     dx, offset message      ; DS:DX: the address of the text
        mov     ah, 9                   ; DOS function 09h: print up to '$'
        int     21h

        mov     ax, 4C00h               ; DOS function 4Ch: end, with exit code 0
        int     21h

        end     start                   ; execution begins at this label
