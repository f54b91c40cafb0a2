; An instruction of a processor that is not there.
        .586
        .model tiny
        .code
        org 100h
start:  xor eax, eax
        cpuid
        ret
        end start
