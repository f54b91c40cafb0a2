; Right: an EXE with segments, and the program in procedures.
        .model small
        .stack 256
        .data
total   dw 0
count   db 0
prompt  db 13, 10, 'Number? $'
answer  db 13, 10, 'Total: $'
digits  db 5 dup (0), 13, 10, '$'
file    db 'TOTAL.TXT', 0
        .code
main    proc
        mov ax, @data
        mov ds, ax
again:  lea dx, prompt
        call print
        mov ah, 1
        int 21h
        cmp al, 'q'
        je done
        call take
        jmp again
done:   call convert
        lea dx, answer
        call print
        mov dx, si
        call print
        call save
        mov al, count
        mov ah, 4Ch
        int 21h
main    endp

print   proc
        mov ah, 9
        int 21h
        ret
print   endp

; AL: a key that has been typed.
take    proc
        cmp al, '0'
        jb other
        cmp al, '9'
        ja other
        and ax, 0Fh
        add total, ax
        inc count
other:  ret
take    endp

; SI: the first digit.
convert proc
        mov ax, total
        lea si, digits + 5
        mov cx, 10
digit:  sub dx, dx
        div cx
        add dl, '0'
        dec si
        mov [si], dl
        test ax, ax
        jnz digit
        ret
convert endp

save    proc
        lea dx, file
        mov cx, 0
        mov ah, 3Ch
        int 21h
        mov bx, ax
        mov dx, si
        lea cx, digits + 7
        sub cx, si
        mov ah, 40h
        int 21h
        mov ah, 3Eh
        int 21h
        ret
save    endp
        end main
