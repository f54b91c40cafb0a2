; Right: for two, squares are typed as row and column. See styles.inc.
ROW_COLUMN equ 1
        include styles.inc
