; (w) N x 10,000 turns of 386 code: 32-bit arithmetic, scaled addresses, bits, double shifts, extensions
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 100
%endif
        mov     bp, N
        mov     eax, 12345678h
        xor     edx, edx
o:      mov     ecx, 10000
l:      mov     esi, ecx
        and     esi, 63
        mov     ebx, [table+esi*4]
        imul    eax, eax, 1103515245
        add     eax, 12345
        shld    edx, eax, 5
        bt      eax, 7
        adc     ebx, edx
        mov     [table+esi*4], ebx
        movzx   edi, al
        lea     edx, [edi+edi*4+3]
        bsf     edi, ebx
        setz    dl
        movsx   edi, dl
        add     edx, edi
        dec     ecx
        jnz     l
        dec     bp
        jnz     o
        add     ax, dx
%include "common.inc"
        FINISH
        align 4
table   times 64 dd 1
