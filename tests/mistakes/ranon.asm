; The main procedure has no end: the program runs on into the next one.
        .model small
        .stack 100h
        .data
count   dw 3
        .code
main    proc
        mov ax, @data
        mov ds, ax
        call lower
main    endp
lower   proc
        dec count
        ret
lower   endp
        end main
