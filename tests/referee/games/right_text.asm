; Right: a game for two, text.
TEXT equ 1
        include text.inc
