.model tiny
.code
org 100h
; My very own solution.
; I wrote it at night.
begin:
    mov dx, offset greeting     ; say what to do
    mov ah, 9                   ; function nine
    int 21h
    xor bx, bx
l1: mov ah, 1                   ; a key
    int 21h
    cmp al, 2Eh
    je  l2
    call is_it
    jnc l1
    inc bx
    jmp l1
l2: mov dx, offset result
    mov ah, 9
    int 21h
    mov ax, bx
    call number
    mov ax, 4C00h
    int 21h
is_it proc
    or  al, 20h
    mov si, offset table
    mov cx, 5
l3: cmp al, [si]
    je  l4
    inc si
    loop l3
    clc
    ret
l4: stc
    ret
is_it endp
number proc
    mov di, 0Ah
    xor cx, cx
l5: xor dx, dx
    div di
    push dx
    inc cx
    or  ax, ax
    jnz l5
l6: pop dx
    add dl, 30h
    mov ah, 2
    int 21h
    loop l6
    ret
number endp
greeting db 'Type a text, and a full stop: $'
result db 13, 10, 'vowels: $'
table db 'aeiou'
end begin
