; (r) N turns through 2,000 routines, each called once in a turn
        cpu 8086
        bits 16
        org 100h
%ifndef N
%define N 300
%endif
        mov     bp, N
        xor     ax, ax
        xor     bx, bx
o:
%assign number 0
%rep 2000
        call    routine%[number]
%assign number number+1
%endrep
        dec     bp
        jz      done
        jmp     o
done:
%include "common.inc"
        FINISH
%assign number 0
%rep 2000
routine%[number]:
        add     ax, number
        xor     bx, ax
        ret
%assign number number+1
%endrep
