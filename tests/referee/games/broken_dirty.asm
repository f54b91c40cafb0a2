; Broken: see SEED_DIRTY in text.inc.
SEED_DIRTY equ 1
        include text.inc
