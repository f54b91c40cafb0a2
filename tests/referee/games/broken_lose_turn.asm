; Broken: see SEED_LOSE_TURN in text.inc.
SEED_LOSE_TURN equ 1
        include text.inc
