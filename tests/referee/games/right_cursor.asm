; Right: for two, with the cursor keys. See styles.inc.
CURSOR equ 1
        include styles.inc
