; Right: the computer begins; drawn by the BIOS. See styles.inc.
BEGINS equ 1
BIOS equ 1
        include styles.inc
