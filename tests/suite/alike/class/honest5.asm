; Keys by the BIOS; the count is kept as two characters from the beginning.
        .model tiny
        .code
        org 100h
start:
        mov dx, offset hello
        mov ah, 9
        int 21h
again:  mov ah, 0
        int 16h
        mov bl, al
        mov ah, 0Eh
        int 10h
        cmp bl, '.'
        je show
        call lower
        push si
        mov si, -1
try:    inc si
        cmp si, 5
        je not_one
        cmp letters[si], bl
        jne try
        inc byte ptr count + 1
        cmp byte ptr count + 1, '9'
        jbe not_one
        mov byte ptr count + 1, '0'
        cmp byte ptr count, ' '
        jne more
        mov byte ptr count, '0'
more:   inc byte ptr count
not_one:
        pop si
        jmp again
show:   mov si, offset said
char:   mov al, [si]
        inc si
        cmp al, 0
        je quit
        cmp al, ' '
        je skip
write:  mov ah, 0Eh
        int 10h
        jmp char
skip:   cmp si, offset count
        jbe write
        jmp char
quit:   mov ax, 4C00h
        int 21h

lower:  cmp bl, 'A'
        jb low1
        cmp bl, 'Z'
        ja low1
        add bl, 32
low1:   ret

letters db 'aeiou'
hello   db 'Type a text, and a full stop: $'
said    db 13, 10, 'vowels: '
count   db ' 0', 0
        end start
