; Right: against a computer that takes the first free square of an order. See styles.inc.
COMPUTER equ 1
        include styles.inc
