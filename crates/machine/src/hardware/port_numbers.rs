//! The ports at which the chips answer, and the effect of an access on interrupt lines.

/// Ports of chips without an interrupt line. No other device needs an update after an access to
/// them. (The display adapter's vertical interrupt is not wired.)
#[inline(always)]
pub(super) fn moves_no_line(port: u16) -> bool {
    matches!(port, 0x3B0..=0x3DF)
}

/// Returns the lowest port of the chip register that answers at this port. The board leaves some
/// address lines undecoded, so most of its chips answer at several ports (IBM Personal Computer AT
/// Technical Reference, "I/O Address Map": DMA 000h to 01Fh, interrupt controllers 020h to 03Fh and
/// 0A0h to 0BFh, timer 040h to 05Fh, clock 070h to 07Fh). Ports 22h and 23h are left out: programs
/// probe them for later chip sets.
pub(super) fn decoded(port: u16) -> u16 {
    match port {
        0x10..=0x1F => port & !0x10,
        0x24..=0x3F | 0xA2..=0xBF => port & !0x1E,
        0x44..=0x5F => port & !0x1C,
        0x72..=0x7F => port & !0x0E,
        _ => port,
    }
}

/// Other ports at which a read changes no interrupt line.
pub(super) fn reads_change_nothing(port: u16) -> bool {
    !matches!(port, 0x20 | 0x21 | 0xA0 | 0xA1 | 0x60 | 0x71)
}

/// Other ports at which a write changes no interrupt line: the speaker, the index of the clock, and the code
/// of the power-on self-test.
pub(super) fn writes_change_nothing(port: u16) -> bool {
    matches!(port, 0x61 | 0x70 | 0x80)
}
