//! A picture for every mode of INT 10h, for modes set by registers, and for registers that move a
//! picture.

use super::screen::Screen;
use super::{golden, pattern};
use crate::hardware::vga::Frame;

fn check(name: &str, frame: &Frame) {
    golden::check(name, (frame.width, frame.height), &frame.pixels);
}

/// Returns (size, pixel aspect) of the picture.
fn shape(screen: &Screen) -> String {
    let frame = screen.hw.vga.frame(0);
    let hertz = screen.hw.vga.refresh_millihertz();
    format!(
        "{}x{} {}:{} {}.{:02} Hz",
        frame.width,
        frame.height,
        frame.pixel_aspect.0,
        frame.pixel_aspect.1,
        hertz / 1000,
        hertz % 1000 / 10
    )
}

#[test]
fn text_modes() {
    let rows = [
        (0, "360x400 40:27 70.08 Hz"),
        (1, "360x400 40:27 70.08 Hz"),
        (2, "720x400 20:27 70.08 Hz"),
        (3, "720x400 20:27 70.08 Hz"),
        (7, "720x400 20:27 70.08 Hz"),
    ];
    for (mode, expected) in rows {
        let mut screen = Screen::mode(mode);
        assert_eq!(shape(&screen), expected, "mode {mode:02X}");
        pattern::text(&mut screen);
        check(&format!("text_{mode:02x}"), &screen.hw.vga.frame(0));
    }
}

#[test]
fn graphics_modes() {
    let rows = [
        (0x04, 4, "320x200 5:6 70.08 Hz"),
        (0x05, 4, "320x200 5:6 70.08 Hz"),
        (0x06, 2, "640x200 5:12 70.08 Hz"),
        (0x0D, 16, "320x200 5:6 70.08 Hz"),
        (0x0E, 16, "640x200 5:12 70.08 Hz"),
        (0x0F, 16, "640x350 35:48 70.08 Hz"),
        (0x10, 16, "640x350 35:48 70.08 Hz"),
        (0x11, 2, "640x480 1:1 59.94 Hz"),
        (0x12, 16, "640x480 1:1 59.94 Hz"),
        (0x13, 256, "320x200 5:6 70.08 Hz"),
    ];
    for (mode, colours, expected) in rows {
        let mut screen = Screen::mode(mode);
        assert_eq!(shape(&screen), expected, "mode {mode:02X}");
        let frame = screen.hw.vga.frame(0);
        pattern::bios_graphics(&mut screen, frame.width as u16, frame.height as u16, colours);
        check(&format!("graphics_{mode:02x}"), &screen.hw.vga.frame(0));
    }
}

#[test]
fn write_modes_draw_in_planes() {
    let mut screen = Screen::mode(0x12);
    pattern::planes(&mut screen);
    check("planes_12", &screen.hw.vga.frame(0));
}

#[test]
fn chained_256_colours() {
    let mut screen = Screen::mode(0x13);
    pattern::all_colours(&mut screen, 320, 200, |screen, x, y, colour| {
        screen.poke(0xA_0000 + y * 320 + x, colour);
    });
    check("chained_320x200", &screen.hw.vga.frame(0));
}

/// Mode 13h, unchained: chain-4 off, doubleword addressing off, byte mode on.
fn unchain(screen: &mut Screen) -> &mut Screen {
    screen.int10(0x0012, 0, 0, 0).int10(0x0013, 0, 0, 0);
    screen.out_word(0x3C4, 0x0604).out_word(0x3D4, 0x0014).out_word(0x3D4, 0xE317)
}

/// Unlocks CRTC registers 0 to 7 and writes these.
fn crtc(screen: &mut Screen, words: &[u16]) {
    screen.out_word(0x3D4, 0x0E11);
    words.iter().for_each(|&word| _ = screen.out_word(0x3D4, word));
}

#[test]
fn unchained_modes() {
    // Vertical timing of 480 lines, from 240 or (with register 9 at 40h) from 480 rows.
    const LINES_480: [u16; 9] = [0x0D06, 0x3E07, 0x4109, 0xEA10, 0xAC11, 0xDF12, 0xE715, 0x0616, 0xE317];
    const CHARACTERS_90: [u16; 7] = [0x6B00, 0x5901, 0x5A02, 0x8E03, 0x5E04, 0x8A05, 0x2D13];
    let rows: [(&str, u8, Vec<u16>, &str); 5] = [
        ("320x240", 0xE3, LINES_480.to_vec(), "320x240 1:1 59.71 Hz"),
        ("320x400", 0x63, vec![0x4009], "320x400 5:3 70.08 Hz"),
        ("320x480", 0xE3, [&LINES_480[..], &[0x4009]].concat(), "320x480 2:1 59.71 Hz"),
        (
            "360x480",
            0xE7,
            [&LINES_480[..], &[0x0E11], &CHARACTERS_90[..], &[0x4009]].concat(),
            "360x480 16:9 59.97 Hz",
        ),
        ("256x200", 0x63, vec![0x3F01, 0x2013], "256x200 5:6 70.08 Hz"),
    ];
    for (name, misc, words, expected) in rows {
        let mut screen = Screen::new();
        unchain(&mut screen).out(0x3C2, misc);
        crtc(&mut screen, &words);
        assert_eq!(shape(&screen), expected, "{name}");
        let frame = screen.hw.vga.frame(0);
        let (width, height) = (frame.width as u32, frame.height as u32);
        pattern::all_colours(&mut screen, width, height, pattern::put_unchained(width / 4));
        check(&format!("unchained_{name}"), &screen.hw.vga.frame(0));
    }
}

#[test]
fn split_screen_and_panning() {
    // The top shows the memory from 8000h, moved by 3 pixels and one byte; from scan line 300 the
    // picture shows the memory from 0.
    let mut screen = Screen::new();
    unchain(&mut screen);
    pattern::all_colours(&mut screen, 320, 200, pattern::put_unchained(80));
    for y in 0..200 {
        for x in 0..320 {
            pattern::put_unchained(80)(
                &mut screen,
                x,
                y + 0x8000 / 80,
                if x % 32 < 16 { 1 } else { y as u8 },
            );
        }
    }
    crtc(&mut screen, &[0x800C, 0x000D, 0x2008]);
    let line_compare = 299u16;
    screen.out_word(0x3D4, line_compare << 8 | 0x18);
    let overflow = screen.crtc(7) & !0x10 | (line_compare >> 4 & 0x10) as u8;
    screen.out_word(0x3D4, u16::from(overflow) << 8 | 7);
    let row = screen.crtc(9) & !0x40;
    screen.out_word(0x3D4, u16::from(row) << 8 | 9);
    screen.attribute(0x13, 6);
    check("split_moves_both", &screen.hw.vga.frame(0));
    screen.attribute(0x10, 0x61);
    check("split_panning_ends", &screen.hw.vga.frame(0));
}

#[test]
fn a_split_inside_a_doubled_line_gives_every_scan_line() {
    let mut screen = Screen::mode(0x13);
    screen.out_word(0x3D4, 100 << 8 | 0x18);
    screen.out_word(0x3D4, 0x0F07).out_word(0x3D4, 0x0109);
    assert_eq!(shape(&screen), "320x400 5:3 70.08 Hz");
    screen.out_word(0x3D4, 101 << 8 | 0x18);
    assert_eq!(shape(&screen), "320x200 5:6 70.08 Hz");
}

#[test]
fn text_scrolls_smoothly() {
    // Preset row scan 5, panning 4 pixels, start at the second row.
    let mut screen = Screen::mode(3);
    pattern::text(&mut screen);
    screen.out_word(0x3D4, 0x0508).out_word(0x3D4, 0x500D).attribute(0x13, 3);
    check("text_smooth", &screen.hw.vga.frame(0));
}

#[test]
fn more_text_rows() {
    let rows = [
        ("50_rows", [0x1202, 0x0003, 0x1112], "720x400 20:27 70.08 Hz", 80 * 50),
        ("28_rows", [0x1202, 0x0003, 0x1111], "720x392 20:27 70.08 Hz", 80 * 28),
        ("43_rows", [0x1201, 0x0003, 0x1112], "640x344 35:48 70.08 Hz", 80 * 43),
        ("25_rows_of_14", [0x1201, 0x0003, 0x0F00], "640x350 35:48 70.08 Hz", 80 * 25),
        ("25_rows_of_8", [0x1200, 0x0003, 0x0F00], "640x200 5:12 70.08 Hz", 80 * 25),
    ];
    for (name, calls, expected, cells) in rows {
        let mut screen = Screen::new();
        calls.iter().for_each(|&ax| _ = screen.int10(ax, if ax >> 8 == 0x12 { 0x30 } else { 0 }, 0, 0));
        assert_eq!(shape(&screen), expected, "{name}");
        assert_eq!(screen.hw.vga.text().map(|text| text.cells.len()), Some(cells), "{name}");
        pattern::text(&mut screen);
        check(&format!("text_{name}"), &screen.hw.vga.frame(0));
    }
}

#[test]
fn two_fonts_at_once() {
    // Block 1: the 8x8 font upside down, selected by attribute bit 3.
    let mut screen = Screen::new();
    let mut font: Vec<u8> = (0..256).flat_map(|code| vec![code as u8; 16]).collect();
    font[0x41 * 16..0x42 * 16].copy_from_slice(&[
        0xFF, 0x81, 0xBD, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xBD, 0x81, 0xFF,
    ]);
    screen.hw.memory.write_bytes(0x2_0000, &font);
    screen.cpu.regs.seg[0] = 0x2000;
    screen.int10(0x1100, 0x1001, 256, 0).int10(0x1103, 0x0004, 0, 0);
    for (i, attribute) in [0x07, 0x0F, 0x1E, 0x87].into_iter().enumerate() {
        for column in 0..80u32 {
            let at = 0xB_8000 + i as u32 * 320 + column * 2;
            screen.poke(at, 0x30 + column as u8).poke(at + 1, attribute);
        }
    }
    check("text_two_fonts", &screen.hw.vga.frame(0));
}

#[test]
fn blinking() {
    // Attributes 80h to FFh at the start, after 8 frames (no cursor) and after 16 (no blinking
    // characters).
    let mut screen = Screen::mode(3);
    for cell in 0..128u32 {
        screen.poke(0xB_8000 + cell * 2, 0x41 + cell as u8 % 26).poke(0xB_8001 + cell * 2, 0x80 + cell as u8);
    }
    screen.int10(0x0200, 0, 0, 0x0305);
    let frame_ns = 1_000_000_000_000 / screen.hw.vga.refresh_millihertz() + 1;
    for frame in [0, 8, 16] {
        check(&format!("blink_{frame:02}"), &screen.hw.vga.frame(frame * frame_ns));
    }
    // The same attributes as bright backgrounds.
    screen.int10(0x1003, 0, 0, 0);
    check("blink_never", &screen.hw.vga.frame(16 * frame_ns));
}

#[test]
fn graphics_blink_too() {
    // Mode 0Fh: off, on, blinking, bright; in the first and in the second half of a period.
    let mut screen = Screen::mode(0x0F);
    for (x, colour) in [0, 1, 4, 5].into_iter().enumerate() {
        screen.int10(0x0C00 | colour, 0, x as u16, 0);
    }
    let colours = |ns| {
        screen.hw.vga.frame(ns).pixels[..4].iter().map(|p| format!("{p:06X}")).collect::<Vec<_>>().join(" ")
    };
    let half_ns = 16_000_000_000_000 / screen.hw.vga.refresh_millihertz() + 1;
    assert_eq!(colours(0), "000000 AAAAAA FFFFFF FFFFFF");
    assert_eq!(colours(half_ns), "000000 AAAAAA 000000 FFFFFF");
}
