; Right: for two, an array for each player. See styles.inc.
TWO_ARRAYS equ 1
        include styles.inc
