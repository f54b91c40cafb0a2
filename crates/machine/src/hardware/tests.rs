//! The board from a program's view: ports, interrupts and time.

mod ports;
mod video;

use super::vga::Adapter;
use super::{Hardware, SavedHardware};
use oxbox_cpu::{Bus, Width};

/// Returns a board at 3,000 cycles per millisecond, initialised as by a BIOS.
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
    // Loaded at tick 1, then 65,536 ticks per period at 1.193182 MHz and 3 cycles per microsecond.
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
    // The break code needs the line for a millisecond: 3,000 cycles after the read at 20.
    assert_eq!(hw.next_event(), 3020);
    hw.advance(3020);
    assert_eq!((hw.intr(), hw.input(0x60, Width::Byte, 3030)), (true, 0x9E));
    assert_eq!(hw.keyboard.guest_reads(), 2);
}

#[test]
fn listening_loses_no_timer_edge() {
    let mut hw = board();
    let due = hw.next_event();
    hw.advance(due - 1);
    // An access to a port of the display adapter advances the time but updates no chip.
    hw.input(0x3DA, Width::Byte, due + 1);
    hw.take_sound();
    hw.advance(due + 2);
    assert!(hw.intr());
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

/// Returns a board with letters in memory, so that a read shows which byte it reached.
fn lettered() -> Hardware {
    let mut hw = board();
    for (address, letter) in [
        (0x00000, b'a'),
        (0x0FFEF, b'b'),
        (0x9FFFF, b'c'),
        (0xC0000, b'd'),
        (0xFFFFF, b'e'),
        (0x100000, b'f'),
        (0x10FFEF, b'g'),
    ] {
        hw.memory.write8(address, letter);
    }
    hw
}

#[test]
fn memory_map() {
    // Address lines of the processor, A20 open, address, the value read, and the value read after
    // writing `!`.
    let rows = [
        (32, true, 0x00000, 'a', '!'),
        (32, true, 0x9FFFF, 'c', '!'),
        (32, true, 0xC0000, 'd', 'd'),
        (32, true, 0xFFFFF, 'e', 'e'),
        (32, true, 0x100000, 'f', '!'),
        (32, true, 0x10FFEF, 'g', '!'),
        (32, true, 0x110000, '\u{FF}', '\u{FF}'),
        (32, true, 0xFFFF_FFFF, '\u{FF}', '\u{FF}'),
        (32, false, 0x100000, 'a', '!'),
        (32, false, 0x10FFEF, 'b', '!'),
        (32, false, 0x1FFFFF, 'e', 'e'),
        (24, true, 0x1000000, 'a', '!'),
        (20, true, 0x100000, 'a', '!'),
        (20, true, 0x10FFEF, 'b', '!'),
    ];
    for (lines, a20, address, before, after) in rows {
        let mut hw = lettered();
        hw.set_address_lines(lines);
        hw.output(0x92, Width::Byte, u32::from(a20) << 1, 0);
        let name = format!("{lines} lines, A20 {a20}, {address:X}");
        assert_eq!(char::from(hw.read8(address)), before, "{name}");
        hw.write8(address, b'!');
        assert_eq!(char::from(hw.read8(address)), after, "{name}, written");
    }
}

#[test]
fn words_cross_borders_byte_by_byte() {
    let mut hw = lettered();
    // Video memory does not answer before a mode is set, so its byte is FF or 00; only the RAM byte
    // is compared.
    assert_eq!(hw.read16(0x9FFFF) as u8, b'c');
    assert_eq!(hw.read32(0x9FFFF) as u8, b'c');
    assert_eq!(hw.read16(0xFFFFF), u16::from_le_bytes(*b"ea"));
    hw.set_a20(true);
    assert_eq!(hw.read16(0xFFFFF), u16::from_le_bytes(*b"ef"));
    hw.set_address_lines(20);
    assert_eq!(hw.read16(0xFFFFF), u16::from_le_bytes(*b"ea"));
    hw.write32(0xFFFFE, 0x7A79_7877);
    assert_eq!((hw.read8(0), hw.read8(1), hw.read8(0xFFFFF)), (b'y', b'z', b'e'));
    assert!(
        hw.ram(0x9FFF0, 16).is_some() && hw.ram(0x9FFF0, 17).is_none() && hw.ram(0, usize::MAX).is_none()
    );
}

#[test]
fn moving_a20_reports_all_code() {
    let mut hw = lettered();
    hw.watch_code(0x10FFFE, 1);
    assert!(!hw.code_written());
    hw.set_a20(false);
    assert!(!hw.code_written());
    hw.set_a20(true);
    assert!(hw.code_written());
    hw.take_code_writes(|first, last| assert_eq!((first, last), (0, u32::MAX)));
    hw.set_a20(false);
    hw.take_code_writes(|_, _| {});
    // Watched at its address above 1 MiB, written at the wrapped address.
    hw.watch_code(0x10_0010, 1);
    hw.write8(0x10, 1);
    assert!(hw.code_written());
}

#[test]
fn ports() {
    // `43=36` writes a byte, `60:1E` reads and compares, a port of three digits or a value of four
    // makes it a word access, `+5` lets microseconds pass.
    let rows = [
        ("the processor's timer", "+1000 43=00 40:B0 40:F6"),
        ("port 61h: written bits read back, refresh and timer above", "61=03 61:23 61=0C 61:2C"),
        ("refresh changes port 61h each 18 ticks", "61:20 +16 61:30 +16 61:20 +15 61:30"),
        ("a stopped counter 2 keeps bit 5", "43=54 43=B0 61:00 42=02 42=00 +99 61:00 61=01 +99 61:21"),
        ("an even and an odd port as a word", "20=0A 20:FF00 21=55 20:5500"),
        ("the clock by index and data", "70=15 71:80 70=16 71:02"),
        ("a word to index and data", "70=5A40 71:5A"),
        ("the timer where its upper address lines say nothing", "+1000 47=00 54:B0 5C:F6"),
        ("the interrupt controllers there", "34=0A 3E:0 3F:FF 3F=55 21:55 BF=A5 A1:A5 A3:A5"),
        ("the clock there", "72=15 7F:80 7E=16 73:02"),
        ("registers of later chip sets are not there", "22=0A 22:FF 23:FF 21:FF"),
        ("POST code", "80=42 80:42"),
        ("DMA page", "83=07 83:07"),
        ("fast A20", "92:00 92=02 92:02 92=00 92:00"),
        (
            "nobody there: game port, printer, serial port, expansion",
            "201:FF 378:FF 3F8:FF 2F8:FF 300:FF 388:FF",
        ),
        ("nobody there, wider", "300:FFFF"),
        ("writing to nobody", "300=55 300:FF"),
    ];
    for (name, steps) in rows {
        let mut hw = board();
        hw.output(0x21, Width::Byte, 0xFF, 0);
        let mut now = 0;
        for step in steps.split(' ') {
            if let Some(wait) = step.strip_prefix('+') {
                now += wait.parse::<u64>().unwrap() * 3;
                continue;
            }
            let (port, value) = step.split_at(step.find(['=', ':']).unwrap());
            let port = u16::from_str_radix(port, 16).unwrap();
            let width = if value.len() > 3 { Width::Word } else { Width::Byte };
            let expected = u32::from_str_radix(&value[1..], 16).unwrap();
            if value.starts_with('=') {
                hw.output(port, width, expected, now);
            } else {
                let read = hw.input(port, width, now);
                assert_eq!(format!("{read:X}"), format!("{expected:X}"), "{name}: {step}");
            }
        }
    }
}

#[test]
fn a_pulse_on_reset_reaches_the_machine() {
    for (port, value) in [(0x64, 0xFE), (0x92, 0x01)] {
        let mut hw = board();
        hw.output(port, Width::Byte, value, 77);
        assert_eq!(hw.next_event(), 77);
        assert!(hw.take_reset_request() && !hw.take_reset_request());
    }
}

#[test]
fn the_clock_interrupts_through_both_controllers() {
    let mut hw = board();
    for (port, value) in [(0x21, 0xFB), (0xA1, 0xFE), (0x70, 0x0B), (0x71, 0x42), (0x70, 0x0C)] {
        hw.output(port, Width::Byte, value, 0);
    }
    let mut instants = Vec::new();
    for _ in 0..3 {
        let due = hw.next_event();
        hw.advance(due - 1);
        assert!(!hw.intr());
        hw.advance(due);
        assert_eq!(hw.acknowledge(), 0x70);
        hw.input(0x71, Width::Byte, due);
        hw.output(0xA0, Width::Byte, 0x20, due);
        hw.output(0x20, Width::Byte, 0x20, due);
        instants.push(due);
    }
    // 1024 Hz: 2929.6875 cycles.
    assert_eq!(instants, [2930, 5860, 8790]);
}

#[test]
fn how_often_one_looks_changes_nothing() {
    // Register B of the real-time clock: all interrupts enabled, and none.
    for interrupts in [0x72, 0x02] {
        let mut seldom = board();
        let mut often = board();
        for hw in [&mut seldom, &mut often] {
            for (port, value) in [(0x21, 0xFA), (0x70, 0x0B), (0x71, interrupts), (0x61, 0x03)] {
                hw.output(port, Width::Byte, value, 1);
            }
            hw.send_scan_codes(&[0x1E, 0x9E]);
        }
        for now in (0..700_000).step_by(91) {
            often.advance(now);
            often.take_sound();
        }
        for hw in [&mut seldom, &mut often] {
            hw.advance(700_000);
        }
        let states = [&seldom, &often].map(|hw| postcard::to_allocvec(hw).unwrap());
        assert!(states[0] == states[1], "register B {interrupts:02X}");
    }
}

/// Returns a function for pseudo-random numbers (linear congruential generator of Numerical Recipes).
fn random_numbers(mut seed: u32) -> impl FnMut() -> u32 {
    move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    }
}

/// Runs pseudo-random accesses to all ports, with jumps in time. If `looking` is set, the board is
/// updated before and after each access. Returns the values read and the final board.
fn random_program(seed: u32, steps: usize, looking: bool) -> (Vec<u32>, Hardware) {
    let mut next = random_numbers(seed);
    let mut hw = board();
    let mut seen = Vec::new();
    let mut now = 0;
    for _ in 0..steps {
        let port = if next().is_multiple_of(8) { next() as u16 } else { (next() % 0x100) as u16 };
        let width = [Width::Byte, Width::Word, Width::Dword][(next() % 3) as usize];
        if looking {
            hw.advance(now);
        }
        match next() % 8 {
            0..3 => seen.push(hw.input(port, width, now)),
            3 => hw.output(port, width, next(), now),
            4 => {
                hw.advance(now);
                if hw.intr() {
                    seen.push(u32::from(hw.acknowledge()));
                }
            }
            5 => now += u64::from(next() % 100),
            6 => now += 1 << (next() % 24),
            _ => {
                hw.advance(now);
                hw.send_scan_codes(&[next() as u8]);
            }
        }
        if looking {
            hw.advance(now);
            assert!(hw.next_event() > now, "an event that never ends");
        }
    }
    hw.advance(now);
    (seen, hw)
}

#[test]
fn a_program_that_does_anything_at_all_breaks_nothing() {
    let (_, mut hw) = random_program(1, 300_000, true);
    assert!(hw.take_sound().len() <= 1 << 15);
}

#[test]
fn what_is_computed_late_is_what_is_computed_at_once() {
    for seed in 0..300 {
        let (late, late_board) = random_program(seed, 1000, false);
        let (at_once, board_at_once) = random_program(seed, 1000, true);
        assert_eq!(late, at_once, "seed {seed}");
        let [late, at_once] = [late_board, board_at_once].map(|hw| postcard::to_allocvec(&hw).unwrap());
        assert!(late == at_once, "seed {seed}");
    }
}

#[test]
fn a_fast_output_has_the_effect_of_an_output() {
    for kind in [Adapter::Vga, Adapter::Ega, Adapter::Cga] {
        let [mut fast, mut slow] = [0, 1].map(|_| {
            let mut hw = Hardware::new(3000);
            hw.vga.fit(kind);
            // Switches a VGA or EGA on.
            hw.output(0x3C3, Width::Byte, 1, 0);
            hw
        });
        let mut next = random_numbers(1987);
        let mut count = 0;
        for now in 0..4000 {
            let port = [0x3C4, 0x3C5, 0x3C8, 0x3C9, 0x3C9, 0x3CE, 0x3CF, 0x3C7, 0x3C6][next() as usize % 9];
            let (width, value) = ([Width::Byte, Width::Byte, Width::Word][next() as usize % 3], next());
            slow.output(port, width, value, now);
            if fast.fast_output(port, width, value, now) {
                count += 1;
            } else {
                fast.output(port, width, value, now);
            }
            let [address, byte] = [0xA_0000 + (next() & 0x1_FFFF), next()];
            let read = [&mut fast, &mut slow].map(|hw| {
                hw.write8(address, byte as u8);
                hw.read8(address ^ 1)
            });
            assert_eq!(read[0], read[1], "{kind:?} {address:X}");
            // With the history of the picture's changes.
            let states = [&mut fast, &mut slow].map(|hw| postcard::to_allocvec(&hw.save()).expect("a state"));
            assert!(states[0] == states[1], "{kind:?} {port:03X} {width:?} {value:X}");
        }
        let least = if kind == Adapter::Cga { 0 } else { 400 };
        assert!(count >= least, "{kind:?}: {count}");
    }
}

#[test]
fn a_board_that_was_written_and_read_goes_on_as_before() {
    let mut hw = board();
    for (port, value) in [(0x21, 0xF8), (0x70, 0x0B), (0x71, 0x72), (0x61, 0x03), (0x43, 0x98), (0x42, 0x55)]
    {
        hw.output(port, Width::Byte, value, 1000);
    }
    hw.send_scan_codes(&[0x1E, 0x9E, 0xE0, 0x48]);
    hw.advance(5000);
    let bytes = postcard::to_allocvec(&hw.save()).unwrap();
    let saved: SavedHardware = postcard::from_bytes(&bytes).unwrap();
    let mut copy = Hardware::new(1);
    copy.restore(&saved);
    let mut seen = Vec::new();
    for hw in [&mut hw, &mut copy] {
        let mut log = Vec::new();
        hw.advance(5000);
        for _ in 0..50 {
            let due = hw.next_event();
            hw.advance(due);
            log.push((due, hw.intr().then(|| hw.acknowledge()), hw.input(0x60, Width::Byte, due)));
            hw.output(0x20, Width::Byte, 0x20, due + 1);
        }
        seen.push(log);
    }
    assert_eq!(seen[0], seen[1]);
}
