//! Registers, planes and pictures of the chip, without a BIOS.
