; (z) N x 1,000 calls of a recursive function with frames and return addresses of 32 bits, as GCC writes them for
; 16-bit mode
        cpu 386
        bits 16
        org 100h
%ifndef N
%define N 500
%endif
        movzx   esp, sp
        mov     di, N
        xor     esi, esi
o:      mov     cx, 100
l:      movzx   eax, cx
        and     al, 7
        push    ecx
        push    eax
        call    dword sum
        add     esp, 4
        pop     ecx
        add     esi, eax
        dec     cx
        jnz     l
        dec     di
        jnz     o
        mov     ax, si
%include "common.inc"
        FINISH

; Returns 0 + ... + the argument in EAX.
sum:    push    ebp
        mov     ebp, esp
        push    ebx
        mov     ebx, [ebp + 8]
        xor     eax, eax
        test    ebx, ebx
        jz      .end
        lea     edx, [ebx - 1]
        push    edx
        call    dword sum
        add     esp, 4
        add     eax, ebx
.end:   mov     ebx, [ebp - 4]
        o32 leave
        o32 ret
