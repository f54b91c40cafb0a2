; Right: for two, drawn by the BIOS, with numbered squares. See styles.inc.
BIOS equ 1
        include styles.inc
