//! Screens as data for a page. A text screen is stored as its differences from an earlier one, line
//! by line, because most lines of most screens are equal; the page draws it with the machine's font
//! and colours. A picture is a PNG.

use std::collections::HashMap;
use std::io;

use oxbox::hardware::vga::{TextScreen, cp437};
use oxbox::machine::{Config, Machine, Until};
use oxbox::verify::Shot;
use serde_json::{Value, json};

use super::picture;

/// Glyphs per line of the font's picture.
const ACROSS: usize = 16;
/// Size in pixels of a glyph's cell on a VGA's text screen.
const GLYPH: (usize, usize) = (9, 16);

#[derive(Default)]
pub(super) struct Screens {
    lines: Vec<Value>,
    known: HashMap<Vec<(u8, u8)>, usize>,
    /// Columns, rows, blinking, colours.
    modes: Vec<Value>,
    told: Vec<Value>,
    /// The lines of each text screen so far.
    shown: Vec<Vec<usize>>,
}

impl Screens {
    /// Adds the next screen; `base` is an earlier one that may be similar. Fails without pixels.
    pub(super) fn tell(&mut self, shown: &Shot, base: Option<usize>) -> io::Result<()> {
        let (value, lines) = match shown {
            Shot::Pixels(picture) => {
                let height = picture.pixels.len() / picture.width.max(1);
                (
                    json!([picture.width, height, picture::address(picture.width, &picture.pixels)?]),
                    Vec::new(),
                )
            }
            Shot::Text(text) => self.text(text, base),
        };
        self.told.push(value);
        self.shown.push(lines);
        Ok(())
    }

    fn text(&mut self, text: &TextScreen, base: Option<usize>) -> (Value, Vec<usize>) {
        let colours: Vec<String> = text.colours.iter().map(|colour| format!("#{colour:06x}")).collect();
        let mode = json!([text.columns, text.rows, text.blink, colours]);
        let mode = self.modes.iter().position(|known| *known == mode).unwrap_or_else(|| {
            self.modes.push(mode);
            self.modes.len() - 1
        });
        let lines: Vec<usize> = (0..text.rows).map(|row| self.line(text.row(row))).collect();
        let base = base.filter(|&base| self.shown[base].len() == lines.len());
        let before = base.map_or(&[][..], |base| &self.shown[base]);
        let cursor = text.cursor.map_or(-1, |cursor| (cursor.row * text.columns + cursor.column) as i64);
        let mut value = vec![json!(mode), json!(cursor), json!(base)];
        for (row, line) in lines.iter().enumerate().filter(|(row, line)| before.get(*row) != Some(line)) {
            value.extend([json!(row), json!(line)]);
        }
        (Value::Array(value), lines)
    }

    /// Returns a line's number: its characters, then its colours as runs of attribute and length.
    fn line(&mut self, cells: &[(u8, u8)]) -> usize {
        if let Some(&known) = self.known.get(cells) {
            return known;
        }
        let text: String = cells.iter().map(|&(code, _)| cp437::glyph(code)).collect();
        let runs: Vec<usize> =
            cells.chunk_by(|a, b| a.1 == b.1).flat_map(|run| [usize::from(run[0].1), run.len()]).collect();
        self.lines.push(json!([text.trim_end_matches(' '), runs]));
        self.known.insert(cells.to_vec(), self.lines.len() - 1);
        self.lines.len() - 1
    }

    pub(super) fn data(self) -> Value {
        json!({ "lines": self.lines, "modes": self.modes, "screens": self.told })
    }
}

/// Returns the characters of code page 437, in order, as [`Screens`] writes them.
pub(super) fn alphabet() -> String {
    (0..=255).map(cp437::glyph).collect()
}

/// Returns the machine's font: all glyphs in a picture, white on black, and their size. Fails if
/// the machine does not start.
pub(super) fn font() -> Result<Value, String> {
    /// Clears the screen (INT 10h AX=0003h), hides the cursor (AH=01h with CH bit 5), and waits for a key.
    const BLANK: &[u8] = b"\xB8\x03\x00\xCD\x10\xB4\x01\xB9\x00\x20\xCD\x10\xB4\x00\xCD\x16\xEB\xFA";
    const TEXT_MEMORY: u32 = 0xB8000;
    const WHITE: u8 = 0x0F;
    let mut machine = Machine::new(&Config::default()).map_err(|error| error.to_string())?;
    machine.load(BLANK, "FONT.COM", "").map_err(|error| error.to_string())?;
    machine.run(&Until::KEY_WAIT, &mut ());
    let columns = machine.text().map_or(80, |text| text.columns);
    for code in 0..=255_u8 {
        let cell = usize::from(code) / ACROSS * columns + usize::from(code) % ACROSS;
        machine.write_memory(TEXT_MEMORY + 2 * cell as u32, &[code, WHITE]);
    }
    let frame = machine.frame();
    let (width, height) = (ACROSS * GLYPH.0, 256 / ACROSS * GLYPH.1);
    let rows = frame.pixels.chunks(frame.width.max(1)).take(height);
    let pixels: Vec<u32> = rows.flat_map(|row| row.iter().take(width).copied()).collect();
    let address = picture::address(width, &pixels).map_err(|error| error.to_string())?;
    Ok(json!({ "picture": address, "across": ACROSS, "width": GLYPH.0, "height": GLYPH.1 }))
}
