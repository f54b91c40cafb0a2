; Does not assemble: a name is not there, and a word is no instruction.
        .386
code    segment use16 'code'
        org 100h
start:  mov ax, nowhere
        moove bx, ax
        ret
code    ends
        end start
