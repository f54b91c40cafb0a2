//! Extended and expanded memory, tested through their functions.

use super::*;
use crate::firmware::{XMS_ENTRY, XMS_TRAP};

fn bench() -> Bench {
    let mut bench = Bench::new();
    bench.dos.add_memory(&mut bench.hw, true, true);
    bench
}

impl Bench {
    /// Sets the registers of a call and serves a trap.
    fn call_of(&mut self, vector: u8, call: &str) -> String {
        self.reset_stack();
        let sp = self.cpu.regs.sp();
        self.cpu.regs.gpr = [0; 8];
        self.cpu.regs.set_sp(sp);
        self.set(call);
        self.trap(vector)
    }

    fn rows(&mut self, vector: u8, rows: &[(&str, &str)]) {
        for (call, expected) in rows {
            assert_eq!(self.call_of(vector, call), *expected, "{call}");
        }
    }
}

#[test]
fn extended_memory_is_found_and_given_away() {
    let mut b = bench();
    b.rows(0x2F, &[("AX=4300", "AX=4380"), ("AX=4310", "BX=2120 ES=F000")]);
    assert_eq!(b.hw.bytes(XMS_ENTRY, 9), [0xEB, 3, 0x90, 0x90, 0x90, 0x0F, 0xFF, XMS_TRAP, 0xCB]);
    b.rows(
        XMS_TRAP,
        &[
            ("AX=0000", "AX=0300 DX=0001 BX=0300"),
            ("AX=0800", "AX=3BC0 DX=3BC0"),
            ("AX=0900 DX=40", "AX=0001 DX=0001"),
            ("AX=0900 DX=3000", "AX=0001 DX=0002"),
            ("AX=0900 DX=1000", "AX=0000 DX=0000 BX=00A0"),
            ("AX=0900 DX=0", "AX=0001 DX=0003"),
            ("AX=0800", "AX=0B80 DX=0B80"),
            ("AX=0E00 DX=2", "AX=0001 DX=3000 BX=007D"),
            ("AX=0C00 DX=2", "AX=0001 DX=0012"),
            ("AX=0C00 DX=2", "AX=0001 DX=0012"),
            ("AX=0A00 DX=2", "AX=0000 BX=00AB"),
            ("AX=0F00 DX=2 BX=10", "AX=0000 BX=00AB"),
            ("AX=0D00 DX=2", "AX=0001"),
            ("AX=0D00 DX=2", "AX=0001"),
            ("AX=0D00 DX=2", "AX=0000 BX=00AA"),
            ("AX=0F00 DX=1 BX=80", "AX=0001"),
            ("AX=0A00 DX=2", "AX=0001"),
            ("AX=0A00 DX=2", "AX=0000 BX=00A2"),
            ("AX=0F00 DX=1 BX=3BC0", "AX=0001"),
            ("AX=0F00 DX=1 BX=3BC1", "AX=0000 BX=3BA0"),
            ("AX=0800", "AX=0000 BX=00A0"),
            ("AX=0A00 DX=1", "AX=0001"),
            ("AX=0A00 DX=0", "AX=0000 BX=00A2"),
            ("AX=1000 DX=100", "AX=0000 DX=0000 BX=00B1"),
            ("AX=1100 DX=C000", "AX=0000 BX=00B2"),
            ("AX=8800", "AX=3BC0 CX=FFFFFF DX=3BC0"),
            ("AX=8900 DX=20", "AX=0001 DX=0001"),
            ("AX=8E00 DX=1", "AX=0001 CX=007E DX=0020"),
            ("AX=7700", "AX=0000 BX=0080"),
        ],
    );
}

#[test]
fn the_high_memory_area_and_its_gate() {
    let mut b = bench();
    b.rows(
        XMS_TRAP,
        &[
            ("AX=0200", "AX=0000 BX=0093"),
            ("AX=0100 DX=FFFF", "AX=0001"),
            ("AX=0100 DX=FFFF", "AX=0000 BX=0091"),
            ("AX=0700", "AX=0000"),
            ("AX=0500", "AX=0001"),
            ("AX=0500", "AX=0001"),
            ("AX=0700", "AX=0001"),
        ],
    );
    b.hw.set_word(Far::new(0xFFFF, 0x0010), 0x1234);
    assert_ne!(b.hw.word(Far::new(0, 0)), 0x1234);
    b.rows(
        XMS_TRAP,
        &[
            ("AX=0600", "AX=0000 BX=0094"),
            ("AX=0300", "AX=0001"),
            ("AX=0600", "AX=0000 BX=0094"),
            ("AX=0400", "AX=0001"),
            ("AX=0700", "AX=0000"),
            ("AX=0200", "AX=0001"),
        ],
    );
}

/// Moves with a packet at DS:1000: length, handle and offset of source and target.
fn moved(b: &mut Bench, len: u32, from: (u16, u32), to: (u16, u32)) -> String {
    let at = Far::new(DATA, 0x1000);
    b.hw.set_dword(at, len);
    b.hw.set_word(at.plus(4), from.0);
    b.hw.set_dword(at.plus(6), from.1);
    b.hw.set_word(at.plus(10), to.0);
    b.hw.set_dword(at.plus(12), to.1);
    b.call_of(XMS_TRAP, "AX=0B00 SI=1000")
}

#[test]
fn blocks_are_moved() {
    let mut b = bench();
    b.rows(XMS_TRAP, &[("AX=0900 DX=40", "AX=0001 DX=0001"), ("AX=0900 DX=40", "AX=0001 DX=0002")]);
    let here = u32::from(DATA) << 16 | 0x2000;
    let there = u32::from(DATA) << 16 | 0x6000;
    let bytes: Vec<u8> = (0..0x3000_u32).map(|at| (at * 7 + at / 256) as u8).collect();
    b.put(0x2000, &bytes);
    for (len, from, to, expected) in [
        (0x3000, (0, here), (1, 0x801), "AX=0001"),
        (0x3000, (1, 0x801), (2, 0xD000), "AX=0001"),
        (0x3000, (2, 0xD000), (0, there), "AX=0001"),
        (0x3002, (2, 0xD000), (0, there), "AX=0000 BX=00A4"),
        (0x10, (3, 0), (0, there), "AX=0000 BX=00A3"),
        (0x10, (1, 0), (3, 0), "AX=0000 BX=00A5"),
        (0x10, (1, 0), (2, 0xFFF1), "AX=0000 BX=00A6"),
        (0x11, (1, 0), (2, 0), "AX=0000 BX=00A7"),
        (0x8000, (0, 0xFFFF_8000), (1, 0), "AX=0001"),
        (0x8002, (0, 0xFFFF_8000), (1, 0), "AX=0000 BX=00A4"),
        (0, (1, 0), (2, 0), "AX=0001"),
    ] {
        assert_eq!(moved(&mut b, len, from, to), expected, "{len:X} {from:X?} {to:X?}");
    }
    assert!(b.bytes(0x6000, 0x3000) == bytes);
    // Overlapping, upwards and downwards.
    assert_eq!(moved(&mut b, 0x2000, (2, 0xD000), (2, 0xD800)), "AX=0001");
    assert_eq!(moved(&mut b, 0x2000, (2, 0xD800), (2, 0xD400)), "AX=0001");
    assert_eq!(moved(&mut b, 0x2000, (2, 0xD400), (0, there)), "AX=0001");
    assert!(b.bytes(0x6000, 0x2000) == bytes[..0x2000]);
    // A block that has no room to grow moves with its bytes; freed memory is zero for its next
    // owner.
    b.put(0x100, &[0xA5; 16]);
    assert_eq!(moved(&mut b, 16, (0, u32::from(DATA) << 16 | 0x100), (1, 0)), "AX=0001");
    b.rows(XMS_TRAP, &[("AX=0F00 DX=1 BX=80", "AX=0001"), ("AX=0900 DX=40", "AX=0001 DX=0003")]);
    assert_eq!(moved(&mut b, 16, (1, 0), (0, u32::from(DATA) << 16 | 0x200)), "AX=0001");
    assert_eq!(moved(&mut b, 16, (3, 0), (0, u32::from(DATA) << 16 | 0x300)), "AX=0001");
    assert_eq!((b.bytes(0x200, 16), b.bytes(0x300, 16)), (vec![0xA5; 16], vec![0; 16]));
}

#[test]
fn expanded_memory_is_found_and_given_away() {
    let mut b = bench();
    let vector = b.hw.vector(0x67);
    assert_eq!(b.hw.bytes(Far::new(vector.segment, 10), 8), b"EMMXXXX0");
    b.table(&[
        ("AX=3D00 DX=\"EMMXXXX0\"", "AX=0005"),
        ("AX=4400 BX=5", "AX=C0C0 DX=C0C0"),
        ("AX=4407 BX=5", "AX=44FF"),
    ]);
    b.rows(
        0x67,
        &[
            ("AX=4000", "AX=0000"),
            ("AX=4100", "AX=0000 BX=E000"),
            ("AX=4200", "AX=0000 DX=0200 BX=0200"),
            ("AX=4600", "AX=0040"),
            ("AX=4300 BX=0", "AX=8900"),
            ("AX=4300 BX=201", "AX=8700"),
            ("AX=4300 BX=10", "AX=0000 DX=0001"),
            ("AX=4300 BX=1F1", "AX=8800"),
            ("AX=5A00 BX=0", "AX=0000 DX=0002"),
            ("AX=4200", "AX=0000 DX=0200 BX=01F0"),
            ("AX=4B00", "AX=0000 BX=0003"),
            ("AX=4C00 DX=1", "AX=0000 BX=0010"),
            ("AX=4C00 DX=7", "AX=8300"),
            ("AX=4D00 DI=100", "AX=0000 BX=0003"),
            ("AX=5100 DX=1 BX=12", "AX=0000"),
            ("AX=5301 DX=1 SI=\"FIRST\"", "AX=0001"),
            ("AX=5301 DX=2 SI=\"FIRST\"", "AX=A101"),
            ("AX=5401 SI=\"FIRST\"", "AX=0001 DX=0001"),
            ("AX=5401 SI=\"NONE\"", "AX=A001"),
            ("AX=5400 DI=200", "AX=0003"),
            ("AX=5402", "AX=0002 BX=0040"),
            ("AX=5200 DX=1", "AX=0000"),
            ("AX=5201 DX=1 BX=1", "AX=9101"),
            ("AX=5800 DI=300", "AX=0000 CX=0004"),
            ("AX=5901", "AX=0001 DX=0200 BX=01EE"),
            ("AX=4500 DX=1", "AX=0000"),
            ("AX=4500 DX=1", "AX=8300"),
            ("AX=4200", "AX=0000 DX=0200 BX=0200"),
            ("AX=6000", "AX=8400"),
        ],
    );
    assert_eq!(b.bytes(0x100, 12), [0, 0, 0, 0, 1, 0, 0x10, 0, 2, 0, 0, 0]);
    assert_eq!(b.bytes(0x20A, 8), b"\x01\0FIRST\0");
    assert_eq!(b.bytes(0x300, 16), [0, 0xE0, 0, 0, 0, 0xE4, 1, 0, 0, 0xE8, 2, 0, 0, 0xEC, 3, 0]);
}

/// Returns the byte at the beginning of a slot of the page frame.
fn slot(b: &mut Bench, slot: u16) -> u8 {
    b.hw.byte(Far::new(0xE000, slot * 0x4000))
}

#[test]
fn pages_stand_in_the_frame() {
    let mut b = bench();
    b.rows(0x67, &[("AX=4300 BX=6", "AX=0000 DX=0001"), ("AX=4300 BX=1", "AX=0000 DX=0002")]);
    for page in 0..6_u8 {
        assert_eq!(b.call_of(0x67, &format!("AX=4402 BX={page} DX=1")), "AX=0002");
        b.hw.set_byte(Far::new(0xE000, 0x8000), 0x10 + page);
        b.hw.set_byte(Far::new(0xE800, 0x3FFF), 0x20 + page);
    }
    b.rows(
        0x67,
        &[
            ("AX=4400 BX=1 DX=1", "AX=0000"),
            ("AX=4401 BX=2 DX=1", "AX=0001"),
            ("AX=4403 BX=6 DX=1", "AX=8A03"),
            ("AX=4404 BX=0 DX=1", "AX=8B04"),
            ("AX=4403 BX=0 DX=9", "AX=8303"),
            ("AX=4700 DX=2", "AX=0000"),
            ("AX=4700 DX=2", "AX=8D00"),
            ("AX=4E00 DI=400", "AX=0000"),
            ("AX=4E03", "AX=0010"),
            ("AX=4400 BX=FFFF DX=1", "AX=0000"),
        ],
    );
    assert_eq!((slot(&mut b, 0), slot(&mut b, 1), slot(&mut b, 2)), (0xFF, 0x12, 0x15));
    // With pairs of page and slot: 3 into 0, 4 into 3; by segment: 0 into E400.
    b.put(0x500, &[3, 0, 0, 0, 4, 0, 3, 0]);
    b.put(0x510, &[0, 0, 0, 0xE4]);
    b.rows(
        0x67,
        &[
            ("AX=5000 CX=2 DX=1 SI=500", "AX=0000"),
            ("AX=5001 CX=1 DX=1 SI=510", "AX=0001"),
            ("AX=5000 CX=1 DX=1 SI=510", "AX=8B00"),
        ],
    );
    assert_eq!([0, 1, 2, 3].map(|number| slot(&mut b, number)), [0x13, 0x10, 0x15, 0x14]);
    assert_eq!(b.hw.byte(Far::new(0xEC00, 0x3FFF)), 0x24);
    b.rows(0x67, &[("AX=4800 DX=2", "AX=0000"), ("AX=4800 DX=2", "AX=8E00")]);
    assert_eq!([0, 1, 2, 3].map(|number| slot(&mut b, number)), [0x11, 0x12, 0x15, 0xFF]);
    b.rows(0x67, &[("AX=4400 BX=5 DX=1", "AX=0000"), ("AX=4E01 SI=400", "AX=0001")]);
    assert_eq!([0, 1, 2, 3].map(|number| slot(&mut b, number)), [0x11, 0x12, 0x15, 0xFF]);
    // The pages of a released handle are unmapped.
    b.rows(0x67, &[("AX=4500 DX=1", "AX=0000")]);
    assert_eq!([0, 1, 2, 3].map(|number| slot(&mut b, number)), [0xFF; 4]);
    b.rows(0x67, &[("AX=4300 BX=6", "AX=0000 DX=0001"), ("AX=4400 BX=0 DX=1", "AX=0000")]);
    assert_eq!(slot(&mut b, 0), 0, "what is given anew is zero");
}

#[test]
fn a_page_that_stands_twice_is_one() {
    let mut b = bench();
    b.rows(
        0x67,
        &[
            ("AX=4300 BX=2", "AX=0000 DX=0001"),
            ("AX=4401 BX=0 DX=1", "AX=0001"),
            ("AX=4402 BX=0 DX=1", "AX=0002"),
        ],
    );
    b.hw.set_byte(Far::new(0xE400, 0), 0x5A);
    b.hw.set_bytes(Far::new(0xE800, 0x10), b"both");
    assert_eq!((slot(&mut b, 1), slot(&mut b, 2)), (0x5A, 0x5A));
    assert_eq!(
        (b.hw.bytes(Far::new(0xE400, 0x10), 4), b.hw.word(Far::new(0xE800, 0x10))),
        (b"both".to_vec(), 0x6F62)
    );
    // A snapshot contains it.
    let saved = b.hw.save();
    b.hw.set_frame_slots([0, 1, 2, 3]);
    b.hw.restore(&saved);
    b.hw.set_byte(Far::new(0xE800, 0), 0x5B);
    assert_eq!(slot(&mut b, 1), 0x5B);
    // It is mapped to a slot before the others, unmapped from one of them, and from all.
    b.rows(0x67, &[("AX=4400 BX=0 DX=1", "AX=0000"), ("AX=4401 BX=1 DX=1", "AX=0001")]);
    assert_eq!([0, 1, 2].map(|number| slot(&mut b, number)), [0x5B, 0, 0x5B]);
    b.hw.set_byte(Far::new(0xE800, 0), 0x5C);
    b.rows(0x67, &[("AX=4400 BX=1 DX=1", "AX=0000")]);
    assert_eq!([0, 1, 2].map(|number| slot(&mut b, number)), [0, 0, 0x5C]);
    b.hw.set_byte(Far::new(0xE400, 0), 0x11);
    b.rows(0x67, &[("AX=4402 BX=FFFF DX=1", "AX=0002"), ("AX=4403 BX=0 DX=1", "AX=0003")]);
    assert_eq!([0, 1, 2, 3].map(|number| slot(&mut b, number)), [0x11, 0x11, 0xFF, 0x5C]);
    b.rows(0x67, &[("AX=4500 DX=1", "AX=0000")]);
    assert_eq!([0, 1, 2, 3].map(|number| slot(&mut b, number)), [0xFF; 4]);
}

#[test]
fn an_operating_system_may_keep_functions_for_itself() {
    bench().rows(
        0x67,
        &[
            ("AX=5D02", "AX=A402"),
            ("AX=5D00", "AX=0000 CX=6F62 BX=786F"),
            ("AX=5D01 BX=1 CX=1", "AX=A401"),
            ("AX=5D01 BX=786F CX=6F62", "AX=0001"),
            ("AX=5901", "AX=A401"),
            ("AX=5B02", "AX=A402"),
            ("AX=5D02 BX=786F CX=6F62", "AX=0002"),
            ("AX=5B02", "AX=0002 DX=0010"),
            ("AX=5D03", "AX=8F03"),
        ],
    );
}

#[test]
fn regions_are_moved_and_exchanged() {
    let mut b = bench();
    b.rows(0x67, &[("AX=4300 BX=4", "AX=0000 DX=0001"), ("AX=4400 BX=1 DX=1", "AX=0000")]);
    let packet = |b: &mut Bench, len: u32, from: [u16; 4], to: [u16; 4]| {
        let at = Far::new(DATA, 0x1000);
        b.hw.set_dword(at, len);
        for (at, [kind, handle, offset, place]) in [(at.plus(4), from), (at.plus(11), to)] {
            b.hw.set_byte(at, kind as u8);
            b.hw.set_word(at.plus(1), handle);
            b.hw.set_word(at.plus(3), offset);
            b.hw.set_word(at.plus(5), place);
        }
    };
    b.put(0x2000, &[0x77; 0x20]);
    for (call, len, from, to, expected) in [
        ("AX=5700 SI=1000", 0x20, [0, 0, 0x2000, DATA], [1, 1, 0x3FF0, 0], "AX=0000"),
        ("AX=5700 SI=1000", 0x20, [1, 1, 0x3FF0, 0], [0, 0, 0x3000, DATA], "AX=0000"),
        ("AX=5701 SI=1000", 0x10, [1, 1, 0, 1], [0, 0, 0x4000, DATA], "AX=0001"),
        ("AX=5700 SI=1000", 0x20, [1, 1, 0x4000, 0], [0, 0, 0x4000, DATA], "AX=9500"),
        ("AX=5700 SI=1000", 0x20, [1, 1, 0x3FF0, 3], [0, 0, 0x4000, DATA], "AX=9300"),
        ("AX=5700 SI=1000", 0x20, [1, 1, 0, 4], [0, 0, 0x4000, DATA], "AX=8A00"),
        ("AX=5700 SI=1000", 0x20, [1, 5, 0, 0], [0, 0, 0x4000, DATA], "AX=8300"),
        ("AX=5700 SI=1000", 0x20, [2, 1, 0, 0], [0, 0, 0x4000, DATA], "AX=9800"),
        ("AX=5700 SI=1000", 0x20, [0, 0, 0xFFFF, 0xFFFF], [0, 0, 0x4000, DATA], "AX=A200"),
        ("AX=5700 SI=1000", 0x20, [1, 1, 0, 0], [1, 1, 0x10, 0], "AX=9200"),
        ("AX=5701 SI=1000", 0x20, [1, 1, 0, 0], [1, 1, 0x10, 0], "AX=9701"),
        ("AX=5700 SI=1000", 0x10_0001, [1, 1, 0, 0], [1, 1, 0x10, 0], "AX=9600"),
    ] {
        packet(&mut b, len, from, to);
        assert_eq!(b.call_of(0x67, call), expected, "{from:X?} {to:X?}");
    }
    assert_eq!(b.bytes(0x3000, 0x20), [0x77; 0x20]);
    // Page 1 was mapped all the time: the frame shows the exchange.
    assert_eq!((slot(&mut b, 0), b.bytes(0x4000, 0x10)), (0, vec![0x77; 0x10]));
}

#[test]
fn a_snapshot_holds_both_memories() {
    let mut b = bench();
    b.rows(XMS_TRAP, &[("AX=0900 DX=40", "AX=0001 DX=0001")]);
    b.rows(0x67, &[("AX=4300 BX=2", "AX=0000 DX=0001"), ("AX=4400 BX=0 DX=1", "AX=0000")]);
    let (hardware, dos) = (b.hw.save(), b.dos.clone());
    b.put(0x2000, b"bytes of a block");
    assert_eq!(moved(&mut b, 16, (0, u32::from(DATA) << 16 | 0x2000), (1, 0)), "AX=0001");
    b.hw.set_byte(Far::new(0xE000, 0), 0x5A);
    b.rows(0x67, &[("AX=4400 BX=1 DX=1", "AX=0000")]);
    b.hw.restore(&hardware);
    b.dos.adopt(dos);
    assert_eq!(moved(&mut b, 16, (1, 0), (0, u32::from(DATA) << 16 | 0x3000)), "AX=0001");
    assert_eq!(b.bytes(0x3000, 16), [0; 16]);
    b.rows(0x67, &[("AX=4400 BX=1 DX=1", "AX=0000"), ("AX=4400 BX=0 DX=1", "AX=0000")]);
    assert_eq!(slot(&mut b, 0), 0);
}

#[test]
fn who_looks_in_vain_is_told_so() {
    let mut b = Bench::new();
    b.rows(0x2F, &[("AX=4300", ""), ("AX=4310", "")]);
    b.table(&[("AX=3D00 DX=\"EMMXXXX0\"", "CF AX=0002")]);
    assert_eq!(b.hw.vector(0x67), Far::new(0, 0));
    b.hw.set_byte(Far::new(0xE000, 0), 0x12);
    assert_eq!(b.hw.byte(Far::new(0xE000, 0)), 0);
}
