; An instruction that only the 8086 has.
        .model tiny
        .code
        org 100h
start:  xor ax, ax
        push cs
        db 0Fh          ; pop cs
        db 0FFh, 0E0h   ; jmp ax
        end start
