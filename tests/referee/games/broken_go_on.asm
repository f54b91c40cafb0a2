; Broken: see SEED_GO_ON in text.inc.
SEED_GO_ON equ 1
        include text.inc
