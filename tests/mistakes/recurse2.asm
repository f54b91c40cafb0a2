; The same in a COM program, whose code the stack then overwrites.
        .model tiny
        .code
        org 100h
start:  call down
        ret
down    proc
        push ax
        call down
        pop ax
        ret
down    endp
        end start
