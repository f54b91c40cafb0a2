; Right: a game for two, wide_rows.
WIDE_ROWS equ 1
        include text.inc
