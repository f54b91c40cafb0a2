; Broken: see SEED_HANG in text.inc.
SEED_HANG equ 1
        include text.inc
