//! INT 10h, one call per row: registers in; registers, data area and screen out.

use super::screen::Screen;
use crate::bios::{data, video};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn power_on_fills_the_data_area() {
    let screen = Screen::new();
    let area = screen.hw.memory.read_bytes(0x449, 0x1E);
    assert_eq!(
        hex(&area),
        "03 50 00 00 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 07 06 00 D4 03 29 30"
    );
    assert_eq!(hex(&screen.hw.memory.read_bytes(0x484, 7)), "18 10 00 60 F9 11 0A");
    // The save pointer points to the parameter table, whose entry 19h is mode 3.
    let far =
        |at: u32| u32::from(screen.hw.memory.read16(at + 2)) * 16 + u32::from(screen.hw.memory.read16(at));
    let parameters = far(far(0x4A8));
    assert_eq!(hex(&screen.hw.memory.read_bytes(parameters + 0x18 * 64, 5)), "50 18 10 00 10");
    assert_eq!(hex(&screen.hw.memory.read_bytes(0xC_0000, 3)), "55 AA 40");
    // Vector 1Fh: glyphs from 80h; vector 43h: the letter A of the 8x16 font.
    assert_eq!(hex(&screen.hw.memory.read_bytes(far(0x1F * 4), 8)), "78 CC C0 CC 78 18 0C 78");
    assert_eq!(
        hex(&screen.hw.memory.read_bytes(far(0x43 * 4) + 0x41 * 16, 16)),
        "00 00 10 38 6C C6 C6 FE C6 C6 C6 C6 00 00 00 00"
    );
}

#[test]
fn mode_sets_fill_the_data_area() {
    // Mode, columns, page length, CRTC port, last row, character height, 0040:0065 and 66, display
    // bits of 0040:0010.
    let rows = [
        (0x00, "28 00 0800 3D4 18 10 2C 30 10"),
        (0x02, "50 00 1000 3D4 18 10 2D 30 20"),
        (0x04, "28 00 4000 3D4 18 08 2A 30 10"),
        (0x06, "50 00 4000 3D4 18 08 1E 3F 20"),
        (0x07, "50 00 1000 3B4 18 10 29 30 30"),
        (0x0D, "28 00 2000 3D4 18 08 29 30 10"),
        (0x0F, "50 00 8000 3B4 18 0E 29 30 30"),
        (0x10, "50 00 8000 3D4 18 0E 29 30 20"),
        (0x12, "50 00 A000 3D4 1D 10 29 30 20"),
        (0x13, "28 00 2000 3D4 18 08 29 30 10"),
    ];
    for (mode, expected) in rows {
        let screen = Screen::mode(mode);
        let word = |at: u16| screen.hw.memory.read16(data::at(at));
        let seen = format!(
            "{:02X} {:02X} {:04X} {:3X} {:02X} {:02X} {:02X} {:02X} {:02X}",
            screen.area(0x4A),
            screen.area(0x62),
            word(0x4C),
            word(0x63),
            screen.area(0x84),
            word(0x85),
            screen.area(0x65),
            screen.area(0x66),
            screen.area(0x10) & 0x30
        );
        assert_eq!(seen, expected, "mode {mode:02X}");
        assert_eq!(screen.area(0x49), mode);
    }
}

#[test]
fn a_mode_set_clears_unless_bit_7_is_set() {
    let mut screen = Screen::mode(3);
    screen.print("abc", 7).int10(0x0083, 0, 0, 0);
    assert_eq!((screen.lines().as_str(), screen.area(0x87)), ("abc", 0xE0));
    screen.int10(0x0F00, 0, 0, 0);
    assert_eq!(screen.registers()[0], 0x5083);
    screen.int10(0x0003, 0, 0, 0);
    assert_eq!((screen.lines().as_str(), screen.area(0x87)), ("", 0x60));
}

#[test]
fn unknown_functions_and_modes_change_nothing() {
    for ax in [0x0008, 0x0014, 0x006A, 0x1400, 0x4F00, 0x4F02, 0x5500, 0xFE00, 0x1A05] {
        let mut screen = Screen::new();
        let before = (screen.hw.memory.read_bytes(0, 0x500), screen.hw.vga.frame(0));
        screen.int10(ax, 0x1234, 0x5678, 0x9ABC);
        assert_eq!(screen.registers(), [ax, 0x1234, 0x5678, 0x9ABC], "AX={ax:04X}");
        assert_eq!((screen.hw.memory.read_bytes(0, 0x500), screen.hw.vga.frame(0)), before, "AX={ax:04X}");
    }
}

#[test]
fn teletype_writes_and_scrolls() {
    let rows = [
        ("ab", "ab", (0, 2)),
        ("ab\r", "ab", (0, 0)),
        ("ab\n", "ab", (1, 2)),
        ("ab\x08", "ab", (0, 1)),
        ("ab\x08\x08\x08c", "cb", (0, 1)),
        ("a\x07b", "ab", (0, 2)),
        ("a\tb", "a○b", (0, 3)),
        ("one\r\ntwo", "one|two", (1, 3)),
    ];
    for (text, expected, cursor) in rows {
        let mut screen = Screen::new();
        screen.print(text, 7);
        let seen =
            screen.hw.vga.text().and_then(|text| text.cursor).map(|cursor| (cursor.row, cursor.column));
        assert_eq!((screen.lines().as_str(), seen), (expected, Some(cursor)), "{text:?}");
    }
    // After the last column follows the next row; after the last row the screen scrolls.
    let mut screen = Screen::new();
    screen.print(&"x".repeat(81), 7);
    assert_eq!(screen.lines(), format!("{}|x", "x".repeat(80)));
    for line in 0..30 {
        screen.print(&format!("\r\nline {line}"), 7);
    }
    let lines = screen.lines();
    assert!(lines.starts_with("line 5|line 6|") && lines.ends_with("|line 29"), "{lines}");
    assert!(video::teletype(&mut screen.hw, 7, 0, 0), "BEL wants a beep");
    assert!(!video::teletype(&mut screen.hw, b'7', 0, 0));
}

#[test]
fn a_scroll_takes_the_attribute_of_the_last_row_and_leaves_the_font() {
    let mut screen = Screen::new();
    // Everything white on blue, then a line feed on the last row.
    screen.int10(0x0600, 0x1F00, 0, 0x184F).int10(0x0200, 0, 0, 0x1800).print("A\nB", 7);
    let text = screen.hw.vga.text().unwrap();
    assert_eq!(
        (text.row(23)[0], text.row(24)[1], text.row(24)[79]),
        ((b'A', 0x1F), (b'B', 0x1F), (b' ', 0x1F))
    );
    let picture = screen.hw.vga.frame(0);
    let mut fresh = Screen::new();
    fresh.int10(0x0600, 0x1F00, 0, 0x184F).int10(0x0200, 0, 0, 0x1700).print("A\nB", 7);
    assert_eq!(picture, fresh.hw.vga.frame(0));
}

#[test]
fn windows_scroll_up_and_down() {
    // Four rows of letters; then a window of the columns 1 and 2, rows 0 to 3 scrolls.
    let rows = [
        (0x0601, "aBb|bCc|cDd|d"),
        (0x0602, "aCc|bDd|c|d"),
        (0x0701, "a|bAa|cBb|dCc"),
        (0x0703, "a|b|c|dAa"),
        (0x0600, "a|b|c|d"),
        (0x0609, "a|b|c|d"),
        (0x0700, "a|b|c|d"),
    ];
    for (ax, expected) in rows {
        let mut screen = Screen::new();
        screen.print("aAa\r\nbBb\r\ncCc\r\ndDd", 7).int10(ax, 0x0700, 0x0001, 0x0302);
        assert_eq!(screen.lines(), expected, "AX={ax:04X}");
    }
    // Edges beyond the screen are clipped; a window with swapped corners does nothing.
    let mut screen = Screen::new();
    screen.print("abc", 7).int10(0x0601, 0x0700, 0x0A05, 0x0502);
    assert_eq!(screen.lines(), "abc");
    screen.int10(0x0600, 0x0700, 0x0001, 0xFFFF);
    assert_eq!(screen.lines(), "a");
}

#[test]
fn characters_are_written_and_read_at_the_cursor() {
    let mut screen = Screen::new();
    screen.int10(0x0200, 0, 0, 0x0102).int10(0x0958, 0x001E, 3, 0);
    assert_eq!(screen.lines(), "|  XXX");
    assert_eq!(screen.int10(0x0800, 0, 0, 0).registers()[0], 0x1E58);
    // 0Ah keeps the attribute; the cursor has not moved.
    screen.int10(0x0A59, 0x004F, 1, 0).int10(0x0800, 0, 0, 0);
    assert_eq!(screen.registers()[0], 0x1E59);
    assert_eq!(screen.int10(0x0300, 0, 0, 0).registers()[2..], [0x0607, 0x0102]);
    // Another page becomes visible only when it is selected.
    screen.int10(0x0200, 0x0300, 0, 0x0000).int10(0x095A, 0x0307, 2, 0);
    assert_eq!(screen.lines(), "|  YXX");
    screen.int10(0x0503, 0, 0, 0);
    assert_eq!((screen.lines().as_str(), screen.hw.memory.read16(0x44E)), ("ZZ", 0x3000));
    assert_eq!(screen.int10(0x0F00, 0, 0, 0).registers()[..2], [0x5003, 0x0300]);
}

#[test]
fn strings_are_written_with_and_without_attributes() {
    let rows = [
        (0x1300, &b"a\rb"[..], 3, "|ba", (0, 0)),
        (0x1301, b"ab\r\nc", 5, "| ab|c", (2, 1)),
        (0x1303, b"a\x1Eb\x2F", 2, "| ab", (1, 3)),
        (0x1302, b"a\x1Eb\x2F", 2, "| ab", (0, 0)),
    ];
    for (ax, bytes, length, expected, cursor) in rows {
        let mut screen = Screen::new();
        screen.hw.memory.write_bytes(0x2_0010, bytes);
        screen.cpu.regs.seg[0] = 0x2000;
        screen.cpu.regs.gpr[5] = 0x0010;
        screen.int10(ax, 0x0007, length, 0x0101);
        let seen = screen.hw.vga.text().unwrap();
        assert_eq!(screen.lines(), expected, "AX={ax:04X}");
        assert_eq!(seen.cursor.map(|cursor| (cursor.row, cursor.column)), Some(cursor), "AX={ax:04X}");
        if ax & 2 != 0 {
            assert_eq!((seen.row(1)[1], seen.row(1)[2]), ((b'a', 0x1E), (b'b', 0x2F)));
        }
    }
}

#[test]
fn the_cursor_has_a_shape() {
    // CX given, scan lines in the CRTC, with emulation and (12h/34h) without.
    let rows = [
        (0x0607, "0D 0E", "06 07"),
        (0x0007, "00 0F", "00 07"),
        (0x2000, "20 00", "20 00"),
        (0x0D0E, "0D 0E", "0D 0E"),
    ];
    for (cx, emulated, straight) in rows {
        let mut screen = Screen::new();
        screen.int10(0x0100, 0, cx, 0);
        assert_eq!(hex(&[screen.crtc(0x0A), screen.crtc(0x0B)]), emulated, "CX={cx:04X}");
        assert_eq!(screen.int10(0x0300, 0, 0, 0).registers()[2], cx);
        screen.int10(0x1201, 0x34, 0, 0).int10(0x0100, 0, cx, 0);
        assert_eq!(hex(&[screen.crtc(0x0A), screen.crtc(0x0B)]), straight, "CX={cx:04X}");
    }
    let mut hidden = Screen::new();
    hidden.int10(0x0100, 0, 0x2000, 0);
    assert_eq!(hidden.hw.vga.text().unwrap().cursor, None);
}

#[test]
fn pixels_and_glyphs_are_read_back() {
    for mode in [0x04, 0x05, 0x06, 0x0D, 0x0E, 0x10, 0x11, 0x12, 0x13] {
        let mut screen = Screen::mode(mode);
        let colour = if matches!(mode, 0x06 | 0x11) { 1 } else { 3 };
        for (x, y) in [(0, 0), (7, 1), (8, 2), (131, 99), (319, 199)] {
            screen.int10(0x0C00 | colour, 0, x, y).int10(0x0D00, 0, x, y);
            assert_eq!(screen.registers()[0] & 0xFF, colour, "mode {mode:02X} at {x},{y}");
            screen.int10(0x0D00, 0, x ^ 1, y);
            assert_eq!(screen.registers()[0] & 0xFF, 0, "mode {mode:02X} beside {x},{y}");
        }
        // XOR twice restores the pixel.
        if mode != 0x13 {
            screen
                .int10(0x0C80 | colour, 0, 20, 20)
                .int10(0x0C80 | colour, 0, 20, 20)
                .int10(0x0D00, 0, 20, 20);
            assert_eq!(screen.registers()[0] & 0xFF, 0, "mode {mode:02X} XOR");
        }
        screen.int10(0x0200, 0, 0, 0x0503);
        for character in [0x41, 0x01, 0xDB, 0xE1, 0x20] {
            screen.int10(0x0900 | character, colour, 1, 0).int10(0x0800, 0, 0, 0);
            let seen = screen.registers()[0] & 0xFF;
            // A blank and the glyph of 00h are equal, and the lower code is found.
            let expected = if character == 0x20 { 0 } else { character };
            assert_eq!(seen, expected, "mode {mode:02X} character {character:02X}");
        }
    }
}

#[test]
fn graphics_windows_scroll() {
    for mode in [0x04, 0x06, 0x0D, 0x0E, 0x10, 0x12, 0x13] {
        let mut screen = Screen::mode(mode);
        let at = |screen: &mut Screen, row: u16, column: u16| {
            screen.int10(0x0200, 0, 0, row << 8 | column).int10(0x0800, 0, 0, 0).registers()[0] as u8 as char
        };
        for (row, letter) in (0..25).zip("abcdefghijklmnopqrstuvwxy".bytes()) {
            screen.int10(0x0200, 0, 0, row << 8).int10(0x0900 | u16::from(letter), 1, 10, 0);
        }
        screen.int10(0x0602, 0, 0x0202, 0x0505);
        let seen: String = (0..8).map(|row| at(&mut screen, row, 3)).collect();
        assert_eq!(seen.replace('\0', "."), "abef..gh", "mode {mode:02X} up");
        screen.int10(0x0701, 0, 0x0000, 0x1809);
        let seen: String = (0..8).map(|row| at(&mut screen, row, 3)).collect();
        assert_eq!(seen.replace('\0', "."), ".abef..g", "mode {mode:02X} down");
        let seen: String = (0..8).map(|row| at(&mut screen, row, 1)).collect();
        assert_eq!(seen.replace('\0', "."), ".abcdefg", "mode {mode:02X} beside the window");
    }
}

#[test]
fn palette_calls_reach_the_chip() {
    let mut screen = Screen::new();
    screen.int10(0x1000, 0x2A05, 0, 0).int10(0x1007, 0x0005, 0, 0);
    assert_eq!(screen.registers()[1], 0x2A05);
    screen.int10(0x1001, 0x1100, 0, 0).int10(0x1008, 0, 0, 0);
    assert_eq!(screen.registers()[1], 0x1100);
    screen.int10(0x1010, 0x0007, 0x1122, 0x3300).int10(0x1015, 0x0007, 0, 0);
    assert_eq!(screen.registers()[2..], [0x1122, 0x3300]);
    screen.int10(0x1018, 0x000F, 0, 0).int10(0x1019, 0, 0, 0);
    assert_eq!(screen.registers()[1], 0x000F);
    screen.int10(0x1018, 0x00FF, 0, 0);
    screen.int10(0x1013, 0x0100, 0, 0).int10(0x1013, 0x0301, 0, 0).int10(0x101A, 0, 0, 0);
    assert_eq!(screen.registers()[1], 0x0301);
    // Blocks through memory: three colours written and read back; seventeen palette bytes.
    screen.hw.memory.write_bytes(0x2_0000, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    screen.cpu.regs.seg[0] = 0x2000;
    screen.int10(0x1012, 0xFE, 3, 0x0000).int10(0x1017, 0xFE, 3, 0x0100);
    assert_eq!(hex(&screen.hw.memory.read_bytes(0x2_0100, 9)), "01 02 03 04 05 06 07 08 09");
    screen.int10(0x1009, 0, 0, 0x0200);
    assert_eq!(
        hex(&screen.hw.memory.read_bytes(0x2_0200, 17)),
        "00 01 02 03 04 2A 14 07 38 39 3A 3B 3C 3D 3E 3F 11"
    );
    screen.int10(0x1002, 0, 0, 0x0000).int10(0x1007, 8, 0, 0);
    assert_eq!(screen.registers()[1], 0x0908);
    // Greys: 30 % of red 63.
    screen.int10(0x1010, 0x0007, 0, 0x3F00).int10(0x101B, 7, 1, 0).int10(0x1015, 7, 0, 0);
    assert_eq!(screen.registers()[2..], [0x1313, 0x1300]);
}

#[test]
fn the_cga_palette_can_be_chosen() {
    let colours = |screen: &Screen| {
        screen.hw.vga.frame(0).pixels[..4].iter().map(|p| format!("{p:06X}")).collect::<Vec<_>>().join(" ")
    };
    let mut screen = Screen::mode(4);
    screen.poke(0xB_8000, 0b00_01_10_11);
    assert_eq!(colours(&screen), "000000 55FFFF FF55FF FFFFFF");
    let rows = [
        ("palette 0, bright as the mode begins", 0x0100, "000000 55FF55 FF5555 FFFF55"),
        ("a background without intensity", 0x0000, "000000 00AA00 AA0000 AA5500"),
        ("palette 1", 0x0101, "000000 00AAAA AA00AA AAAAAA"),
        ("blue and intensity", 0x0011, "0000AA 55FFFF FF55FF FFFFFF"),
    ];
    for (name, bx, expected) in rows {
        screen.int10(0x0B00, bx, 0, 0);
        assert_eq!(colours(&screen), expected, "{name}");
    }
}

#[test]
fn the_adapter_tells_what_it_is() {
    let mut screen = Screen::new();
    assert_eq!(screen.int10(0x1A00, 0, 0, 0).registers()[..2], [0x1A1A, 0x0008]);
    assert_eq!(screen.int10(0x1200, 0x0010, 0, 0).registers()[1..3], [0x0003, 0x0F09]);
    assert_eq!(screen.int10(0x1202, 0x0030, 0, 0).registers()[0], 0x1212);
    screen.cpu.regs.seg[0] = 0x2000;
    screen.cpu.regs.gpr[7] = 0x0040;
    assert_eq!(screen.int10(0x1B00, 0, 0, 0).registers()[0], 0x1B1B);
    let state = screen.hw.memory.read_bytes(0x2_0040, 64);
    assert_eq!(hex(&state[..4]), "00 01 00 C0");
    assert_eq!(hex(&state[4..0x22]), hex(&screen.hw.memory.read_bytes(0x449, 0x1E)));
    assert_eq!(hex(&state[0x22..0x33]), "19 10 00 08 00 10 00 08 02 00 00 31 00 00 00 03 10");
    assert_eq!(hex(&screen.hw.memory.read_bytes(0xC_0100, 3)), "FF E0 0F");
    // Fonts: their address, height and number of rows.
    let rows = [(1, 0x2600), (2, 0x1800), (3, 0x1000), (4, 0x1400), (6, 0x2600)];
    for (which, offset) in rows {
        let registers = screen.int10(0x1130, which << 8, 0, 0).registers();
        let regs = &screen.cpu.regs;
        assert_eq!(
            (regs.es(), regs.bp(), registers[2], registers[3]),
            (0xC000, offset, 16, 24),
            "BH={which}"
        );
    }
}

#[test]
fn state_is_saved_and_restored() {
    let mut screen = Screen::mode(0x10);
    screen.int10(0x0200, 0, 0, 0x0305).int10(0x1000, 0x2A05, 0, 0).int10(0x1010, 3, 0x1122, 0x3300);
    screen.cpu.regs.seg[0] = 0x2000;
    assert_eq!(screen.int10(0x1C00, 0, 7, 0).registers()[..2], [0x1C1C, 16]);
    screen.int10(0x1C01, 0x0000, 7, 0);
    let area = screen.hw.memory.read_bytes(data::at(0), 0xB0);
    let frame = screen.hw.vga.frame(0);
    screen.int10(0x0007, 0, 0, 0);
    assert_ne!(screen.hw.memory.read_bytes(data::at(0), 0xB0), area);
    screen.cpu.regs.seg[0] = 0x2000;
    screen.int10(0x1C02, 0x0000, 7, 0);
    assert_eq!(screen.hw.memory.read_bytes(data::at(0), 0xB0), area);
    let after = screen.hw.vga.frame(0);
    assert_eq!(
        (after.width, after.height, after.pixel_aspect),
        (frame.width, frame.height, frame.pixel_aspect)
    );
    screen.int10(0x1007, 5, 0, 0);
    assert_eq!(screen.registers()[1], 0x2A05);
    screen.int10(0x1015, 3, 0, 0);
    assert_eq!(screen.registers()[2..], [0x1122, 0x3300]);
}

#[test]
fn switches_of_later_mode_sets() {
    let mut screen = Screen::new();
    // The palette does not change.
    screen
        .int10(0x1010, 7, 0x0102, 0x0300)
        .int10(0x1201, 0x31, 0, 0)
        .int10(0x0003, 0, 0, 0)
        .int10(0x1015, 7, 0, 0);
    assert_eq!(screen.registers()[2..], [0x0102, 0x0300]);
    // Greys.
    screen.int10(0x1200, 0x31, 0, 0).int10(0x1200, 0x33, 0, 0).int10(0x0003, 0, 0, 0).int10(0x1015, 4, 0, 0);
    assert_eq!(screen.registers()[2..], [0x0D0D, 0x0D00]);
    // The picture off and on.
    screen.print("x", 7);
    let picture = screen.hw.vga.frame(0);
    screen.int10(0x1201, 0x36, 0, 0);
    assert!(screen.hw.vga.frame(0).pixels.iter().all(|&pixel| pixel == 0));
    screen.int10(0x1200, 0x36, 0, 0);
    assert_eq!(screen.hw.vga.frame(0), picture);
    // The processor's access off and on.
    screen.int10(0x1201, 0x32, 0, 0);
    assert_eq!(screen.peek(0xB_8000), 0xFF);
    screen.int10(0x1200, 0x32, 0, 0);
    assert_eq!(screen.peek(0xB_8000), b'x');
}

#[test]
fn the_cursor_may_stand_anywhere() {
    let mut screen = Screen::new();
    screen.int10(0x0200, 0, 0, 0x05FF).int10(0x0E41, 7, 0, 0).int10(0x0300, 0, 0, 0);
    assert_eq!(screen.registers()[3], 0x0500);
}

#[test]
fn teletype_goes_on_beyond_the_last_column_and_row() {
    // The cursor before, the text, the cursor after it, and the cell (from 0, row by row) with the
    // first character.
    let rows = [
        (0x00BE, "AB", 0x00C0, 190),
        (0x0050, "AB", 0x0052, 80),
        (0x00FE, "AB", 0x0000, 254),
        (0x004F, "AB", 0x0101, 79),
        (0x01BE, "AB\r\n", 0x0200, 270),
        (0x184F, "AB", 0x1801, 23 * 80 + 79), // scrolled by a row
        (0x1900, "AB", 0x1902, 2000),
        (0x194F, "AB", 0x1A01, 2079),
        (0x1905, "A\n", 0x1A06, 2005),
        (0xFF05, "A\n", 0x0006, (255 * 80 + 5) % 16384),
    ];
    for (before, text, after, cell) in rows {
        let mut screen = Screen::mode(3);
        screen.int10(0x0200, 0, 0, before).print(text, 0).int10(0x0300, 0, 0, 0);
        assert_eq!(screen.registers()[3], after, "{before:04X} {text:?}");
        assert_eq!(screen.hw.vga.read8(0xB_8000 + cell * 2), b'A', "{before:04X} {text:?}");
    }
}

#[test]
fn characters_together_act_like_one_after_the_other() {
    let texts: [&[u8]; 7] =
        [b"", b"a", b"ab", b"12345678\r\nab", b"a\x07b\x08\x08cd", &[b'x'; 200], &[b'\n'; 30]];
    let cursors = [0x0000, 0x004D, 0x004F, 0x0060, 0x184A, 0x194E, 0xCC3A, 0xFF05];
    for (mode, page) in [(1, 0), (3, 0), (3, 1), (7, 0), (6, 0), (0x13, 0)] {
        for (text, cursor) in texts.iter().flat_map(|text| cursors.map(|cursor| (*text, cursor))) {
            let [mut apart, mut together] = [Screen::mode(mode), Screen::mode(mode)];
            for screen in [&mut apart, &mut together] {
                screen.hw.teletype_log.listen();
                screen.int10(0x0600, 0x1700, 0, 0x184F).int10(0x0200, 0, page << 8, cursor);
            }
            let one = |beeps, &byte: &u8| video::teletype(&mut apart.hw, byte, 5, page as u8) || beeps;
            let beeps = text.iter().fold(false, one);
            assert_eq!(video::teletype_all(&mut together.hw, text, 5, page as u8), beeps);
            let [apart, together] = [apart, together].map(|mut screen| {
                let video =
                    (0xB_0000..0xC_0000).step_by(2).map(|at| screen.hw.vga.read16(at)).collect::<Vec<_>>();
                let data = screen.hw.memory.read_bytes(0x400, 0x100);
                (video, data, screen.hw.vga.frame(0), screen.hw.teletype_log.take())
            });
            assert!(apart == together, "mode {mode}, page {page}, cursor {cursor:04X}, {text:?}");
        }
    }
}
