//! A program on a terminal that only prints: teletype output of the BIOS goes directly to the
//! host's terminal.
//!
//! [`TtyBuffer`] follows the printed bytes like the BIOS. While the guest's screen equals the paper,
//! nothing is lost; the first cursor move, colour, mode change or direct write makes them differ.

use std::io::{self, Write, stdout};
use std::time::{Duration, Instant};

use super::Shown;
use crate::frontend::session::LiveSession;
use crate::frontend::terminal::{self, RawMode};
use oxbox::hardware::vga::TextScreen;
use oxbox::hardware::vga::cp437::{self, Controls};
use oxbox::machine::{Key, Signal};

/// Time between two polls of the keyboard.
const FRAME_TIME: Duration = Duration::from_millis(10);

/// The attribute of printed characters: light grey on black.
const ATTRIBUTE: u8 = 0x07;

/// The time that a program has to read a Ctrl-C before a hint about a second one is shown.
const CTRL_C_TIME: Duration = Duration::from_millis(300);

/// Two Ctrl-C within this time quit oxbox, whatever the program has done with the first.
const TWICE: Duration = Duration::from_secs(1);

/// Runs a program as long as a teletype can show it. Ctrl-C goes to the program. A second one quits
/// oxbox if the program has not read the first yet, or within a second. Fails if the terminal has
/// been closed.
pub(crate) fn run(session: &mut LiveSession) -> io::Result<Shown> {
    let mut raw = RawMode::enter()?;
    session.machine_mut().keep_printout();
    let mut paper = TtyBuffer::from_screen(session.machine().text());
    let mut last = Instant::now();
    let mut ctrl_c: Option<CtrlC> = None;
    loop {
        let now = Instant::now();
        session.advance(now - last);
        last = now;
        let printed = session.machine_mut().take_printout();
        let fits = paper.as_mut().is_some_and(|paper| {
            paper.print(&printed);
            session.machine().text().is_some_and(|screen| paper.shows(&screen))
        });
        if !fits && session.end().is_none() {
            return Ok(Shown::NeedsScreen);
        }
        show(&printed)?;
        if session.end().is_some() {
            break;
        }
        if let Some(unread) = ctrl_c.as_mut().filter(|_| session.has_unread_keys()) {
            unread.tell(now);
        }
        for event in raw.events(FRAME_TIME) {
            if terminal::is_ctrl_c(event) {
                let now = Instant::now();
                if ctrl_c.as_ref().is_some_and(|first| now - first.when < TWICE || session.has_unread_keys())
                {
                    session.interrupt(Signal::Interrupt);
                }
                ctrl_c = Some(CtrlC { when: now, told: false });
                Key::typing('\x03').into_iter().for_each(|key| session.type_key(key));
            } else {
                terminal::type_key(event, session);
            }
        }
    }
    // The shell's prompt starts on a new line.
    if paper.is_some_and(|paper| paper.column != 0) {
        show(b"\r\n")?;
    }
    Ok(Shown::Whole)
}

/// The last Ctrl-C that the program received.
struct CtrlC {
    when: Instant,
    told: bool,
}

impl CtrlC {
    /// Prints once what another one does.
    fn tell(&mut self, now: Instant) {
        if !self.told && now - self.when > CTRL_C_TIME {
            self.told = true;
            let line = "\r\noxbox: the program has not read the Ctrl-C yet; a second one ends oxbox\r\n";
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }
}

/// Prints on the terminal as UTF-8. Control codes that the BIOS does not execute are shown as
/// glyphs, like on the guest's screen.
fn show(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut out = stdout().lock();
    out.write_all(cp437::text(bytes, Controls::Teletype).as_bytes())?;
    out.flush()
}

/// The content of a teletype with paper of the screen's size.
struct TtyBuffer {
    columns: usize,
    rows: usize,
    characters: Vec<u8>,
    column: usize,
    row: usize,
}

impl TtyBuffer {
    /// Starts with the content of the screen. `None` without a text screen or a cursor on it.
    fn from_screen(screen: Option<TextScreen>) -> Option<TtyBuffer> {
        let screen = screen?;
        let cursor = screen.cursor?;
        let characters = screen.cells.iter().map(|&(code, _)| code).collect();
        Some(TtyBuffer {
            columns: screen.columns,
            rows: screen.rows,
            characters,
            column: cursor.column,
            row: cursor.row,
        })
    }

    /// Prints like INT 10h function 0Eh.
    fn print(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                0x07 => {}
                0x08 => self.column = self.column.saturating_sub(1),
                0x0D => self.column = 0,
                0x0A => self.row += 1,
                _ => {
                    self.characters[self.row * self.columns + self.column] = byte;
                    self.column += 1;
                }
            }
            if self.column == self.columns {
                (self.column, self.row) = (0, self.row + 1);
            }
            if self.row == self.rows {
                self.row -= 1;
                self.characters.drain(..self.columns);
                self.characters.resize(self.columns * self.rows, b' ');
            }
        }
    }

    fn shows(&self, screen: &TextScreen) -> bool {
        (screen.columns, screen.rows) == (self.columns, self.rows)
            && screen.cursor.is_some_and(|cursor| (cursor.column, cursor.row) == (self.column, self.row))
            && screen.cells.iter().zip(&self.characters).all(|(&(code, attribute), &printed)| {
                attribute == ATTRIBUTE && (code == printed || is_blank(code) && is_blank(printed))
            })
    }
}

fn is_blank(code: u8) -> bool {
    matches!(code, 0x00 | 0x20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::hardware::vga::Cursor;

    fn screen(lines: [&str; 3], column: usize, row: usize) -> TextScreen {
        TextScreen {
            columns: 4,
            rows: 3,
            cells: lines.iter().flat_map(|line| line.bytes().map(|byte| (byte, ATTRIBUTE))).collect(),
            cursor: Some(Cursor { column, row, start: 14, end: 15 }),
            colours: [0; 16],
            blink: true,
        }
    }

    #[test]
    fn the_paper_shows_what_the_bios_prints() {
        let table: [(&[u8], [&str; 3], usize, usize); 5] = [
            (b"ab", ["ab  ", "    ", "    "], 2, 0),
            (b"abcd", ["abcd", "    ", "    "], 0, 1),
            (b"ab\r\nc", ["ab  ", "c   ", "    "], 1, 1),
            (b"a\r\nb\r\nc\r\nd", ["b   ", "c   ", "d   "], 1, 2),
            (b"ab\x07\x08c", ["ac  ", "    ", "    "], 2, 0),
        ];
        for (bytes, lines, column, row) in table {
            let mut paper = TtyBuffer::from_screen(Some(screen(["    "; 3], 0, 0))).unwrap();
            paper.print(bytes);
            assert!(paper.shows(&screen(lines, column, row)), "{bytes:?}: {:?}", paper.characters);
        }
    }

    #[test]
    fn a_moved_cursor_a_colour_and_a_direct_write_are_seen() {
        let mut paper = TtyBuffer::from_screen(Some(screen(["    "; 3], 0, 0))).unwrap();
        paper.print(b"hi");
        let printed = screen(["hi  ", "    ", "    "], 2, 0);
        assert!(paper.shows(&printed));
        assert!(!paper.shows(&screen(["hi  ", "    ", "    "], 0, 2)));
        assert!(!paper.shows(&screen(["hi !", "    ", "    "], 2, 0)));
        let mut coloured = printed;
        coloured.cells[0].1 = 0x1E;
        assert!(!paper.shows(&coloured));
    }
}
