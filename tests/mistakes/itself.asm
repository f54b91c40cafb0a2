; A jump to itself.
        .model tiny
        .code
        org 100h
start:  mov ax, 1
wait_:  jmp wait_
        end start
