//! ANSI.SYS: escape sequences in output to CON.
//!
//! Supported are cursor moves (A B C D H f s u), ED and EL (J K), colours (m), video modes and line
//! wrap (h l), and the cursor's position as typed input (6n). Keys cannot be reassigned: `p` is
//! accepted without effect. Until the first sequence a character costs one additional comparison.
//! Source: the MS-DOS 5 User's Guide on ANSI.SYS, and NANSI's documentation where it is more
//! precise.

use super::{Console, screen};
use crate::{bios::video::console, hardware::Hardware};
use serde::{Deserialize, Serialize};

pub(super) const ESCAPE: u8 = 0x1B;

/// The initial attribute: light grey on black.
const PLAIN: u8 = 0x07;

/// The maximum number of parameters; further ones are dropped.
const MOST_PARAMETERS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum Place {
    #[default]
    Outside,
    /// After ESC.
    Escape,
    /// After ESC [, perhaps among parameters.
    Parameters,
    /// Within quotation marks of this kind, among the parameters.
    Quoted(u8),
}

/// The position in an escape sequence, and the settings of the previous ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dos) struct Ansi {
    on: bool,
    /// Whether output differs from that without ANSI.SYS: a sequence is incomplete, or one has set
    /// a colour or the wrap.
    engaged: bool,
    place: Place,
    /// The parameters, each up to 255; an omitted one is 0.
    parameters: Vec<u8>,
    attribute: u8,
    /// Whether characters get the attribute.
    coloured: bool,
    saved: (u8, u8),
    wraps: bool,
}

impl Default for Ansi {
    fn default() -> Self {
        Ansi {
            on: true,
            engaged: false,
            place: Place::Outside,
            parameters: Vec::new(),
            attribute: PLAIN,
            coloured: false,
            saved: (0, 0),
            wraps: true,
        }
    }
}

impl Ansi {
    pub(in crate::dos) fn switch(&mut self, on: bool) {
        self.on = on;
    }

    pub(in crate::dos) fn is_on(&self) -> bool {
        self.on
    }

    /// Whether a character other than ESC goes to the screen as without ANSI.SYS.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        !self.engaged
    }

    fn parameter(&self, index: usize) -> u8 {
        self.parameters.get(index).copied().unwrap_or(0)
    }
}

impl Console {
    /// Shows a character that is ESC, or that arrives while ANSI.SYS is not idle.
    #[inline(never)]
    pub(super) fn interpret(&mut self, hw: &mut Hardware, byte: u8) {
        match self.ansi.place {
            Place::Outside if byte == ESCAPE && self.ansi.on => self.ansi.place = Place::Escape,
            Place::Outside => self.put(hw, byte),
            Place::Escape if byte == b'[' => {
                self.ansi.place = Place::Parameters;
                self.ansi.parameters.clear();
            }
            // It is not a sequence: both characters are shown.
            Place::Escape => {
                self.ansi.place = Place::Outside;
                self.put(hw, ESCAPE);
                self.put(hw, byte);
            }
            Place::Parameters => self.take_parameter(hw, byte),
            Place::Quoted(mark) if byte == mark => self.ansi.place = Place::Parameters,
            Place::Quoted(_) => {}
        }
        let ansi = &mut self.ansi;
        ansi.engaged = ansi.place != Place::Outside || ansi.coloured || !ansi.wraps;
    }

    /// Shows a plain character with the current colours and wrap.
    fn put(&mut self, hw: &mut Hardware, byte: u8) {
        let prints = !matches!(byte, 0x07 | 0x08 | 0x0A | 0x0D);
        let (row, column) = console::cursor(hw);
        if prints && self.ansi.coloured {
            console::put(hw, byte, self.ansi.attribute);
        }
        screen::teletype_coloured(hw, byte, self.ansi.attribute & 0x0F);
        if prints && !self.ansi.wraps && column == console::last_cell(hw).1 {
            console::set_cursor(hw, row, column);
        }
    }

    fn take_parameter(&mut self, hw: &mut Hardware, byte: u8) {
        let parameters = &mut self.ansi.parameters;
        match byte {
            b'0'..=b'9' => {
                if parameters.is_empty() {
                    parameters.push(0);
                }
                if let Some(last) = parameters.last_mut() {
                    *last = last.saturating_mul(10).saturating_add(byte - b'0');
                }
            }
            b';' => {
                if parameters.is_empty() {
                    parameters.push(0);
                }
                if parameters.len() < MOST_PARAMETERS {
                    parameters.push(0);
                }
            }
            b'"' | b'\'' => self.ansi.place = Place::Quoted(byte),
            b'=' | b'?' => {}
            _ => {
                self.ansi.place = Place::Outside;
                self.act(hw, byte);
                self.column = console::cursor(hw).1;
            }
        }
    }

    /// Executes a complete sequence. An unknown one does nothing.
    fn act(&mut self, hw: &mut Hardware, command: u8) {
        let (row, column) = console::cursor(hw);
        let (last_row, last_column) = console::last_cell(hw);
        let first = self.ansi.parameter(0);
        let count = first.max(1);
        let attribute = self.ansi.attribute;
        match command {
            b'A' => console::set_cursor(hw, row.saturating_sub(count), column),
            b'B' => console::set_cursor(hw, row.saturating_add(count).min(last_row), column),
            b'C' => console::set_cursor(hw, row, column.saturating_add(count).min(last_column)),
            b'D' => console::set_cursor(hw, row, column.saturating_sub(count)),
            b'H' | b'f' => {
                let to_column = self.ansi.parameter(1).max(1) - 1;
                console::set_cursor(hw, (count - 1).min(last_row), to_column.min(last_column));
            }
            b's' => self.ansi.saved = (row, column),
            b'u' => {
                let (row, column) = self.ansi.saved;
                console::set_cursor(hw, row.min(last_row), column.min(last_column));
            }
            b'J' => {
                if first != 1 && row < last_row {
                    console::blank(hw, (row + 1, 0), (last_row, last_column), attribute);
                }
                if first != 0 && row > 0 {
                    console::blank(hw, (0, 0), (row - 1, last_column), attribute);
                }
                self.erase_in_line(hw, first);
                if first == 2 {
                    console::set_cursor(hw, 0, 0);
                }
            }
            b'K' => self.erase_in_line(hw, first),
            b'm' => self.set_rendition(),
            b'h' | b'l' if first == 7 => self.ansi.wraps = command == b'h',
            b'h' | b'l' if matches!(first, 0..=6 | 13..=19) => console::set_mode(hw, first),
            b'n' if first == 6 => {
                let report = format!("\x1B[{:02};{:02}R\r", u16::from(row) + 1, u16::from(column) + 1);
                self.replies.extend(report.bytes());
                hw.note_screen_read();
            }
            _ => {}
        }
    }

    /// Erases from the cursor to the end of its row (0), from the beginning to the cursor (1), or
    /// the whole row (2).
    fn erase_in_line(&mut self, hw: &mut Hardware, which: u8) {
        let (row, column) = console::cursor(hw);
        let last_column = console::last_cell(hw).1;
        let (from, to) = match which {
            0 => (column, last_column),
            1 => (0, column),
            _ => (0, last_column),
        };
        console::blank(hw, (row, from), (row, to), self.ansi.attribute);
    }

    fn set_rendition(&mut self) {
        // ANSI numbers have red in bit 0, green in bit 1 and blue in bit 2; the attribute has blue
        // in bit 0.
        const COLOURS: [u8; 8] = [0, 4, 2, 6, 1, 5, 3, 7];
        let ansi = &mut self.ansi;
        ansi.coloured = true;
        if ansi.parameters.is_empty() {
            ansi.parameters.push(0);
        }
        for &parameter in &ansi.parameters {
            let attribute = &mut ansi.attribute;
            *attribute = match parameter {
                0 => PLAIN,
                1 => *attribute | 0x08,
                // Underlined: visible only on a monochrome screen.
                4 => *attribute & 0xF8 | 0x01,
                5 => *attribute | 0x80,
                7 => *attribute & 0x88 | (*attribute & 0x07) << 4 | *attribute >> 4 & 0x07,
                8 => *attribute & 0xF8 | *attribute >> 4 & 0x07,
                30..=37 => *attribute & 0xF8 | COLOURS[usize::from(parameter - 30)],
                40..=47 => *attribute & 0x8F | COLOURS[usize::from(parameter - 40)] << 4,
                _ => *attribute,
            };
        }
    }
}
