//! The shapes of the mouse's cursor, and the cells and pixels under it.

use serde::{Deserialize, Serialize};

/// Function 0Ah: the text cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TextCursor {
    /// The bits of a cell that are kept, and then those that are inverted.
    Cell {
        screen: u16,
        cursor: u16,
    },
    Hardware,
}

impl Default for TextCursor {
    /// Inverted colours.
    fn default() -> Self {
        TextCursor::Cell { screen: 0xFFFF, cursor: 0x7700 }
    }
}

/// Lines and columns of the graphics cursor.
pub(super) const SIZE: u16 = 16;

/// Function 09h: the graphics cursor. A pixel is kept if its bit in `screen` is set, and then
/// inverted if its bit in `cursor` is set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Graphic {
    pub(super) hot_x: i16,
    pub(super) hot_y: i16,
    pub(super) screen: [u16; SIZE as usize],
    pub(super) cursor: [u16; SIZE as usize],
}

impl Default for Graphic {
    /// A white arrow with a black edge.
    fn default() -> Self {
        // The columns inside the arrow, from the left, line by line.
        const INSIDE: [u16; SIZE as usize] = [
            0x0000, 0x4000, 0x6000, 0x7000, 0x7800, 0x7C00, 0x7E00, 0x7F00, 0x7F80, 0x7C00, 0x6C00, 0x4600,
            0x0600, 0x0300, 0x0300, 0x0000,
        ];
        let mut screen = [0xFFFF; SIZE as usize];
        for (line, bits) in screen.iter_mut().enumerate() {
            let around = [line.wrapping_sub(1), line, line + 1];
            for inside in around.iter().filter_map(|&line| INSIDE.get(line)) {
                *bits &= !(inside | inside << 1 | inside >> 1);
            }
        }
        Graphic { hot_x: 0, hot_y: 0, screen, cursor: INSIDE }
    }
}

/// The cells or pixels under the cursor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Drawn {
    Cell { page: u8, row: u8, column: u8, before: u16, drawn: u16 },
    Pixels { page: u8, x: u16, y: u16, width: u16, before: Vec<u8> },
}
