; io.h: oxbox's own stand-in for the header and the object file of the 16-bit programs in R. Detmer's textbooks on assembly
; language: the macros itoa, atoi, dtoa, atod, output, inputs and inputc, by the names and registers that their documentation gives.
;
; itoa dest, source: a word as 6 characters, blanks before it. dtoa dest, source: a doubleword as 11. atoi source: the number that a
; text begins with, into AX; atod source: into EAX; OF is set, and the answer is 0, when there is none or it is too large; SF and ZF
; tell its sign. output text: up to its zero byte; output text, length. inputs dest, length: a line of at most so many characters, and
; a zero byte behind it; CX is how many. inputc: a key, shown, into AL. Data are addressed by DS. Nothing has to be linked.

        ifndef  oxbox_io
oxbox_io equ    1

        if      (@Cpu and 0Eh) eq 0
        .286
        endif

itoa    macro   dest:req, source:req
        push    ax
        push    di
        mov     ax, source
        lea     di, dest
        call    far ptr io_itoa
        pop     di
        pop     ax
        endm

atoi    macro   source:req
        push    si
        lea     si, source
        call    far ptr io_atoi
        pop     si
        endm

dtoa    macro   dest:req, source:req
        push    di
        push    eax
        mov     eax, source
        lea     di, dest
        call    far ptr io_dtoa
        pop     eax
        pop     di
        endm

atod    macro   source:req
        push    si
        lea     si, source
        call    far ptr io_atod
        pop     si
        endm

output  macro   string:req, length
        push    ax
        push    si
        ifb     <length>
        mov     ax, 0
        else
        mov     ax, length
        endif
        lea     si, string
        call    far ptr io_out
        pop     si
        pop     ax
        endm

inputs  macro   dest:req, length:req
        push    di
        mov     cx, length
        lea     di, dest
        call    far ptr io_ins
        pop     di
        endm

inputc  macro
        call    far ptr io_inc
        endm

io_text segment para public use16 'CODE'
        pushcontext all
        .386
        assume  cs:io_text, ds:nothing, es:nothing

; Writes EAX as CX characters at DS:DI.
io_number proc near private
        push    eax
        push    ebx
        push    edx
        push    si
        push    di
        pushf
        mov     si, di
        add     di, cx
        mov     ebx, eax
        or      eax, eax
        jns     io_number1
        neg     eax
io_number1: xor edx, edx
        push    ebx
        mov     ebx, 10
        div     ebx
        pop     ebx
        add     dl, '0'
        dec     di
        mov     [di], dl
        or      eax, eax
        jz      io_number2
        cmp     di, si
        ja      io_number1
io_number2: or  ebx, ebx
        jns     io_number3
        dec     di
        mov     byte ptr [di], '-'
io_number3: cmp di, si
        jbe     io_number4
        dec     di
        mov     byte ptr [di], ' '
        jmp     io_number3
io_number4: popf
        pop     di
        pop     si
        pop     edx
        pop     ebx
        pop     eax
        ret
io_number endp

io_itoa proc    far private
        push    eax
        push    cx
        movsx   eax, ax
        mov     cx, 6
        call    io_number
        pop     cx
        pop     eax
        retf
io_itoa endp

io_dtoa proc    far private
        push    cx
        mov     cx, 11
        call    io_number
        pop     cx
        retf
io_dtoa endp

; Parses the number at DS:SI into EAX; the largest is EBX, the smallest -EBX-1. OF is set if there
; is none, or if it is out of range.
io_scan proc    near private
        push    ecx
        push    edx
        push    edi
        push    si
        push    bp
        xor     bp, bp          ; 1 for a minus sign
        xor     eax, eax
io_scan1: mov   cl, [si]
        cmp     cl, ' '
        jne     io_scan2
        inc     si
        jmp     io_scan1
io_scan2: cmp   cl, '+'
        je      io_scan3
        cmp     cl, '-'
        jne     io_scan4
        inc     bp
        inc     ebx
io_scan3: inc   si
io_scan4: mov   cl, [si]
        sub     cl, '0'
        cmp     cl, 9
        ja      io_scan7        ; no digits
io_scan5: movzx ecx, cl
        mov     edi, 10
        mul     edi
        or      edx, edx
        jnz     io_scan7
        add     eax, ecx
        jc      io_scan7
        cmp     eax, ebx
        ja      io_scan7
        inc     si
        mov     cl, [si]
        sub     cl, '0'
        cmp     cl, 9
        jbe     io_scan5
        or      bp, bp
        jz      io_scan6
        neg     eax
io_scan6: or    eax, eax        ; SF and ZF, no OF
        jmp     io_scan8
io_scan7: mov   al, 80h
        sub     al, 1           ; OF
        mov     eax, 0
io_scan8: pop   bp
        pop     si
        pop     edi
        pop     edx
        pop     ecx
        ret
io_scan endp

io_atoi proc    far private
        push    ebx
        push    ecx
        mov     ecx, eax
        mov     ebx, 7FFFh
        call    io_scan
        mov     bx, ax
        mov     eax, ecx
        mov     ax, bx
        pop     ecx
        pop     ebx
        retf
io_atoi endp

io_atod proc    far private
        push    ebx
        mov     ebx, 7FFFFFFFh
        call    io_scan
        pop     ebx
        retf
io_atod endp

; Writes the text at DS:SI: AX characters, or up to its zero byte.
io_out  proc    far private
        pushf
        pusha
        cld
        mov     cx, ax
        mov     bx, ax
        or      bx, bx
        jnz     io_out1
        dec     cx
io_out1: lodsb
        or      bx, bx
        jnz     io_out2
        or      al, al
        jz      io_out3
io_out2: mov    dl, al
        mov     ah, 2
        int     21h
        loop    io_out1
io_out3: popa
        popf
        retf
io_out  endp

; Reads a line of up to CX characters to DS:DI.
io_ins  proc    far private
        pushf
        push    ax
        push    bx
        push    dx
        mov     bx, cx
        xor     cx, cx
io_ins1: mov    ah, 7
        int     21h
        cmp     al, 13
        je      io_ins4
        cmp     al, 8
        je      io_ins3
        cmp     al, ' '
        jb      io_ins1
        cmp     cx, bx
        jae     io_ins1
        push    di
        add     di, cx
        mov     [di], al
        pop     di
        inc     cx
        mov     dl, al
io_ins2: mov    ah, 2
        int     21h
        jmp     io_ins1
io_ins3: jcxz   io_ins1
        dec     cx
        mov     ah, 2
        mov     dl, 8
        int     21h
        mov     dl, ' '
        int     21h
        mov     dl, 8
        jmp     io_ins2
io_ins4: push   di
        add     di, cx
        mov     byte ptr [di], 0
        pop     di
        mov     ah, 2
        mov     dl, 13
        int     21h
        mov     dl, 10
        int     21h
        pop     dx
        pop     bx
        pop     ax
        popf
        retf
io_ins  endp

io_inc  proc    far private
        push    bx
        mov     bh, ah
        mov     ah, 1
        int     21h
        mov     ah, bh
        pop     bx
        retf
io_inc  endp

        popcontext all
io_text ends

        endif
