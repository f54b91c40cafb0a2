; sound.asm: the three tunes of the EECS-2100 game, on the speaker.
;
; A note is a divisor for the timer's channel 2 and a busy loop. Between two port accesses the
; program executes exactly as many instructions as the original, so the tunes have the same length
; at the same speed. The byte 86h to port 43h only latches the count: the channel is in mode 3 since
; the BIOS set it, and stays there.

        include speaker.inc
        include eecs2100.inc

; Iterations of the busy loop.
HALF_BEAT  equ  106495
THIRD_BEAT equ  212990
LONG_BEAT  equ  638970

latch_count macro
        mov     al, 86h
        out     TIMER_CONTROL, al
endm

; The tone of 1193182 / divisor Hz.
tone    macro   divisor
        mov     al, low (divisor)
        out     TIMER_CHANNEL, al
        mov     al, high (divisor)
        out     TIMER_CHANNEL, al
endm

; Waits for the busy loop: 2 * turns + 4 instructions.
hold    macro   turns
        mov     ecx, turns
        call    busy_loop
endm

note    macro   divisor, turns
        tone    divisor
        hold    turns
endm

        .code

; ECX iterations. Changes ECX.
busy_loop proc
        nop                             ; the original's call takes one instruction more
turning:
        dec     ecx
        jnz     turning
        ret
busy_loop endp

; After each x of the human.
play_nbc proc
        push    ax
        speaker_on
        latch_count
        note    11C6h, HALF_BEAT
        note    0A96h, HALF_BEAT
        note    0D58h, HALF_BEAT
        speaker_off
        pop     ax
        ret
play_nbc endp

; If the human has not won.
play_wah proc
        push    ax
        speaker_on
        latch_count
        tone    0D5Dh
        idle    7FFFFh
        speaker_off
        latch_count
        tone    12E9h
        speaker_on
        idle    0FFFFFh
        speaker_off
        pop     ax
        ret
play_wah endp

; If the human has won.
play_castle proc
        push    ax
        speaker_on
        latch_count
        note    17DCh, THIRD_BEAT
        note    11C6h, THIRD_BEAT
        note    0E1Bh, THIRD_BEAT
        note    0BEEh, THIRD_BEAT
        note    08E3h, THIRD_BEAT
        note    070Eh, THIRD_BEAT
        note    05F7h, LONG_BEAT
        note    070Eh, LONG_BEAT
        note    17C3h, THIRD_BEAT
        note    11C6h, THIRD_BEAT
        note    0EF9h, THIRD_BEAT
        note    0B39h, THIRD_BEAT
        note    08E7h, THIRD_BEAT
        note    077Dh, THIRD_BEAT
        note    059Bh, LONG_BEAT
        note    077Dh, LONG_BEAT
        note    13FDh, THIRD_BEAT
        note    0FD7h, THIRD_BEAT
        note    0D58h, THIRD_BEAT
        note    09FEh, THIRD_BEAT
        note    07EEh, THIRD_BEAT
        note    06ACh, THIRD_BEAT
        note    04FFh, THIRD_BEAT
        hold    THIRD_BEAT
        speaker_off
        hold    THIRD_BEAT
        rept    3
        speaker_on
        note    04FFh, HALF_BEAT
        speaker_off
        hold    HALF_BEAT
        endm
        speaker_on
        note    0473h, LONG_BEAT
        hold    LONG_BEAT
        speaker_off
        pop     ax
        ret
play_castle endp

        end
