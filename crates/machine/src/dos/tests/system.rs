use super::*;

#[test]
fn small_calls() {
    let mut b = Bench::starting(|_| {}, &DosOptions::default(), DateTime::date(1994, 2, 28));
    b.table(&[
        ("AX=3000", "AX=0005 BX=FF00"),
        ("AX=3001 BX=1 CX=1", "AX=0005 CX=0000 BX=0000"),
        ("AX=3305", "DX=0003"),
        ("AX=3306 DX=7", "DX=0000 BX=0005"),
        ("AX=33FE", "AX=33FF"),
        ("AX=1900", "AX=1902"),
        ("AX=0E00 DX=0", "AX=0E05"),
        ("AX=1955", "AX=1900"),
        ("AX=0E00 DX=9", "AX=0E05"),
        ("AX=1955", "AX=1900"),
        ("AX=0E00 DX=2", "AX=0E05"),
        ("AX=3400", "BX=0321 ES=0080"),
        ("AX=5200", "BX=0026 ES=0080"),
        ("AX=2F00", "BX=0080 ES=0638"),
        ("AX=1A00 DX=1234", ""),
        ("AX=2F00 ES=0", "BX=1234 ES=5000"),
        ("AX=6200", "BX=0638"),
        ("AX=5100 BX=0", "BX=0638"),
        ("AX=5000 BX=1234", ""),
        ("AX=5100 BX=0", "BX=1234"),
        ("AX=5000 BX=638", ""),
        ("AX=2560 DX=2222", ""),
        ("AX=3560", "BX=2222"),
        ("AX=5400", ""),
        ("AX=2E01 DX=0", ""),
        ("AX=5400", "AX=5401"),
        ("AX=3700", "DX=002F"),
        ("AX=4D00", "AX=0000"),
        ("AX=6300", "SI=03C2 DS=0080"),
        ("AX=6601 DX=0 BX=0", "DX=01B5 BX=01B5"),
        ("AX=6602 BX=1B5", ""),
        ("AX=6602 BX=352", "CF AX=0002"),
        ("AX=5D06 CX=0 DX=0 SI=0", "CX=0080 DX=0018 SI=0320 DS=0080"),
        ("AX=5C00 BX=0", "CF AX=0001"),
        ("AX=6520 DX=0084", "DX=008E"),
        ("AX=6523 DX=79", "AX=0001"),
        ("AX=6523 DX=4E", "AX=0000"),
        ("AX=6523 DX=58", "AX=0002"),
        ("AX=2A00", "AX=2A01 CX=07CA DX=021C"),
        ("AX=2B00 CX=7CC DX=1F0C", "AX=2BFF"),
        ("AX=2BEE CX=7CC DX=021D", "AX=2B00"),
        ("AX=2A00", "AX=2A04 CX=07CC DX=021D"),
        ("AX=2D00 CX=1800 DX=0", "AX=2DFF"),
        ("AX=2DEE CX=173B DX=3B00", "AX=2D00"),
        ("AX=2C00", "CX=173B DX=3B02"),
        ("AX=3600 DX=0", "AX=0040 CX=0200 DX=2000 BX=2000"),
        ("AX=3600 DX=9", "AX=FFFF"),
        ("AX=1C00 DX=3", "AX=1C40 CX=0200 DX=2000 BX=0859 DS=0080"),
        ("AX=3200 DX=3", "BX=0842 DS=0080"),
        ("AX=3232 DX=8", "AX=32FF"),
        ("AX=4408 BX=3", "AX=0001"),
        ("AX=4408 BX=1", "AX=0000"),
        ("AX=4408 BX=7", "CF AX=000F"),
        ("AX=4409 BX=0", "DX=0842"),
        ("AX=440A BX=1", "AX=80D3 DX=00D3"),
        ("AX=440E BX=3", "AX=4400"),
        ("AX=4402 BX=1", "CF AX=0001"),
        ("AX=4407 BX=1", "AX=44FF"),
        ("AX=44FF BX=1", "CF AX=0001"),
    ]);
    assert_eq!(b.notices(), [""; 0]);
}

#[test]
fn what_is_not_there_is_named_once() {
    let mut b = Bench::new();
    b.table(&[("AX=7342", "AX=7300"), ("AX=7343", "AX=7300"), ("AX=5D00", "CF AX=0001")]);
    assert_eq!(
        b.notices(),
        [
            "missing: INT 21 AH=73, called before 4000:0123",
            "missing: INT 21 AX=5D00, called before 4000:0123"
        ]
    );
    b.table(&[("AX=7342", "AX=7300")]);
    assert_eq!(b.notices(), [""; 0]);
}

#[test]
fn midnight_changes_the_date() {
    let mut b = Bench::new();
    b.table(&[("AX=2A00", "AX=2A02 CX=07BC DX=0101")]);
    b.hw.set_byte(Far::new(0x40, 0x70), 1);
    b.table(&[("AX=2A00", "AX=2A03 CX=07BC DX=0102")]);
    assert_eq!(b.hw.byte(Far::new(0x40, 0x70)), 0);
}

#[test]
fn country_tables() {
    let mut b = Bench::new();
    b.table(&[
        ("AX=3800 DX=100", "AX=0001 BX=0001"),
        ("AX=3831 DX=100", "CF AX=0002"),
        ("AX=6501 BX=FFFF DX=FFFF CX=29 DI=200", ""),
        ("AX=6501 BX=FFFF DX=FFFF CX=4 DI=200", "CF AX=0001"),
        ("AX=6502 BX=FFFF DX=FFFF CX=5 DI=240", ""),
        ("AX=6507 BX=1B5 DX=1 CX=99 DI=250", "CX=0005"),
        ("AX=6502 BX=352 DX=1 CX=5 DI=240", "CF AX=0002"),
    ]);
    assert_eq!(b.bytes(0x102, 5), b"$\0\0\0\0");
    assert_eq!(b.bytes(0x200, 7), [1, 38, 0, 1, 0, 0xB5, 1]);
    assert_eq!(b.bytes(0x240, 5), [2, 0xD0, 0x03, 0x80, 0x00]);
    assert_eq!(b.hw.bytes(sysvars::CAPITALS, 4), [0x80, 0x00, 0x80, 0x9A]);
}

#[test]
fn a_floppy_drive_is_a_critical_error() {
    let mut b = Bench::new();
    b.table(&[
        ("AX=3D00 DX=\"A:X\"", "CF AX=0053"),
        ("AX=3600 DX=1", "AX=FFFF"),
        ("AX=5900 BX=0", "AX=0053 CX=0100 BX=0D04 ES=0000"),
    ]);
    b.hw.set_vector(0x24, Far::new(0x4000, 0x0500));
    let call = "AX=3D00 BX=1111 DX=\"B:X\"";
    assert_eq!(b.call(call), "Call 24 AX=1C01 SP=0FEE BP=0080 SI=00C8 DI=0002");
    // The handler finds the caller's registers after its own frame.
    let frame = Far::new(STACK.segment, 0x0FEE);
    assert_eq!([0, 2, 6].map(|at| b.hw.word(frame.plus(at))), [0x3D00, 0x1111, STRINGS]);
    assert_eq!(b.hw.bytes(sysvars::CRITICAL_FLAG, 3), [1, 1, 1]);
    // Retry repeats the call; ignore is not permitted and fails; fail fails.
    b.cpu.regs.set_ax(1);
    assert!(b.trap(0x21).starts_with("Call 24"));
    for answer in [0, 3] {
        b.cpu.regs.set_ax(answer);
        b.cpu.regs.set_bx(0xDEAD);
        assert!(b.trap(0x21).starts_with("CF AX=0053"), "{answer}");
        assert_eq!((b.cpu.regs.bx(), b.cpu.regs.sp()), (0x1111, STACK.offset));
        assert!(b.call(call).starts_with("Call 24"));
    }
    // Abort ends the program.
    b.cpu.regs.set_ax(2);
    assert!(b.trap(0x21).starts_with("Jump"));
    assert_eq!(b.hw.word(sysvars::RETURN_CODE), 0x0200);
}

#[test]
fn absolute_disk_calls_leave_the_flags() {
    let mut b = Bench::new();
    for (vector, drive, error) in [(0x25, 0, 0x8002), (0x26, 2, 0x0408), (0x25, 9, 0x0201)] {
        b.reset_stack();
        b.cpu.regs.set_ax(drive);
        assert_eq!(b.serve(vector), Resume::Jump);
        let r = &b.cpu.regs;
        assert_eq!((r.cs(), r.ip, r.sp()), (CALLER.segment, u32::from(CALLER.offset), STACK.offset + 4));
        assert_eq!((r.ax(), r.flag(Flags::CF)), (error, true));
    }
}

/// Three functions without errors in the carry flag clear it: they end in SYS_RET_OK of MS-DOS 4.0.
/// The others return the caller's.
#[test]
fn functions_without_errors_and_the_carry_flag() {
    let clears = [0x4D, 0x59, 0x63];
    let keeps = [
        0x0B, 0x0D, 0x0E, 0x19, 0x1A, 0x1B, 0x1F, 0x25, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x30, 0x33, 0x34,
        0x35, 0x36, 0x37, 0x51, 0x52, 0x54, 0x62,
    ];
    let rows = clears.map(|function| (function, true)).into_iter();
    for (function, is_cleared) in rows.chain(keeps.map(|function| (function, false))) {
        for carry in [0, Flags::CF as u16] {
            let mut b = Bench::new();
            b.cpu.regs.set_ax(function << 8);
            b.hw.set_word(STACK.plus(4), 0x0202 | carry);
            let found = b.trap(0x21).starts_with("CF");
            assert_eq!(found, carry != 0 && !is_cleared, "AH={function:02X}, CF={carry}");
        }
    }
}

#[test]
fn multiplex_checks() {
    let mut b = Bench::new();
    for (call, expected) in [
        ("AX=1600", ""),
        ("AX=4300", ""),
        ("AX=1200", "AX=12FF"),
        ("AX=1500 BX=7", "BX=0000"),
        ("AX=1687", ""),
        ("AX=4A01 BX=1", "BX=0000 DI=FFFF ES=FFFF"),
        ("AX=1680", "Wait"),
    ] {
        b.reset_stack();
        b.set("BX=0 DI=0");
        b.set(call);
        assert_eq!(b.trap(0x2F), expected, "{call}");
    }
    assert!(!b.dos.waiting_for_input());
    // After an interrupt.
    assert_eq!(b.trap(0x2F), "AX=1600");
    b.reset_stack();
    b.set("AX=ABCD");
    assert_eq!(b.trap(0x2F), "");
    assert_eq!(b.notices(), ["missing: INT 2F AX=ABCD, called before 4000:0123"]);
}

#[test]
fn cpm_calls() {
    let mut b = Bench::new();
    // CALL 5 has pushed the return address, the far call in the PSP its own.
    for (function, expected, jumps) in [(0x19, 0x1901, true), (0x25, 0x0000, false)] {
        b.reset_stack();
        let psp = b.hw.word(sysvars::CURRENT_PSP);
        b.hw.set_far(STACK, Far::new(psp, 0x000A));
        b.hw.set_word(STACK.plus(4), 0x0777);
        b.cpu.regs.set_ax(1);
        b.cpu.regs.set_cx(function);
        assert_eq!(b.serve(0x30) == Resume::Jump, jumps);
        assert_eq!(b.cpu.regs.ax(), expected);
        assert_eq!(b.hw.far(STACK), Far::new(psp, 0x0777));
        assert_eq!(b.cpu.regs.sp(), STACK.offset);
    }
    // Both addresses that reach it: with and without the wrap at 1 MiB.
    let psp = b.hw.word(sysvars::CURRENT_PSP);
    let call = b.hw.bytes(Far::new(psp, 5), 5);
    assert_eq!(call, [0x9A, 0xF0, 0xFE, 0x1D, 0xF0]);
    let jump = b.hw.bytes(Far::new(0, 0xC0), 5);
    assert_eq!(jump, [0xEA, 0x00, 0x13, 0x00, 0xF0]);
    assert_eq!(b.hw.bytes(Far::new(0xF01D, 0xFEF0), 5), jump);
}

#[test]
fn devices_and_lists_in_guest_memory() {
    let mut b = Bench::new();
    let mut names = Vec::new();
    let mut at = sysvars::LISTS.plus(0x22);
    while at.offset != 0xFFFF {
        let name = b.hw.bytes(at.plus(10), 8);
        names.push(String::from_utf8(name).unwrap().trim_end().to_owned());
        at = b.hw.far(at);
    }
    assert_eq!(names.join(" "), "NUL CON AUX PRN CLOCK$ \u{3} COM1 LPT1 LPT2 LPT3 COM2 COM3 COM4");
    let first = b.hw.word(sysvars::LISTS.plus(2u16.wrapping_neg()));
    assert_eq!(b.hw.byte(Far::new(first, 0)), b'M');
    let sft = b.hw.far(sysvars::LISTS.plus(4));
    assert_eq!(b.hw.word(sft.plus(4)), 40);
    assert_eq!(b.hw.bytes(sft.plus(6 + 0x3B + 0x20), 11), b"CON        ");
}

/// Bit 6 of the device information: opening sets it, the end of a device's input and a write to a
/// file clear it, a write to a device sets it again.
#[test]
fn device_information_knows_ends_and_writes() {
    let mut b = Bench::with(|folder| fs::write(folder.join("A.TXT"), "abc").unwrap(), &DosOptions::default());
    b.table(&[
        (r#"AX=3D02 DX="NUL""#, "AX=0005"),
        ("AX=4400 BX=5", "AX=80C4 DX=80C4"),
        ("AX=3F00 BX=5 CX=0 DX=0", "AX=0000"),
        ("AX=4400 BX=5", "AX=80C4 DX=80C4"),
        ("AX=3F00 BX=5 CX=1 DX=0", "AX=0000"),
        ("AX=4400 BX=5", "AX=8084 DX=8084"),
        ("AX=4000 BX=5 CX=0 DX=0", "AX=0000"),
        ("AX=4400 BX=5", "AX=80C4 DX=80C4"),
        ("AX=4401 BX=5 DX=0024", "AX=44C4"),
        ("AX=4400 BX=5", "AX=80A4 DX=80A4"),
        (r#"AX=3D02 DX="CLOCK$""#, "AX=0006"),
        ("AX=4400 BX=6", "AX=80C8 DX=80C8"),
        (r#"AX=3D02 DX="A.TXT""#, "AX=0007"),
        ("AX=3F00 BX=7 CX=9 DX=0", "AX=0003"),
        ("AX=3F00 BX=7 CX=9 DX=0", "AX=0000"),
        ("AX=4400 BX=7", "AX=0042 DX=0042"),
        ("AX=4401 BX=7 DX=0100", "AX=4442"),
        ("AX=4401 BX=7 DX=0200", "CF AX=000D"),
        ("AX=5701 BX=7 CX=0 DX=21", ""),
        ("AX=4400 BX=7", "AX=0002 DX=0002"),
        (r#"AX=3C00 CX=0 DX="B.TXT""#, "AX=0008"),
        ("AX=4400 BX=8", "AX=0042 DX=0042"),
        ("AX=4000 BX=8 CX=0 DX=0", "AX=0000"),
        ("AX=4400 BX=8", "AX=0002 DX=0002"),
    ]);
    // Ctrl-Z at the start of a line ends the console's input until something is written to it.
    b.type_text("\x1A\r");
    b.table(&[
        ("AX=3F00 BX=0 CX=9 DX=0", "AX=0000"),
        ("AX=4400 BX=2", "AX=8093 DX=8093"),
        ("AX=3F00 BX=0 CX=9 DX=0", "AX=0000"),
        ("AX=4000 BX=1 CX=1 DX=0", "AX=0001"),
        ("AX=4400 BX=0", "AX=80D3 DX=80D3"),
    ]);
    b.type_text("a\x1Ab\r");
    b.table(&[("AX=3F00 BX=0 CX=9 DX=0", "AX=0005")]);
    assert_eq!(b.bytes(0, 5), b"a\x1Ab\r\n");
    // The copy in guest memory has the same byte and no high one.
    let sft = b.hw.far(sysvars::LISTS.plus(4));
    assert_eq!(b.hw.word(sft.plus(6 + 0x3B + 5)), 0x00D3);
}

/// The part of owed time that passes at once: less than a timer tick, unless too much is owed.
#[test]
fn owed_time_passes_in_parts() {
    for (deferred_cycles, passes) in
        [(100, 100), (60_000, 50_000), (3_000_000, 50_000), (5_000_000, 2_000_000)]
    {
        let mut b = Bench::new();
        b.dos.clock.deferred_cycles = deferred_cycles;
        let before = b.cpu.cycles;
        // A character that would be shown at once has to wait.
        b.cpu.regs.set_ax(0x0200);
        assert!(!b.dos.serve_at_once(&mut b.cpu.regs, &mut b.hw));
        b.call("AX=0200 DX=41");
        assert_eq!(
            (b.cpu.cycles - before, b.dos.clock.deferred_cycles),
            (passes, deferred_cycles - passes),
            "{deferred_cycles} deferred"
        );
    }
}
