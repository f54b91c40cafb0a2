; a snake on a board of 8x6 in text mode; a step every two ticks; polls INT 16h/01
.model tiny
.code
org 100h
start:
    mov ax, 3
    int 10h
    mov ax, 0B800h
    mov es, ax
    call show
step:
    mov ah, 0
    int 1Ah
    add dx, 2
    mov [due], dx
wait1:
    mov ah, 1
    int 16h
    jz nokey
    mov ah, 0
    int 16h
    cmp ah, 48h
    je up
    cmp ah, 50h
    je down
    cmp ah, 4Bh
    je left
    cmp ah, 4Dh
    je right
    cmp al, 27
    je quit
    jmp nokey
up: mov word ptr [dirx], 0FF00h
    jmp nokey
down: mov word ptr [dirx], 0100h
    jmp nokey
left: mov word ptr [dirx], 00FFh
    jmp nokey
right: mov word ptr [dirx], 0001h
nokey:
    mov ah, 0
    int 1Ah
    cmp dx, [due]
    jne wait1
    call move
    jmp step
quit:
    mov ax, 4C00h
    int 21h
move:
    mov bx, word ptr [headx]
    call cell
    mov byte ptr es:[di], ' '
    mov ax, word ptr [dirx]
    add byte ptr [headx], al
    add byte ptr [heady], ah
    mov al, [headx]
    cmp al, 8
    jae crash
    mov al, [heady]
    cmp al, 6
    jae crash
show:
    mov bx, word ptr [headx]
    call cell
    mov byte ptr es:[di], 'O'
    ret
cell:
    mov al, bh
    mov ah, 160
    mul ah
    mov di, ax
    mov bh, 0
    add di, bx
    add di, bx
    ret
crash:
    mov ax, 0
    mov cl, 0
    div cl
headx db 4
heady db 3
dirx db 1
diry db 0
due dw 0
end start
