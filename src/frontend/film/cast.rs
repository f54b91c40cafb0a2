//! Writes text screens as an asciicast, version 2: a header, then one line per change with the
//! terminal's output.
//! Source of the format: docs.asciinema.org, asciicast v2.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use oxbox::atomic_file;
use oxbox::hardware::vga::{TextScreen, cp437};
use oxbox::machine::Machine;
use oxbox::media::animation::LAST_MS;
use serde_json::json;

use super::reel::{LARGEST, Reel};

pub(super) struct Cast {
    path: PathBuf,
    title: String,
    shown: Option<TextScreen>,
    /// Columns and rows: the largest screen so far.
    size: (usize, usize),
    events: String,
}

impl Cast {
    pub(super) fn new(path: &Path, title: &str) -> Cast {
        let (path, title) = (path.to_owned(), title.to_owned());
        Cast { path, title, shown: None, size: (80, 25), events: String::new() }
    }

    fn print(&mut self, ms: u64, text: &str) {
        if self.events.len() < LARGEST {
            let event = json!([ms as f64 / 1000.0, "o", text]);
            self.events.push_str(&event.to_string());
            self.events.push('\n');
        }
    }
}

impl Reel for Cast {
    fn show(&mut self, ms: u64, _: bool, machine: &Machine) -> io::Result<()> {
        let Some(screen) = machine.text() else {
            if self.shown.take().is_some() || self.events.is_empty() {
                let frame = machine.still_frame();
                let text = format!("\x1b[0m\x1b[2J\x1b[H(a picture of {}x{})", frame.width, frame.height);
                self.print(ms, &text);
            }
            return Ok(());
        };
        self.size = (self.size.0.max(screen.columns), self.size.1.max(screen.rows));
        let changes = painted(self.shown.as_ref(), &screen);
        if !changes.is_empty() {
            self.print(ms, &changes);
        }
        self.shown = Some(screen);
        Ok(())
    }

    fn finish(&mut self, ms: u64) -> io::Result<()> {
        self.print(ms + LAST_MS, "");
        let (width, height) = self.size;
        let header = json!({ "version": 2, "width": width, "height": height, "title": self.title });
        atomic_file::write(&self.path, format!("{header}\n{}", self.events).as_bytes())
    }
}

/// Returns the output that changes a terminal from one screen to another.
fn painted(before: Option<&TextScreen>, now: &TextScreen) -> String {
    let mut text = String::new();
    let before = before.filter(|before| {
        (before.columns, before.rows, before.colours) == (now.columns, now.rows, now.colours)
            && before.blink == now.blink
    });
    if before.is_none() {
        text.push_str("\x1b[0m\x1b[2J");
    }
    let mut colour = None;
    for row in 0..now.rows {
        let old = before.map_or(&[][..], |before| before.row(row));
        let mut at = None;
        for (column, &(character, attribute)) in now.row(row).iter().enumerate() {
            if old.get(column) == Some(&(character, attribute)) {
                continue;
            }
            if at != Some(column) {
                let _ = write!(text, "\x1b[{};{}H", row + 1, column + 1);
            }
            if colour != Some(attribute) {
                text.push_str(&rendition(now, attribute));
                colour = Some(attribute);
            }
            text.push(cp437::glyph(character));
            at = Some(column + 1);
        }
    }
    let moved = before.is_none_or(|before| before.cursor != now.cursor);
    match now.cursor {
        Some(cursor) if moved || !text.is_empty() => {
            let _ = write!(text, "\x1b[{};{}H\x1b[?25h", cursor.row + 1, cursor.column + 1);
        }
        None if moved => text.push_str("\x1b[?25l"),
        _ => {}
    }
    text
}

/// Selects the colours of an attribute on this screen.
fn rendition(screen: &TextScreen, attribute: u8) -> String {
    let background = if screen.blink { attribute >> 4 & 7 } else { attribute >> 4 };
    let blink = if screen.blink && attribute & 0x80 != 0 { ";5" } else { "" };
    let [_, r, g, b] = screen.colours[usize::from(attribute & 15)].to_be_bytes();
    let [_, br, bg, bb] = screen.colours[usize::from(background)].to_be_bytes();
    format!("\x1b[0{blink};38;2;{r};{g};{b};48;2;{br};{bg};{bb}m")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(text: &str, attribute: u8) -> TextScreen {
        let cells = text.bytes().map(|byte| (byte, attribute)).collect();
        let mut colours = [0; 16];
        colours[7] = 0xAAAAAA;
        TextScreen { columns: 3, rows: 2, cells, cursor: None, colours, blink: true }
    }

    #[test]
    fn only_what_changes_is_printed() {
        let grey = "\x1b[0;38;2;170;170;170;48;2;0;0;0m";
        let first = painted(None, &screen("ab cd ", 7));
        assert_eq!(first, format!("\x1b[0m\x1b[2J\x1b[1;1H{grey}ab \x1b[2;1Hcd \x1b[?25l"));
        let table = [
            ("ab cd ", String::new()),
            ("aB cd ", format!("\x1b[1;2H{grey}B")),
            ("Ab Dd ", format!("\x1b[1;1H{grey}A\x1b[2;1HD")),
        ];
        for (text, expected) in table {
            assert_eq!(painted(Some(&screen("ab cd ", 7)), &screen(text, 7)), expected, "{text}");
        }
    }
}
