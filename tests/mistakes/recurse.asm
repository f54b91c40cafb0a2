; A procedure that calls itself and never returns.
        .model small
        .stack 100h
        .code
start:  mov ax, 5
        call down
        mov ax, 4C00h
        int 21h
down    proc
        dec ax
        call down
        ret
down    endp
        end start
