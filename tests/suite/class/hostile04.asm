; Hostile: expands a macro without an end.
grow    macro
        db 4096 dup (1)
        grow
        endm
code    segment use16 'code'
        org 100h
start:  grow
code    ends
        end start
