; Broken: see SEED_DIAGONAL in text.inc.
SEED_DIAGONAL equ 1
        include text.inc
