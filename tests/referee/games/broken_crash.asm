; Broken: see SEED_CRASH in text.inc.
SEED_CRASH equ 1
        include text.inc
