; Right: finds the digits by subtraction, the largest power first.
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
        sub al, '0'
        cmp al, 9
        ja ask
        mov ah, 0
        add total, ax
        inc count
        jmp ask

finish: mov ax, total
        mov di, offset digits
        mov si, offset powers
next:   mov byte ptr [di], '0'
        mov bx, [si]
less:   cmp ax, bx
        jb place
        sub ax, bx
        inc byte ptr [di]
        jmp less
place:  inc di
        add si, 2
        cmp bx, 1
        jne next
        mov di, offset digits - 1
skip:   inc di
        cmp byte ptr [di], '0'
        jne shown
        cmp di, offset digits + 4
        jne skip
shown:
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
powers  dw 10000, 1000, 100, 10, 1
prompt  db 13, 10, 'Number? $'
answer  db 13, 10, 'Total: $'
digits  db 5 dup (0), 13, 10, '$'
file    db 'TOTAL.TXT', 0
code    ends
        end start
