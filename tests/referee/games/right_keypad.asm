; Right: a game for two, keypad.
KEYPAD equ 1
        include text.inc
