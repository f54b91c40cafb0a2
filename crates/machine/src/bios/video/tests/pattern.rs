//! Patterns that show each property of a picture: colours, edges, and the positions of lines,
//! columns and planes.

use super::screen::Screen;

/// All characters with all attributes: codes are consecutive, the attribute's high half is the row,
/// the low half the column's sixteenth.
pub(crate) fn text(screen: &mut Screen) {
    let columns = u32::from(screen.hw.memory.read16(0x44A));
    let base = if screen.hw.memory.read8(0x449) == 7 { 0xB_0000 } else { 0xB_8000 };
    for cell in 0..columns * 20 {
        let (row, column) = (cell / columns, cell % columns);
        screen.poke(base + cell * 2, cell as u8);
        screen.poke(base + cell * 2 + 1, (row * 16 + column / (columns / 16)) as u8);
    }
    screen.int10(0x0200, 0, 0, 0x1500).print("Hello, world!\r\nC:\\>", 7);
}

/// Through INT 10h: pixels along the edges, diagonals, a patch of each colour, text, and XOR.
pub(crate) fn bios_graphics(screen: &mut Screen, width: u16, height: u16, colours: u16) {
    let brightest = colours.min(16) - 1;
    for x in 0..width {
        let y = u32::from(x) * u32::from(height - 1) / u32::from(width - 1);
        for (x, y, colour) in [
            (x, 0, brightest),
            (x, height - 1, brightest),
            (x, y as u16, 1),
            (width - 1 - x, y as u16, brightest),
        ] {
            screen.int10(0x0C00 | colour, 0, x, y);
        }
    }
    for y in 0..height {
        screen.int10(0x0C00 | brightest, 0, 0, y).int10(0x0C00 | brightest, 0, width - 1, y);
    }
    let side = width / 40;
    for colour in 0..colours {
        let (left, top) = (side * 2 + colour % 32 * side, side * 2 + colour / 32 * side);
        for (x, y) in (0..side * side).map(|i| (left + i % side, top + i / side)) {
            screen.int10(0x0C00 | colour, 0, x, y);
        }
    }
    let rows = u16::from(screen.hw.memory.read8(0x484)) + 1;
    screen.int10(0x0200, 0, 0, (rows / 2) << 8 | 0x02).print("Mode ☺─█ ABC abc", brightest as u8);
    // A character that XOR draws over the edge, and another that XOR removes again.
    screen.int10(0x0200, 0, 0, (rows / 2 + 2) << 8);
    screen.int10(0x0941, 0x80 | brightest, 3, 0);
    screen.int10(0x0200, 0, 0, (rows / 2 + 4) << 8 | 0x04);
    screen.int10(0x0942, 0x80 | brightest, 2, 0).int10(0x0942, 0x80 | brightest, 1, 0);
}

/// Through the graphics controller, on planes at A0000h with 80 bytes per line: each write mode and
/// function in a band of 16 lines.
pub(crate) fn planes(screen: &mut Screen) {
    let line = |y: u32| 0xA_0000 + y * 80;
    // Write mode 0: map masks 1 to 15, up to eight bytes each.
    for mask in 1..16u16 {
        screen.out_word(0x3C4, mask << 8 | 2);
        for y in 0..16 {
            for x in 0..4 {
                screen.poke(line(y) + u32::from(mask) * 5 - 4 + x, 0xFF);
            }
        }
    }
    screen.out_word(0x3C4, 0x0F02);
    // Rotation: the same byte rotated right by 0 to 7.
    for count in 0..8u16 {
        screen.out_word(0x3CE, count << 8 | 3);
        for y in 18..34 {
            screen.poke(line(y) + u32::from(count) * 10, 0b1110_0100);
        }
    }
    screen.out_word(0x3CE, 0x0003);
    // Set/reset: colours 0 to 15 on all planes; then on planes 0 and 1 only, with data FFh for the
    // others.
    for colour in 0..16u16 {
        screen.out_word(0x3CE, colour << 8).out_word(0x3CE, 0x0F01);
        (36..44).for_each(|y| _ = screen.poke(line(y) + u32::from(colour) * 5, 0));
        screen.out_word(0x3CE, 0x0301);
        (44..52).for_each(|y| _ = screen.poke(line(y) + u32::from(colour) * 5, 0xFF));
    }
    screen.out_word(0x3CE, 0x0001);
    // Write mode 2 with bit masks: coloured stripes on a background of colour 1.
    for y in 54..70 {
        screen.out_word(0x3CE, 0xFF08).out_word(0x3CE, 0x0205);
        (0..80).for_each(|x| _ = screen.poke(line(y) + x, 1));
        screen.out_word(0x3CE, 0x3C08);
        for x in 0..80 {
            screen.peek(line(y) + x);
            screen.poke(line(y) + x, (x / 5) as u8);
        }
    }
    // Functions AND, OR, XOR with the latches: colour 10 over all colours.
    for function in 1..4u16 {
        for x in 0..80u32 {
            for y in 72 + u32::from(function) * 6..76 + u32::from(function) * 6 {
                screen.out_word(0x3CE, 0xFF08).out_word(0x3CE, 0x0003);
                screen.poke(line(y) + x, (x / 5) as u8);
                screen.peek(line(y) + x);
                screen.out_word(0x3CE, function << 11 | 3).poke(line(y) + x, 10);
            }
        }
    }
    screen.out_word(0x3CE, 0x0003).out_word(0x3CE, 0xFF08);
    // Write mode 3: set/reset colour 12 through data AND bit mask, over colour 2.
    for y in 98..110 {
        screen.out_word(0x3CE, 0x0205).out_word(0x3CE, 0xFF08);
        (0..80).for_each(|x| _ = screen.poke(line(y) + x, 2));
        screen.out_word(0x3CE, 0x0C00).out_word(0x3CE, 0x0305).out_word(0x3CE, 0x7E08);
        for x in 0..80 {
            screen.peek(line(y) + x);
            screen.poke(line(y) + x, 0b1011_0111);
        }
    }
    screen.out_word(0x3CE, 0xFF08).out_word(0x3CE, 0x0000);
    // Write mode 1: a copy of the bands above, four bytes to the right.
    screen.out_word(0x3CE, 0x0105);
    for y in 0..110 {
        for x in 0..76 {
            screen.peek(line(y) + x);
            screen.poke(line(y + 112) + x + 4, 0);
        }
    }
    screen.out_word(0x3CE, 0x0005);
}

/// Draws the DAC's colours as squares of 8 by 8, with a border; `put` draws a pixel.
pub(crate) fn all_colours(
    screen: &mut Screen,
    width: u32,
    height: u32,
    put: impl Fn(&mut Screen, u32, u32, u8),
) {
    for y in 0..height {
        for x in 0..width {
            let edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
            let (column, row) = (x.wrapping_sub(16) / 8, y.wrapping_sub(16) / 8);
            if edge {
                put(screen, x, y, 15);
            } else if column < 16 && row < 16 {
                put(screen, x, y, (row * 16 + column) as u8);
            } else if (x + y) % 16 == 0 {
                put(screen, x, y, 40);
            }
        }
    }
}

/// Draws a pixel of an unchained mode: plane x AND 3, `bytes_a_line` bytes per line.
pub(crate) fn put_unchained(bytes_a_line: u32) -> impl Fn(&mut Screen, u32, u32, u8) {
    move |screen, x, y, colour| {
        screen.out_word(0x3C4, 0x0102 << (x & 3) & 0x0F00 | 2);
        screen.poke(0xA_0000 + y * bytes_a_line + x / 4, colour);
    }
}
