; Wrong: counts keys that are not numbers.
        .386
code    segment use16 'code'
        assume cs:code, ds:code
        org 100h
start:
ask:    mov dx, offset prompt
        mov ah, 9
        int 21h
        mov ah, 1
        int 21h
        cmp al, 'q'
        je finish
        inc count
        sub al, '0'
        cmp al, 9
        ja ask
        mov ah, 0
        add total, ax
        jmp ask

finish: mov ax, total
        mov di, offset digits + 5
        mov bx, 10
next:   xor dx, dx
        div bx
        add dl, '0'
        dec di
        mov [di], dl
        or ax, ax
        jnz next
        mov dx, offset answer
        mov ah, 9
        int 21h
        mov dx, di
        mov ah, 9
        int 21h

        mov dx, offset file
        xor cx, cx
        mov ah, 3Ch
        int 21h
        mov bx, ax
        mov dx, di
        mov cx, offset digits + 7
        sub cx, di
        mov ah, 40h
        int 21h
        mov ah, 3Eh
        int 21h

        mov al, byte ptr count
        mov ah, 4Ch
        int 21h

total   dw 0
count   dw 0
prompt  db 13, 10, 'Number? $'
answer  db 13, 10, 'Total: $'
digits  db 5 dup (0), 13, 10, '$'
file    db 'TOTAL.TXT', 0
code    ends
        end start
