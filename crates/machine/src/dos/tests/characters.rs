use super::*;

#[test]
fn characters_in() {
    let mut b = Bench::new();
    for (keys, call, expected) in [
        (&[][..], "AX=0100", "Wait"),
        (&[], "AX=0700", "Wait"),
        (&[], "AX=0800", "Wait"),
        (&[0x1E61], "AX=0100", "AX=0161"),
        (&[0x1E61], "AX=0700", "AX=0761"),
        (&[0x1E61], "AX=0800", "AX=0861"),
        // F1 is 00 and then its scan code.
        (&[0x3B00], "AX=0812", "AX=0800"),
        (&[], "AX=0800", "AX=083B"),
        // A grey arrow; Ctrl-PrtSc, which is Ctrl-P and echoes to the printer.
        (&[0x48E0], "AX=0712", "AX=0700"),
        (&[], "AX=0700", "AX=0748"),
        (&[0x7200], "AX=0700", "AX=0710"),
        (&[0x7200, 0x1E61], "AX=0800", "AX=0861"),
        // With 07h Ctrl-C is a character.
        (&[0x2E03], "AX=0700", "AX=0703"),
        // Ctrl-S stops the output until a key, which is discarded.
        (&[0x1F13, 0x1E61, 0x3062], "AX=0800", "AX=0862"),
        (&[], "AX=06FF DX=00FF", "ZF AX=0600"),
        (&[0x1E61], "AX=0600 DX=00FF", "AX=0661"),
        (&[0x3B00], "AX=0601 DX=00FF", "AX=0600"),
        (&[], "AX=0600 DX=00FF", "AX=063B"),
        (&[], "AX=0BFF", "AX=0B00"),
        (&[0x1E61], "AX=0B00", "AX=0BFF"),
        // 0Ch discards it, and does nothing else with an unknown function.
        (&[0x3062], "AX=0C55", "AX=0C00"),
        (&[], "AX=0B55", "AX=0B00"),
    ] {
        b.keys(keys);
        assert_eq!(b.call(call), expected, "{keys:04X?} {call}");
    }
    assert_eq!(b.screen(), "a");
}

#[test]
fn waits_are_seen_and_ended_by_a_key() {
    let mut b = Bench::new();
    assert_eq!(b.call("AX=0800"), "Wait");
    assert!(b.dos.waiting_for_input());
    assert_eq!(b.hw.byte(sysvars::IN_DOS), 1);
    // An interrupt without a key: the stub traps again.
    assert_eq!(b.trap(0x21), "Wait");
    b.type_text("x");
    assert_eq!(b.trap(0x21), "AX=0878");
    assert!(!b.dos.waiting_for_input());
    assert_eq!(b.hw.byte(sysvars::IN_DOS), 0);
}

#[test]
fn characters_out() {
    let mut b = Bench::new();
    b.put(0, b"one\ttwo\r\n$rest");
    b.table(&[
        ("AX=0200 DX=0041", "AX=0241"),
        ("AX=0200 DX=0009", "AX=0220"),
        ("AX=0600 DX=0042", "AX=0642"),
        ("AX=0200 DX=000D", "AX=020D"),
        ("AX=0200 DX=000A", "AX=020A"),
        ("AX=0900 DX=0", "AX=0924"),
        ("AX=4000 BX=1 CX=7 DX=0", "AX=0007"),
        ("AX=4000 BX=2 CX=3 DX=0", "AX=0003"),
    ]);
    assert_eq!(b.screen(), "A       B\none     two\none     twoone");
}

#[test]
fn the_column_for_tabs_counts_as_in_dos() {
    // Control characters and DEL do not count; a backspace at the left edge leads to column 255.
    let rows: [(&[u8], &[u8]); 4] = [
        (b"\rab\t.", b"\rab      ."),
        (b"\ra\x01\x7F\t.", b"\ra\x01\x7F       ."),
        (b"\rab\x08\t.", b"\rab\x08       ."),
        (b"\r\x08\t.", b"\r\x08 ."),
    ];
    let screen_after = |text: &[u8]| {
        let mut b = Bench::new();
        b.put(0, &[text, b"$"].concat());
        b.table(&[("AX=0900 DX=0", "AX=0924")]);
        b.screen()
    };
    for (text, shown) in rows {
        assert_eq!(screen_after(text), screen_after(shown), "{text:?}");
    }
}

#[test]
fn output_by_handle_ends_at_ctrl_z_unless_raw() {
    let mut b = Bench::new();
    b.put(0, b"ab\x1Acd");
    b.table(&[
        ("AX=4000 BX=1 CX=5 DX=0", "AX=0002"),
        ("AX=4400 BX=1", "AX=80D3 DX=80D3"),
        ("AX=4401 BX=1 DX=00F3", "AX=44D3"),
        ("AX=4400 BX=1", "AX=80F3 DX=80F3"),
        ("AX=4000 BX=1 CX=5 DX=0", "AX=0005"),
        ("AX=4401 BX=1 DX=8000", "CF AX=000D"),
    ]);
    assert_eq!(b.screen(), "abab→cd");
}

#[test]
fn a_line_is_edited_and_becomes_the_template() {
    let mut b = Bench::new();
    b.put(0x100, &[6, 0]);
    assert_eq!(b.call("AX=0A00 DX=100"), "Wait");
    b.type_text("hxllo\x08\x08\x08\x08ello");
    assert_eq!(b.trap(0x21), "Wait");
    b.type_text("\r");
    assert_eq!(b.trap(0x21), "");
    assert_eq!(b.bytes(0x100, 8), b"\x06\x05hello\r");
    // F3 repeats it.
    b.keys(&[0x3D00, 0x000D]);
    assert_eq!(b.call("AX=0A00 DX=100"), "");
    assert_eq!(b.bytes(0x100, 8), b"\x06\x05hello\r");
    assert_eq!(b.screen(), "hello");
    // A buffer of size zero reads nothing.
    b.put(0x100, &[0, 7]);
    assert_eq!(b.call("AX=0A00 DX=100"), "");
    assert_eq!(b.bytes(0x100, 2), [0, 7]);
}

#[test]
fn con_by_handle_gives_lines() {
    let mut b = Bench::new();
    assert_eq!(b.call("AX=3F00 BX=0 CX=4 DX=0"), "Wait");
    b.type_text("abcdef\r");
    assert_eq!(b.trap(0x21), "AX=0004");
    assert_eq!(b.bytes(0, 4), b"abcd");
    b.table(&[("AX=3F00 BX=0 CX=80 DX=0", "AX=0004")]);
    assert_eq!(b.bytes(0, 4), b"ef\r\n");
    b.type_text("\x1A\r");
    b.table(&[("AX=3F00 BX=0 CX=80 DX=0", "AX=0000")]);
    // The end of the input lasts until something is written.
    b.type_text("xy\x1Az\r");
    b.table(&[
        ("AX=3F00 BX=0 CX=80 DX=0", "AX=0000"),
        ("AX=4000 BX=1 CX=0 DX=0", "AX=0000"),
        ("AX=3F00 BX=0 CX=80 DX=0", "AX=0006"),
    ]);
    // The previous line is the template.
    b.keys(&[0x3D00, 0x000D]);
    b.table(&[("AX=3F00 BX=0 CX=80 DX=0", "AX=0006")]);
    // Raw: as many bytes as requested, unedited and not shown.
    b.table(&[("AX=4401 BX=0 DX=00F3", "AX=44D3")]);
    b.type_text("q\x08");
    b.table(&[("AX=3F00 BX=0 CX=3 DX=0", "Wait")]);
    b.type_text("\r");
    assert_eq!(b.trap(0x21), "AX=0003");
    assert_eq!(b.bytes(0, 3), b"q\x08\r");
    assert_eq!(b.screen(), "abcdef\n^Z\nxy^Zz\nxy^Zz");
}

#[test]
fn ctrl_c_ends_the_program() {
    for (call, breaks) in [
        ("AX=0100", true),
        ("AX=0200 DX=41", true),
        ("AX=0600 DX=41", false),
        ("AX=0700", false),
        ("AX=0800", true),
        ("AX=0900 DX=0", true),
        ("AX=0A00 DX=100", true),
        ("AX=0B00", true),
        ("AX=0C08", false),
        ("AX=3F00 BX=0 CX=1 DX=0", true),
        ("AX=4000 BX=1 CX=1 DX=0", true),
        ("AX=3000", false),
    ] {
        let mut b = Bench::new();
        b.put(0, b"x$");
        b.put(0x100, &[9, 0]);
        b.keys(&[0x2E03]);
        let answer = b.call(call);
        assert_eq!(answer.starts_with("Jump"), breaks, "{call}: {answer}");
        assert_eq!(b.screen().contains("^C"), breaks, "{call}");
        if breaks {
            // The parent continues at INT 22h, and receives the reason.
            assert_eq!(b.hw.word(sysvars::RETURN_CODE), 0x0100);
            assert_eq!(b.serve(0x22), Resume::Wait);
            assert_eq!(b.dos.exit_code(), Some(0));
        }
    }
}

#[test]
fn break_state_makes_all_calls_look_for_ctrl_c() {
    let mut b = Bench::new();
    b.table(&[("AX=3301 DX=1", ""), ("AX=3300", "DX=0001"), ("AX=3302 DX=1", ""), ("AX=1900", "AX=1902")]);
    b.keys(&[0x2E03]);
    assert!(b.call("AX=1900").starts_with("Jump"));
}

#[test]
fn ctrl_break_is_a_ctrl_c() {
    let mut b = Bench::new();
    assert_eq!(b.call("AX=0800"), "Wait");
    // The BIOS puts a mark into the buffer and calls INT 1Bh.
    b.keys(&[0]);
    b.serve(0x1B);
    assert!(b.trap(0x21).starts_with("Jump"));
}

/// Hooks a vector with an address of the program.
fn hook(b: &mut Bench, vector: u8) {
    b.hw.set_vector(vector, Far::new(0x4000, 0x0500));
}

#[test]
fn a_program_may_answer_ctrl_c() {
    let mut b = Bench::new();
    hook(&mut b, 0x23);
    b.keys(&[0x2E03, 0x1E61]);
    assert_eq!(b.call("AX=0800 BX=1234"), "Call 23");
    // IRET with changed registers: the call starts again.
    b.cpu.regs.set_bx(0xDEAD);
    assert_eq!(b.trap(0x21), "AX=0861 BX=1234");
    // RETF with the flags left on the stack: carry ends the program; without carry it continues.
    for (carry, expected) in [(false, "Wait SP=1000"), (true, "Jump")] {
        b.keys(&[0x2E03]);
        assert_eq!(b.call("AX=0800"), "Call 23");
        b.cpu.regs.set_sp(STACK.offset - 2);
        b.cpu.regs.set_flag(Flags::CF, carry);
        assert!(b.trap(0x21).starts_with(expected), "{expected}");
    }
    assert_eq!(b.dos.running.calls.len(), 0);
}

#[test]
fn hooked_screen_vectors_are_called() {
    let mut b = Bench::new();
    b.put(0, b"ab$");
    hook(&mut b, 0x29);
    assert_eq!(b.call("AX=0900 DX=0"), "Call 29 AX=0961");
    assert_eq!(b.trap(0x21), "Call 29 AX=0962");
    assert_eq!(b.trap(0x21), "AX=0924");
    let original = firmware::stub(0x29);
    b.hw.set_vector(0x29, Far::new(firmware::ROM_SEGMENT, original));
    hook(&mut b, 0x10);
    assert_eq!(b.call("AX=0200 DX=0043"), "Call 10 AX=0E43 BX=0007");
    assert_eq!(b.trap(0x21), "AX=0243 BX=0000");
    assert_eq!(b.screen(), "");
}

#[test]
fn the_bell_is_the_bios_s() {
    let mut b = Bench::new();
    assert_eq!(b.call("AX=0200 DX=0007"), "Call 10 AX=0E07 BX=0007");
}

#[test]
fn hooked_keyboard_vector_is_asked() {
    let mut b = Bench::new();
    hook(&mut b, 0x16);
    assert_eq!(b.call("AX=0800"), "Call 16 AX=0100");
    b.cpu.regs.set_flag(Flags::ZF, true);
    assert_eq!(b.trap(0x21), "Wait AX=0800");
    assert_eq!(b.trap(0x21), "Call 16 AX=0100");
    b.cpu.regs.set_flag(Flags::ZF, false);
    assert_eq!(b.trap(0x21), "Call 16 AX=0000");
    b.cpu.regs.set_ax(0x1E61);
    assert_eq!(b.trap(0x21), "AX=0861");
    // Without a wait.
    assert_eq!(b.call("AX=0600 DX=FF"), "Call 16 AX=0100");
    b.cpu.regs.set_flag(Flags::ZF, false);
    assert_eq!(b.trap(0x21), "Call 16");
    assert_eq!(b.trap(0x21), "Call 16 AX=0000");
    b.cpu.regs.set_ax(0x3062);
    assert_eq!(b.trap(0x21), "AX=0662");
}

#[test]
fn idle_programs_are_told_by_int_28() {
    let mut b = Bench::new();
    hook(&mut b, 0x28);
    assert_eq!(b.call("AX=0800"), "Call 28");
    assert_eq!(b.trap(0x21), "Wait");
    assert_eq!(b.trap(0x21), "Call 28");
    // A program resident in INT 28h calls DOS itself, on its own stack.
    let outer = b.cpu.regs.clone();
    assert_eq!(b.hw.byte(sysvars::IN_DOS), 1);
    b.cpu.regs.set_ss(0x7000);
    b.cpu.regs.set_ax(0x3000);
    b.serve(0x21);
    assert_eq!(b.cpu.regs.ax(), 5);
    b.cpu.regs = outer;
    b.type_text("z");
    assert_eq!(b.trap(0x21), "AX=087A");
}

#[test]
fn standard_handles_may_lead_to_the_host() {
    let mut b = Bench::new();
    b.dos.redirect_input(&mut b.hw);
    b.dos.redirect_output(&mut b.hw);
    b.dos.redirect_errors(&mut b.hw);
    b.put(0, b"out\t$");
    b.put(0x100, &[9, 0]);
    b.dos.feed_input(b"abline\r\nxyz");
    b.table(&[
        ("AX=0100", "AX=0161"),
        ("AX=06AA DX=FF", "AX=0662"),
        ("AX=0B00", "AX=0BFF"),
        ("AX=0A00 DX=100", ""),
        ("AX=0800", "AX=080A"),
        ("AX=3F00 BX=0 CX=2 DX=200", "AX=0002"),
        ("AX=0900 DX=0", "AX=0924"),
        ("AX=4000 BX=2 CX=3 DX=0", "AX=0003"),
        ("AX=4400 BX=1", "AX=0042 DX=0042"),
        ("AX=0700", "AX=077A"),
        ("AX=0B77", "AX=0B00"),
        ("AX=0800", "Wait"),
    ]);
    assert!(b.dos.waiting_for_input());
    assert_eq!(b.bytes(0x100, 7), b"\x09\x04line\r");
    b.dos.close_input();
    assert_eq!(b.trap(0x21), "AX=081A");
    b.table(&[("AX=3F00 BX=0 CX=2 DX=200", "AX=0000"), ("AX=0A00 DX=100", "")]);
    assert_eq!(b.bytes(0x100, 3), b"\x09\x00\r");
    assert_eq!(b.dos.take_output(), b"aline\rout\t\r");
    assert_eq!(b.dos.take_errors(), b"out");
    assert_eq!(b.dos.take_output(), b"");
    assert_eq!(b.screen(), "");
}

#[test]
fn standard_handles_may_lead_to_files() {
    let mut b = Bench::with(|dir| file(dir, "IN", "xy\r\n"), &DosOptions::default());
    b.table(&[
        ("AX=3D00 DX=\"IN\"", "AX=0005"),
        ("AX=4600 BX=5 CX=0", ""),
        ("AX=3C00 CX=0 DX=\"OUT\"", "AX=0006"),
        ("AX=4600 BX=6 CX=1", ""),
        ("AX=0100", "AX=0178"),
        ("AX=0B00", "AX=0BFF"),
        ("AX=0C08", "AX=0C79"),
        ("AX=0200 DX=9", "AX=0220"),
        ("AX=0800", "AX=080D"),
        ("AX=0800", "AX=080A"),
        ("AX=0BEE", "AX=0B00"),
        ("AX=0800", "AX=081A"),
        ("AX=0600 DX=FF", "ZF"),
        ("AX=3E00 BX=6", ""),
        ("AX=3E00 BX=1", ""),
    ]);
    assert_eq!(fs::read(b.path("OUT")).unwrap(), b"x\t");
}
