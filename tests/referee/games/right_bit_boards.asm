; Right: for two, a word of bits for each player. See styles.inc.
BIT_BOARDS equ 1
        include styles.inc
