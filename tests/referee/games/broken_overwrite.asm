; Broken: see SEED_OVERWRITE in text.inc.
SEED_OVERWRITE equ 1
        include text.inc
