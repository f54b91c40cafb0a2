; Right: a game for two, words.
WORD_CELLS equ 1
        include text.inc
