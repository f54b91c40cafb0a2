//! The chip's registers, planes and raster, one fact per row. Tests of the pictures are in
//! `bios/video/tests`.

use super::Vga;

/// Port accesses `3C4=02` (out), `3C5?0F` (in, with the expected value), `3DA!` (in, any value);
/// memory accesses `A0000<12` (write) and `A0000>12` (read, with the expected value).
fn run(vga: &mut Vga, script: &str) {
    for step in script.split_whitespace() {
        let hex = |text: &str| u32::from_str_radix(text, 16).unwrap();
        if let Some((port, value)) = step.split_once('=') {
            vga.output(hex(port) as u16, hex(value) as u8);
        } else if let Some((port, value)) = step.split_once('?') {
            let seen = vga.input(hex(port) as u16, 0);
            assert_eq!(format!("{seen:02X}"), value, "at {step} of {script}");
        } else if let Some((address, value)) = step.split_once('<') {
            vga.write8(hex(address), hex(value) as u8);
        } else if let Some((address, value)) = step.split_once('>') {
            let seen = vga.read8(hex(address));
            assert_eq!(format!("{seen:02X}"), value, "at {step} of {script}");
        } else if let Some(port) = step.strip_suffix('!') {
            vga.input(hex(port) as u16, 0);
        } else {
            panic!("what is {step}?");
        }
    }
}

/// The registers of text in colour that concern the processor.
const TEXT: &str = "3C2=67 3C4=02 3C5=03 3C4=04 3C5=02 3CE=05 3CF=10 3CE=06 3CF=0E 3CE=08 3CF=FF";

/// Colour ports, memory on, planes at A0000h with all enabled for writing, bit mask FFh.
const PLANAR: &str = "3C2=03 3C4=02 3C5=0F 3C4=04 3C5=06 3CE=06 3CF=05 3CE=08 3CF=FF ";

#[test]
fn registers_keep_the_bits_they_have() {
    let rows = [
        ("sequencer reset", "3C4=00 3C5=FF 3C5?03"),
        ("clocking mode", "3C4=01 3C5=FF 3C5?3D"),
        ("map mask", "3C4=02 3C5=FF 3C5?0F 3C4?02"),
        ("character map", "3C4=03 3C5=FF 3C5?3F"),
        ("memory mode", "3C4=04 3C5=FF 3C5?0E"),
        ("no sequencer register 5", "3C4=05 3C5=FF 3C5?00"),
        ("set/reset", "3CE=00 3CF=FF 3CF?0F"),
        ("rotate", "3CE=03 3CF=FF 3CF?1F"),
        ("read map", "3CE=04 3CF=FF 3CF?03"),
        ("graphics mode", "3CE=05 3CF=FF 3CF?7B"),
        ("bit mask", "3CE=08 3CF=A5 3CF?A5 3CE?08"),
        ("no graphics register 9", "3CE=09 3CF=FF 3CF?00"),
        ("cursor start", "3C2=01 3D4=0A 3D5=FF 3D5?3F"),
        ("CRTC mode", "3C2=01 3D4=17 3D5=FF 3D5?EF"),
        ("no CRTC register 19h", "3C2=01 3D4=19 3D5=FF 3D5?00"),
        ("miscellaneous output", "3C2=E3 3CC?E3"),
        ("feature control", "3C2=01 3DA=FF 3CA?03"),
        ("sense", "3C2?10"),
    ];
    for (name, script) in rows {
        println!("{name}");
        run(&mut Vga::new(), script);
    }
}

#[test]
fn the_crtc_answers_at_one_address() {
    run(&mut Vga::new(), "3C2=01 3D4=0E 3D5=12 3B4?FF 3B5=77 3D5?12 3C2=00 3B5?12 3D5?FF 3D4?FF 3DA?FF");
    // The four pairs of ports are equivalent.
    run(&mut Vga::new(), "3C2=01 3D0=0F 3D1=34 3D4?0F 3D7?34");
    // Nothing answers while it is switched off at 3C3h. After it is switched on again, all values
    // are unchanged.
    run(&mut Vga::new(), "3C2=03 3C3=00 3CC?FF 3C2=00 3C3?00 A0000>FF 3C3=01 3CC?03");
}

#[test]
fn crtc_registers_0_to_7_can_be_locked() {
    let open = "3C2=01 3D4=00 3D5=5F 3D4=07 3D5=1F ";
    run(&mut Vga::new(), &format!("{open} 3D4=11 3D5=8E 3D4=00 3D5=12 3D5?5F"));
    // Of register 7 only the line compare bit can be written.
    run(&mut Vga::new(), &format!("{open} 3D4=11 3D5=8E 3D4=07 3D5=E0 3D5?0F 3D5=FF 3D5?1F"));
    run(&mut Vga::new(), &format!("{open} 3D4=11 3D5=0E 3D4=00 3D5=12 3D5?12"));
}

#[test]
fn the_attribute_controller_takes_index_and_data_in_turn() {
    let rows = [
        ("index, data, read back", "3C2=01 3DA! 3C0=02 3C0=FF 3C0=02 3C1?3F 3C0?02"),
        ("status begins anew", "3C2=01 3DA! 3C0=03 3DA! 3C0=05 3C0=2A 3DA! 3C0=05 3C1?2A 3DA! 3C0=03 3C1?00"),
        ("reading data moves nothing", "3C2=01 3DA! 3C0=11 3C1?00 3C0=55 3C0=11 3C1?55"),
        ("bit 5 of the index is kept", "3C2=01 3DA! 3C0=31 3C0?31"),
        ("flip-flop and latch in the CRTC", "3C2=01 3DA! 3D4=24 3D5?00 3C0=00 3D5?80"),
    ];
    for (name, script) in rows {
        println!("{name}");
        let mut vga = Vga::new();
        run(&mut vga, script);
    }
}

#[test]
fn the_dac_counts_components_and_colours() {
    let rows = [
        (
            "write two colours, read them",
            "3C8=10 3C9=FF 3C9=01 3C9=02 3C9=03 3C9=04 3C9=05 3C8?12 3C7=10 3C9?3F 3C9?01 3C9?02 3C9?03",
        ),
        ("state", "3C8=00 3C7?00 3C7=00 3C7?03"),
        (
            "the last colour is followed by the first",
            "3C8=FF 3C9=01 3C9=02 3C9=03 3C9=04 3C9=05 3C9=06 3C7=FF 3C9?01 3C9?02 3C9?03 3C9?04",
        ),
        ("an index starts with red again", "3C8=01 3C9=11 3C8=01 3C9=21 3C9=22 3C9=23 3C7=01 3C9?21"),
        ("without its blue a colour stays", "3C8=01 3C9=21 3C9=22 3C7=01 3C9?00 3C9?00"),
        ("mask", "3C6?FF 3C6=0F 3C6?0F"),
    ];
    for (name, script) in rows {
        println!("{name}");
        run(&mut Vga::new(), script);
    }
}

#[test]
fn the_window_is_where_register_6_puts_it() {
    let rows = [
        ("A0000h, 128 KiB", "3CE=06 3CF=01", "A0000 B0000 B8000 BFFFF"),
        ("A0000h, 64 KiB", "3CE=06 3CF=05", "A0000"),
        ("B0000h, 32 KiB", "3CE=06 3CF=09", "B0000"),
        ("B8000h, 32 KiB", "3CE=06 3CF=0D", "B8000 BFFFF"),
        ("the processor is shut out", "3CE=06 3CF=05 3C2=01", ""),
    ];
    for (name, script, expected) in rows {
        let mut vga = Vga::new();
        run(&mut vga, PLANAR);
        run(&mut vga, script);
        let answers = |address: &&str| {
            let at = u32::from_str_radix(address, 16).unwrap();
            vga.write8(at, 0x12);
            vga.read8(at) == 0x12
        };
        let seen: Vec<&str> = ["A0000", "B0000", "B8000", "BFFFF"].into_iter().filter(answers).collect();
        assert_eq!(seen.join(" "), expected, "{name}");
    }
}

/// Reads the byte of each plane at A0000h through read map select.
fn planes(vga: &mut Vga) -> String {
    run(vga, "3CE=05 3CF=00 3C4=04 3C5=06 3CE=06 3CF=05");
    let byte = |plane: u8| {
        vga.output(0x3CE, 4);
        vga.output(0x3CF, plane);
        format!("{:02X}", vga.read8(0xA_0000))
    };
    (0..4).map(byte).collect::<Vec<_>>().join(" ")
}

#[test]
fn writes_go_through_rotate_set_reset_function_and_mask() {
    // Latches AA, CC, F0, FF in planes 0 to 3.
    let latches = format!(
        "{PLANAR} 3C4=02 3C5=01 A0000<AA 3C5=02 A0000<CC 3C5=04 A0000<F0 3C5=08 A0000<FF 3C5=0F A0000>AA "
    );
    let rows = [
        ("plain", "A0000<5A", "5A 5A 5A 5A"),
        ("map mask", "3C4=02 3C5=05 A0000<5A", "5A CC 5A FF"),
        ("no plane", "3C4=02 3C5=00 A0000<5A", "AA CC F0 FF"),
        ("rotate right 1", "3CE=03 3CF=01 A0000<81", "C0 C0 C0 C0"),
        ("rotate right 7", "3CE=03 3CF=07 A0000<81", "03 03 03 03"),
        ("set/reset on planes 0 and 1", "3CE=00 3CF=01 3CE=01 3CF=03 A0000<5A", "FF 00 5A 5A"),
        ("bit mask", "3CE=08 3CF=0F A0000<55", "A5 C5 F5 F5"),
        ("AND", "3CE=03 3CF=08 A0000<0F", "0A 0C 00 0F"),
        ("OR", "3CE=03 3CF=10 A0000<0F", "AF CF FF FF"),
        ("XOR", "3CE=03 3CF=18 A0000<0F", "A5 C3 FF F0"),
        (
            "XOR of set/reset under a mask",
            "3CE=03 3CF=18 3CE=00 3CF=0F 3CE=01 3CF=0F 3CE=08 3CF=F0 A0000<00",
            "5A 3C 00 0F",
        ),
        (
            "write mode 1",
            "3CE=05 3CF=01 A0001<5A 3CE=05 3CF=00 A0000<00 A0001>AA 3CE=05 3CF=01 A0000<00",
            "AA CC F0 FF",
        ),
        ("write mode 2", "3CE=05 3CF=02 A0000<05", "FF 00 FF 00"),
        ("write mode 2 under a mask", "3CE=05 3CF=02 3CE=08 3CF=0F A0000<05", "AF C0 FF F0"),
        ("write mode 2 ignores rotation", "3CE=05 3CF=02 3CE=03 3CF=04 A0000<05", "FF 00 FF 00"),
        ("write mode 3", "3CE=05 3CF=03 3CE=00 3CF=0A A0000<0F", "A0 CF F0 FF"),
        (
            "write mode 3, rotated, under a mask",
            "3CE=05 3CF=03 3CE=00 3CF=00 3CE=03 3CF=04 3CE=08 3CF=3F A0000<F0",
            "A0 C0 F0 F0",
        ),
    ];
    for (name, script, expected) in rows {
        let mut vga = Vga::new();
        run(&mut vga, &latches);
        run(&mut vga, script);
        run(&mut vga, "3CE=03 3CF=00");
        assert_eq!(planes(&mut vga), expected, "{name}");
    }
}

/// Prefetching must not change the latches, since decoded code is not fetched again.
#[test]
fn fetching_an_instruction_leaves_the_latches() {
    let mut vga = Vga::new();
    run(&mut vga, &format!("{PLANAR} 3C4=02 3C5=04 A0000<F0 A0001<0F A0000>00"));
    assert_eq!(vga.fetch8(0xA0001), 0, "plane 0");
    run(&mut vga, "3CE=04 3CF=02 3D4=22 3D5?F0");
}

#[test]
fn reads_select_a_plane_or_compare_colours() {
    let latches = format!("{PLANAR} 3C4=02 3C5=01 A0000<AA 3C5=02 A0000<CC 3C5=04 A0000<F0 3C5=08 A0000<FF ");
    let rows = [
        ("plane 0", "3CE=04 3CF=00 A0000>AA"),
        ("plane 3", "3CE=04 3CF=03 A0000>FF"),
        // Colours from bit 7 down: F E D C B A 9 8.
        ("compare with 13", "3CE=05 3CF=08 3CE=02 3CF=0D 3CE=07 3CF=0F A0000>20"),
        ("compare, plane 0 does not matter", "3CE=05 3CF=08 3CE=02 3CF=0D 3CE=07 3CF=0E A0000>30"),
        ("compare, nothing matters", "3CE=05 3CF=08 3CE=02 3CF=00 3CE=07 3CF=00 A0000>FF"),
        ("the latch shows in the CRTC", "A0000>AA 3CE=04 3CF=02 3D4=22 3D5?F0"),
    ];
    for (name, script) in rows {
        println!("{name}");
        let mut vga = Vga::new();
        run(&mut vga, &latches);
        run(&mut vga, script);
    }
}

#[test]
fn chains_spread_addresses_over_planes() {
    // Chain-4: four addresses, four planes, one plane address.
    let mut vga = Vga::new();
    run(&mut vga, PLANAR);
    run(&mut vga, "3C4=04 3C5=0E A0000<10 A0001<11 A0002<12 A0003<13 A0001>11 A0003>13");
    assert_eq!(planes(&mut vga), "10 11 12 13");
    // The map mask applies there too.
    run(&mut vga, "3C4=04 3C5=0E 3C4=02 3C5=0D A0000<20 A0001<21 A0000>20 A0001>11");
    // Odd/even: text. With the read map set to 2 or 3 it uses planes 2 and 3.
    let mut vga = Vga::new();
    run(&mut vga, PLANAR);
    run(
        &mut vga,
        "3C4=02 3C5=03 3C4=04 3C5=02 3CE=05 3CF=10 3CE=06 3CF=06 A0000<41 A0001<07 A0000>41 A0001>07",
    );
    run(&mut vga, "3C4=02 3C5=0C A0000<55 A0001<66 A0000>41 3CE=04 3CF=02 A0000>55 A0001>66");
    run(&mut vga, "3CE=04 3CF=00");
    assert_eq!(planes(&mut vga), "41 07 55 66");
}

#[test]
fn words_are_two_bytes_whatever_the_path() {
    let rows = [
        ("text", "3C4=02 3C5=03 3C4=04 3C5=02 3CE=05 3CF=10 3CE=06 3CF=06"),
        ("chain-4", "3C4=04 3C5=0E"),
        ("planar", "3CE=04 3CF=02"),
        ("general", "3CE=03 3CF=18"),
    ];
    for (name, script) in rows {
        for offset in 0..5 {
            let (mut by_word, mut by_byte) = (Vga::new(), Vga::new());
            for vga in [&mut by_word, &mut by_byte] {
                run(vga, PLANAR);
                (0..8).for_each(|i| vga.write8(0xA_0000 + i, i as u8 * 0x11));
                run(vga, script);
            }
            let at = 0xA_0000 + offset;
            by_word.write16(at, 0xBEEF);
            by_byte.write8(at, 0xEF);
            by_byte.write8(at + 1, 0xBE);
            let bytes = u16::from(by_byte.read8(at)) | u16::from(by_byte.read8(at + 1)) << 8;
            assert_eq!(by_word.read16(at), bytes, "{name} at {offset}");
            assert_eq!(
                postcard::to_allocvec(&by_word),
                postcard::to_allocvec(&by_byte),
                "{name} at {offset}"
            );
        }
    }
}

#[test]
fn the_beam_is_where_the_registers_say() {
    // Text timing of 80 columns and 400 lines: 900 clocks of 28.322 MHz per line, 449 lines,
    // retrace in lines 412 and 413.
    let mut vga = Vga::new();
    run(&mut vga, "3C2=67 3C4=01 3C5=00");
    for (index, value) in
        [(0, 0x5F), (1, 0x4F), (6, 0xBF), (7, 0x1F), (0x10, 0x9C), (0x11, 0x0E), (0x12, 0x8F)]
    {
        vga.output(0x3D4, index);
        vga.output(0x3D5, value);
    }
    let line_ns = 900_000_000 / 28_322;
    let rows = [
        ("first dot", 0, "00"),
        ("near the right edge", line_ns * 79 / 100, "00"),
        ("horizontal retrace", line_ns * 90 / 100, "01"),
        ("last line", line_ns * 399 + 1000, "00"),
        ("below the picture", line_ns * 401, "01"),
        ("before the retrace", line_ns * 411, "01"),
        ("vertical retrace", line_ns * 412 + 1000, "09"),
        ("still", line_ns * 413 + 1000, "09"),
        ("after it", line_ns * 415, "01"),
        ("the next frame", line_ns * 449 + 1000, "00"),
    ];
    for (name, now_ns, expected) in rows {
        assert_eq!(format!("{:02X}", vga.input(0x3DA, now_ns)), expected, "{name} at {now_ns} ns");
    }
    assert_eq!(vga.refresh_millihertz(), 70_086);
}

#[test]
fn no_register_value_and_no_instant_panics() {
    // Values in a fixed pseudo-random order (xorshift), with frames and screens in between.
    let mut state = 0x2545_F491u32;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let mut vga = Vga::new();
    for turn in 0..20_000u32 {
        let port = 0x3B0 + next() as u16 % 0x30;
        vga.output(port, next() as u8);
        vga.input(0x3B0 + next() as u16 % 0x30, u64::MAX - u64::from(next()));
        vga.write16(0xA_0000 + next() % 0x2_0000, next() as u16);
        vga.read16(0xA_0000 + next() % 0x2_0000);
        if turn % 100 == 0 {
            vga.output(0x3C3, 1);
            let frame = vga.frame(u64::from(next()) << 20);
            assert_eq!(frame.pixels.len(), frame.width * frame.height);
            let screen = vga.text();
            assert!(screen.is_none_or(
                |text| text.cells.len() == text.columns * text.rows && text.to_string().len() > 1
            ));
        }
    }
}

#[test]
fn runs_are_so_many_bytes_whatever_the_path() {
    let rows = [
        ("text", "3C4=02 3C5=03 3C4=04 3C5=02 3CE=05 3CF=10 3CE=06 3CF=06"),
        ("chain-4", "3C4=04 3C5=0E"),
        ("planar", "3C4=02 3C5=05 3CE=04 3CF=02"),
        ("write mode 1", "3CE=05 3CF=01"),
        ("write mode 1, some planes", "3CE=05 3CF=01 3C4=02 3C5=06"),
        ("read mode 1", "3CE=05 3CF=08 3CE=02 3CF=05 3CE=07 3CF=0F"),
        ("chain-4, comparing", "3C4=04 3C5=0E 3CE=05 3CF=08 3CE=02 3CF=05 3CE=07 3CF=0F"),
        ("general", "3CE=03 3CF=18 3CE=08 3CF=3C"),
    ];
    // From, to, length: apart, overlapping both ways, by one, odd, empty, beyond the window.
    let runs = [
        (0, 64, 32),
        (64, 0, 32),
        (0, 4, 32),
        (4, 0, 32),
        (0, 1, 9),
        (3, 40, 7),
        (8, 90, 0),
        (0xFFF0, 0, 32),
        (0, 0xFFF8, 16),
    ];
    for (name, script) in rows {
        for (from, to, length) in runs {
            let (mut by_run, mut by_byte) = (Vga::new(), Vga::new());
            for vga in [&mut by_run, &mut by_byte] {
                run(vga, PLANAR);
                for i in 0..0x80 {
                    vga.output(0x3C5 - 1, 2);
                    vga.output(0x3C5, 1 << (i & 3));
                    vga.write8(0xA_0000 + i / 4, i as u8 ^ 0x5A);
                    vga.write8(0xA_FFF0 + i / 8, i as u8);
                }
                run(vga, "3C4=02 3C5=0F");
                run(vga, script);
            }
            let (from, to) = (0xA_0000 + from, 0xA_0000 + to);
            by_run.copy(from, to, length);
            by_run.fill(to + 1, length, 0xC3);
            by_run.fill(to & !3, length & !3, 0x3C);
            for i in 0..length {
                let byte = by_byte.read8(from + i);
                by_byte.write8(to + i, byte);
            }
            (0..length).for_each(|i| by_byte.write8(to + 1 + i, 0xC3));
            (0..length & !3).for_each(|i| by_byte.write8((to & !3) + i, 0x3C));
            let equal = postcard::to_allocvec(&by_run) == postcard::to_allocvec(&by_byte);
            assert!(equal, "{name} from {from:X} to {to:X}, {length} bytes");
        }
    }
}

#[test]
fn cells_of_text_are_copied_as_by_single_bytes() {
    // Text; some planes; another plane is read; read and write modes; no text.
    let scripts = [
        "",
        "3C4=02 3C5=01",
        "3CE=04 3CF=02",
        "3CE=05 3CF=18",
        "3CE=05 3CF=11",
        "3C4=04 3C5=06 3C4=02 3C5=04",
        PLANAR,
    ];
    // From, to, cells: apart, overlapping both ways, by one cell, odd, empty, to the end and beyond it.
    let runs = [(0, 0x100, 80), (160, 0, 80), (0, 4, 20), (4, 0, 20), (0, 2, 9), (2, 0, 9), (3, 40, 7)];
    let at_the_end = [(8, 90, 0), (0x7FF0, 0, 8), (0x7FF8, 0, 20), (0, 0x3FF8, 8)];
    for script in scripts {
        for (from, to, cells) in runs.into_iter().chain(at_the_end) {
            let [mut by_run, mut by_word] = [Vga::new(), Vga::new()];
            for vga in [&mut by_run, &mut by_word] {
                run(vga, TEXT);
                (0..0x200).for_each(|i| vga.write8(0xB_8000 + i, i as u8));
                (0..0x200).for_each(|i| vga.write8(0xB_8000 + i * 65, i as u8));
                run(vga, script);
            }
            let (from, to) = (0xB_8000 + from, 0xB_8000 + to);
            let done = by_run.copy_cells(from, to, cells);
            for i in (0..2 * if done { cells } else { 0 }).step_by(2) {
                let word = by_word.read16(from + i);
                by_word.write16(to + i, word);
            }
            let equal = postcard::to_allocvec(&by_run) == postcard::to_allocvec(&by_word);
            assert!(equal, "'{script}' from {from:X} to {to:X}, {cells} cells");
            let is_plain = script.is_empty() && from % 2 == 0 && to % 2 == 0;
            assert_eq!(done, is_plain && from + 2 * cells <= 0xC_0000, "'{script}' from {from:X} to {to:X}");
        }
    }
}

#[test]
fn cells_of_text_are_filled_as_by_single_bytes() {
    // Text as after a reset; some planes; a write mode; the character generator's plane.
    for script in
        ["", "3C4=02 3C5=01", "3C4=02 3C5=02", "3CE=05 3CF=11", "3C4=04 3C5=06 3C4=02 3C5=04", PLANAR]
    {
        // Even, odd, empty, to the end of the window and beyond it.
        for (at, count) in [(0, 80), (0xA2, 3), (7, 9), (4, 0), (0x3FF8, 8), (0x7FF0, 8), (0x7FF8, 20)] {
            let (mut by_run, mut by_byte) = (Vga::new(), Vga::new());
            for vga in [&mut by_run, &mut by_byte] {
                run(vga, TEXT);
                (0..0x200).for_each(|i| vga.write8(0xB_8000 + i * 65, i as u8));
                run(vga, script);
            }
            by_run.fill_elements(0xB_8000 + at, &[b'A', 0x1E], count);
            for i in 0..2 * count {
                by_byte.write8(0xB_8000 + at + i, [b'A', 0x1E][i as usize & 1]);
            }
            let equal = postcard::to_allocvec(&by_run) == postcard::to_allocvec(&by_byte);
            assert!(equal, "'{script}' at {at:X}, {count} cells");
        }
    }
}
