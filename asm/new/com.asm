; {name}: a COM program. It asks for a name and greets.
;
; Run it:    oxbox run {name}.asm
; Build it:  oxbox build {name}.asm -o {name}.com

        .model  tiny                    ; code, data and stack share one segment
        .code
        org     100h                    ; DOS loads a COM program at offset 100h

start:  mov     dx, offset question     ; DS is set already
        mov     ah, 9                   ; DOS function 09h: print up to '$'
        int     21h

        mov     dx, offset line         ; DOS function 0Ah: read a line
        mov     ah, 0Ah
        int     21h

        mov     bl, length_read         ; the number of characters, without ENTER
        mov     bh, 0                   ; BX: the same as a word
        mov     name_read[bx], '$'      ; the mark that ends the text

        mov     dx, offset greeting
        mov     ah, 9
        int     21h
        mov     dx, offset name_read
        mov     ah, 9
        int     21h

        mov     ax, 4C00h               ; DOS function 4Ch: end, with exit code 0
        int     21h

; Data follows the code, where execution never arrives.
question    db  'Your name? $'
greeting    db  13, 10, 'Hello, $'

; The buffer of function 0Ah: its size, the length that was read, the characters.
line        db  20                      ; room for 19 characters and ENTER
length_read db  0
name_read   db  21 dup (0)

        end     start
