; Broken: see SEED_WRONG_PLAYER in text.inc.
SEED_WRONG_PLAYER equ 1
        include text.inc
