; Right: for two, squares are typed as lines. See styles.inc.
LINES equ 1
        include styles.inc
