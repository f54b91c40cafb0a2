; Broken: the computer moves twice when the user begins in the lower right corner. See styles.inc.
COMPUTER equ 1
SEED_REPLIES equ 1
        include styles.inc
