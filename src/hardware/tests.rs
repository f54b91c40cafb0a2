//! The board as a program sees it: through ports, interrupts and time.

use super::Hardware;
use crate::cpu::{Bus, Width};

/// A board at 3000 cycles a millisecond with the set-up that a BIOS leaves.
fn board() -> Hardware {
    let mut hw = Hardware::new(3000);
    let set_up = [
        (0x20, 0x11),
        (0x21, 0x08),
        (0x21, 0x04),
        (0x21, 0x01),
        (0xA0, 0x11),
        (0xA1, 0x70),
        (0xA1, 0x02),
        (0xA1, 0x01),
        (0x43, 0x36),
        (0x40, 0x00),
        (0x40, 0x00),
        (0x43, 0x54),
        (0x41, 0x12),
        (0x43, 0xB6),
        (0x42, 0x33),
        (0x42, 0x05),
    ];
    for (port, value) in set_up {
        hw.output(port, Width::Byte, value, 0);
    }
    hw.advance(0);
    hw
}

#[test]
fn the_timer_interrupts_every_65536_ticks() {
    let mut hw = board();
    let mut instants = Vec::new();
    for _ in 0..4 {
        let due = hw.next_event();
        hw.advance(due - 1);
        assert!(!hw.intr());
        hw.advance(due);
        assert!(hw.intr());
        assert_eq!(hw.acknowledge(), 0x08);
        hw.output(0x20, Width::Byte, 0x20, due);
        instants.push(due);
    }
    // Loaded at tick 1, then 65536 ticks a period at 1.193182 MHz and 3 cycles a microsecond.
    assert_eq!(instants, [164_779, 329_555, 494_332, 659_108]);
}

#[test]
fn a_key_raises_irq_1_until_port_60_is_read() {
    let mut hw = board();
    assert!(hw.send_scan_codes(&[0x1E, 0x9E]));
    assert!(hw.intr());
    assert_eq!(hw.acknowledge(), 0x09);
    assert_eq!(hw.input(0x64, Width::Byte, 10) & 1, 1);
    assert_eq!(hw.input(0x60, Width::Byte, 20), 0x1E);
    hw.output(0x20, Width::Byte, 0x20, 30);
    assert!(!hw.intr());
    // The break code takes the line a millisecond: 3000 cycles after the read at 20.
    assert_eq!(hw.next_event(), 3020);
    hw.advance(3020);
    assert_eq!((hw.intr(), hw.input(0x60, Width::Byte, 3030)), (true, 0x9E));
    assert_eq!(hw.keyboard.guest_reads(), 2);
}

#[test]
fn unmasking_a_waiting_request_calls_the_processor_back() {
    let mut hw = board();
    hw.output(0x21, Width::Byte, 0xFF, 0);
    assert_eq!(hw.next_event(), u64::MAX);
    hw.advance(200_000);
    assert!(!hw.intr());
    assert_eq!(hw.input(0x20, Width::Byte, 200_000), 0x01);
    hw.output(0x21, Width::Byte, 0xFE, 200_001);
    assert_eq!((hw.next_event(), hw.intr()), (200_001, true));
    hw.advance(200_001);
    assert!(hw.next_event() > 200_001);
}
