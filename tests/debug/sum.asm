.model small
.stack 100h
.data
msg     db 'Sum: $'
total   dw 0
.code
add_up  proc
        push bx
        xor ax, ax
again:  add ax, bx
        dec bx
        jnz again
        pop bx
        ret
add_up  endp
start:  mov ax, @data
        mov ds, ax
        mov bx, 5
        call add_up
        mov total, ax
        mov dx, offset msg
        mov ah, 9
        int 21h
        mov ax, total
        mov bl, 10
        div bl
        push ax
        mov dl, al
        add dl, '0'
        mov ah, 2
        int 21h
        pop ax
        mov dl, ah
        add dl, '0'
        mov ah, 2
        int 21h
        mov ah, 0
        int 16h
        mov ax, 4C00h
        int 21h
end start
