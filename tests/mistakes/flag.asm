; A flag that is never set.
        .model tiny
        .code
        org 100h
start:  cmp byte ptr done, 1
        jne start
        ret
done    db 0
        end start
