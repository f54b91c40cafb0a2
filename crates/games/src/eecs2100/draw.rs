//! The screens of the EECS-2100 game: 320 by 240 in the default palette of BIOS mode 13h.
//!
//! Each function returns the complete screen after drawing. Measured on the original, pixel by
//! pixel. Rectangles include all four sides.

use super::rules::{Cells, cell};
use oxbox_proof::engine::{Mark, Move};
use oxbox_proof::verify::Picture;
use std::sync::Arc;

pub(super) const WIDTH: usize = 320;
pub(super) const HEIGHT: usize = 240;

/// The VGA's 8x14 font, which the game contains: 14 bytes per character, the left pixel in bit 7.
use oxbox_machine::fonts::VGA_8X14;

const BLACK: u8 = 0;
const BLUE: u8 = 1;
const RED: u8 = 4;
const GREY: u8 = 7;
const LIGHT_BLUE: u8 = 9;
const YELLOW: u8 = 14;
const WHITE: u8 = 15;

/// Returns 00RRGGBB of a colour. No others are used.
fn rgb(colour: u8) -> u32 {
    match colour {
        BLUE => 0x00_00AA,
        RED => 0xAA_0000,
        GREY => 0xAA_AAAA,
        LIGHT_BLUE => 0x55_55FF,
        YELLOW => 0xFF_FF55,
        WHITE => 0xFF_FFFF,
        _ => 0,
    }
}

/// Half-widths of a disc's lines, from the middle line outwards. The ring of an O is the outer disc
/// in black and the inner one in the colour of the cell; the library's circles are not exactly
/// round.
const OUTER: [i32; 17] = [17, 17, 17, 17, 16, 16, 16, 15, 15, 14, 13, 12, 11, 10, 8, 6, 2];
const INNER: [i32; 15] = [15, 15, 15, 15, 14, 14, 13, 13, 12, 11, 10, 9, 8, 6, 2];

/// Columns and rows of the cell centres.
const CENTRES_X: [i32; 3] = [114, 157, 200];
const CENTRES_Y: [i32; 3] = [74, 117, 163];

/// A screen of colour numbers.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Canvas {
    pixels: Vec<u8>,
}

impl Canvas {
    /// Returns the title. Its background rectangle shrinks to one pixel on the first title of a
    /// run, and is off the screen on the others, because its corners are read through a stale
    /// register.
    pub(super) fn title(first: bool) -> Canvas {
        let mut canvas = Canvas::black();
        if first {
            canvas.set(0, 0, RED);
        }
        canvas.text(33, 2, "In an Unrelenting Hellfire:", RED);
        canvas.text(116, 18, "Tic-Tac-Toe", RED);
        canvas.text(4, 223, "Be Afraid, Be Very Afraid...", RED);
        canvas
    }

    /// Returns the board with its pieces and whose turn it is. The last line keeps the last colour.
    pub(super) fn board(cells: &Cells, turn: &str) -> Canvas {
        let mut canvas = Canvas::furniture();
        canvas.text(33, 2, "EECS 2100: Comp. Org. and Assembly", LIGHT_BLUE);
        canvas.text(116, 18, "Tic-Tac-Toe", LIGHT_BLUE);
        let mut last = LIGHT_BLUE;
        for (index, mark) in cells.iter().enumerate() {
            if let Some(mark) = mark {
                last = canvas.piece(cell(index), *mark);
            }
        }
        canvas.text(4, 223, turn, last);
        canvas
    }

    /// Returns the board without pieces and texts, as drawn first.
    pub(super) fn furniture() -> Canvas {
        let mut canvas = Canvas::white();
        canvas.fill(88, 48, 230, 190, LIGHT_BLUE);
        canvas.fill(91, 51, 227, 187, BLUE);
        canvas.fill(228, 50, 228, 188, WHITE);
        canvas.fill(90, 188, 227, 188, WHITE);
        canvas.fill(90, 50, 90, 187, GREY);
        canvas.fill(90, 50, 227, 50, GREY);
        for (left, right) in [(134, 137), (177, 180)] {
            canvas.fill(left, 52, right, 186, YELLOW);
        }
        for (top, bottom) in [(94, 97), (140, 143)] {
            canvas.fill(92, top, 226, bottom, YELLOW);
        }
        canvas
    }

    pub(super) fn black() -> Canvas {
        Canvas::filled(BLACK)
    }

    /// Returns the screen that replaces a title.
    pub(super) fn red() -> Canvas {
        Canvas::filled(RED)
    }

    pub(super) fn white() -> Canvas {
        Canvas::filled(WHITE)
    }

    /// Returns a line of text centred on a white screen.
    pub(super) fn message(text: &str) -> Canvas {
        let mut canvas = Canvas::white();
        canvas.text(159 - 4 * text.len() as i32, 112, text, BLACK);
        canvas
    }

    /// Returns the colours as shown on the monitor.
    pub(super) fn picture(&self) -> Picture {
        Picture { width: WIDTH, pixels: Arc::new(self.pixels.iter().map(|&colour| rgb(colour)).collect()) }
    }

    fn filled(colour: u8) -> Canvas {
        Canvas { pixels: vec![colour; WIDTH * HEIGHT] }
    }

    /// Sets a pixel. All coordinates of this file are on the screen.
    fn set(&mut self, x: i32, y: i32, colour: u8) {
        self.pixels[y as usize * WIDTH + x as usize] = colour;
    }

    fn fill(&mut self, left: i32, top: i32, right: i32, bottom: i32, colour: u8) {
        for y in top..=bottom {
            for x in left..=right {
                self.set(x, y, colour);
            }
        }
    }

    /// Draws an x or an o and returns the last colour used.
    fn piece(&mut self, cell: Move, mark: Mark) -> u8 {
        let (x, y) = (CENTRES_X[cell.x()], CENTRES_Y[cell.y()]);
        match mark {
            Mark::X => self.cross(x, y),
            Mark::O => {
                self.disc(x, y, &OUTER, BLACK);
                self.disc(x, y, &INNER, BLUE)
            }
        }
    }

    /// Draws three falling and three rising lines side by side to the left, so that the cross
    /// extends two pixels further there.
    fn cross(&mut self, x: i32, y: i32) -> u8 {
        for t in -15..=15 {
            for k in 0..3 {
                self.set(x + t - k, y + t, BLACK);
                self.set(x - t - k, y + t, BLACK);
            }
        }
        BLACK
    }

    fn disc(&mut self, x: i32, y: i32, half_widths: &[i32], colour: u8) -> u8 {
        for (dy, &half) in (0..).zip(half_widths) {
            self.fill(x - half, y - dy, x + half, y - dy, colour);
            self.fill(x - half, y + dy, x + half, y + dy, colour);
        }
        colour
    }

    /// Draws text without a background. `x` and `y` are its upper left pixel.
    fn text(&mut self, x: i32, y: i32, text: &str, colour: u8) {
        for (left, character) in (x..).step_by(8).zip(text.bytes()) {
            let glyph = &VGA_8X14[usize::from(character) * 14..][..14];
            for (line, bits) in (y..).zip(glyph) {
                for column in (0..8).filter(|column| bits & 0x80 >> column != 0) {
                    self.set(left + column, line, colour);
                }
            }
        }
    }
}
