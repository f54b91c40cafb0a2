//! A picture for every mode.

use crate::golden;
use crate::screen::Screen;

/// All characters and attributes: code across and down, attribute of each row its number.
fn text_pattern(screen: &mut Screen) {
    let columns = u32::from(screen.hw.memory.read16(0x44A));
    let base = if screen.hw.memory.read8(0x449) == 7 { 0xB_0000 } else { 0xB_8000 };
    for cell in 0..columns * 20 {
        let (row, column) = (cell / columns, cell % columns);
        screen.poke(base + cell * 2, cell as u8);
        screen.poke(base + cell * 2 + 1, (row * 16 + column / (columns / 16)) as u8);
    }
    screen.int10(0x0200, 0, 0, 0x1500).print("Hello, world!\r\nC:\\>", 7);
}

#[test]
fn text_modes() {
    for mode in [0, 1, 2, 3, 7] {
        let mut screen = Screen::mode(mode);
        text_pattern(&mut screen);
        golden::check(&format!("text_{mode:02x}"), &screen.hw.vga.frame(0));
    }
}
