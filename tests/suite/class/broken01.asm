; Does not assemble: a name is undefined, and a word is not an instruction.
        .386
code    segment use16 'code'
        org 100h
start:  mov ax, nowhere
        moove bx, ax
        ret
code    ends
        end start
