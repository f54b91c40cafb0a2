; Broken: see SEED_FALL in text.inc.
SEED_FALL equ 1
        include text.inc
