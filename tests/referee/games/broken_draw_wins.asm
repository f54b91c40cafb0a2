; Broken: see SEED_DRAW_WINS in text.inc.
SEED_DRAW_WINS equ 1
        include text.inc
