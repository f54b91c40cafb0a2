; Broken: see SEED_EARLY_DRAW in text.inc.
SEED_EARLY_DRAW equ 1
        include text.inc
