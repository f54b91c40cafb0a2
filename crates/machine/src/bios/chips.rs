//! The state of the chips after an AT's power-on test, and their interrupt lines.

use crate::hardware::Hardware;
use oxbox_cpu::{Bus, Width};

/// Unmasks an interrupt line at its controller.
pub(super) fn unmask(hw: &mut Hardware, irq: u8) {
    let now = hw.now();
    let (port, bit) = if irq < 8 { (0x21, irq) } else { (0xA1, irq - 8) };
    let mask = hw.input(port, Width::Byte, now) & !(1 << bit);
    hw.output(port, Width::Byte, mask, now);
}

/// Programs the interrupt controllers (08h and 70h; timer, keyboard and cascade unmasked) and the
/// timer (channel 0 at 18.2 Hz, 1 for the refresh, 2 for the speaker) as an AT's power-on test
/// does.
pub(super) fn program(hw: &mut Hardware) {
    const SEQUENCE: [(u16, u8); 20] = [
        (0x20, 0x11),
        (0x21, 0x08),
        (0x21, 0x04),
        (0x21, 0x01),
        (0xA0, 0x11),
        (0xA1, 0x70),
        (0xA1, 0x02),
        (0xA1, 0x01),
        (0x21, 0xB8),
        (0xA1, 0xFF),
        (0x43, 0x36),
        (0x40, 0x00),
        (0x40, 0x00),
        (0x43, 0x54),
        (0x41, 0x12),
        (0x43, 0xB6),
        (0x42, 0x33),
        (0x42, 0x05),
        (0x64, 0x60), // keyboard controller's command byte: IRQ 1, system flag, translation
        (0x60, 0x45),
    ];
    let now = hw.now();
    for (port, value) in SEQUENCE {
        hw.output(port, Width::Byte, u32::from(value), now);
    }
}
