//! A transcript of text screens for screen readers: the changed lines, in order.
//!
//! A line is reported when it is complete: the program waits for a key or ends, the screen has not
//! changed for a while, or the line is about to scroll out of view. Lines that only moved up are
//! not repeated. Box drawing characters are left out. Of a partly changed line only the new parts
//! are reported.

use oxbox_machine::machine::Machine;

/// The number of blanks between independent parts of a line.
const GAP: usize = 4;

/// The time without changes after which a screen is complete, in milliseconds.
const QUIET_MS: u64 = 100;

/// The state of a transcript.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// The reported text of each row.
    told: Vec<String>,
    /// The last screen, and the time of its last change.
    seen: Vec<String>,
    since: u64,
    graphics: bool,
}

impl Transcript {
    /// Examines the screen at a time in milliseconds, and returns the lines to report. `settled`:
    /// the program waits for a key, or has ended.
    ///
    /// ```
    /// use oxbox_inspect::Transcript;
    /// use oxbox_machine::machine::{Config, Machine, Until};
    ///
    /// // mov ah, 9; mov dx, 10Bh; int 21h; mov ah, 0; int 16h; db 'Your move?$'
    /// let program = b"\xB4\x09\xBA\x0B\x01\xCD\x21\xB4\x00\xCD\x16Your move?$";
    /// let mut machine = Machine::start(&Config::default(), program, "MOVE.COM", "")?;
    /// machine.run(&Until::KEY_WAIT, &mut ());
    /// let mut transcript = Transcript::default();
    /// assert_eq!(transcript.look(0, true, &machine), ["Your move?"]);
    /// assert!(transcript.look(1000, true, &machine).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn look(&mut self, ms: u64, settled: bool, machine: &Machine) -> Vec<String> {
        let Some(screen) = machine.text() else {
            if std::mem::replace(&mut self.graphics, true) {
                return Vec::new();
            }
            let frame = machine.still_frame();
            return vec![format!("(a picture of {}x{})", frame.width, frame.height)];
        };
        self.graphics = false;
        let rows: Vec<String> = (0..screen.rows).map(|row| screen.line(row)).collect();
        let mut lines = Vec::new();
        if rows != self.seen {
            if scrolled_by(&self.seen, &rows) > 0 {
                lines.extend(self.tell());
            }
            self.seen = rows;
            self.since = ms;
        }
        if (settled || ms >= self.since + QUIET_MS) && self.seen != self.told {
            lines.extend(self.tell());
        }
        lines
    }

    /// Returns the new text of the last screen and records it as reported.
    fn tell(&mut self) -> Vec<String> {
        let lines = news(&self.told, &self.seen);
        self.told.clone_from(&self.seen);
        lines
    }
}

/// Returns by how many rows a screen has scrolled up: the number that leaves the fewest new lines.
fn scrolled_by(before: &[String], now: &[String]) -> usize {
    if before.len() != now.len() {
        return 0;
    }
    // Blank rows match everything and are not evidence.
    let strange = |up: usize| {
        now.iter().zip(before.iter().skip(up)).filter(|(new, old)| !old.is_empty() && new != old).count()
            + before[..up].iter().filter(|old| old.is_empty()).count()
            + up
    };
    (0..now.len()).min_by_key(|&up| strange(up)).unwrap_or(0)
}

/// Returns the new text of a screen compared with an earlier one, one entry per line.
fn news(told: &[String], now: &[String]) -> Vec<String> {
    let up = scrolled_by(told, now);
    let rows = now.iter().enumerate().filter_map(|(row, line)| {
        let before = told.get(row + up).map(String::as_str).unwrap_or_default();
        if line == before { None } else { new_parts(before, line) }
    });
    rows.collect()
}

/// Returns the new parts of a line; the whole line if all parts are new.
fn new_parts(before: &str, line: &str) -> Option<String> {
    let (old, now) = (parts(before), parts(line));
    let new: Vec<&str> =
        now.iter().filter(|part| !old.contains(part)).map(|(_, text)| text.as_str()).collect();
    match new.len() {
        0 => None,
        all if all == now.len() && !line.chars().any(is_drawn) => Some(line.trim().to_owned()),
        _ => Some(new.join("  ")),
    }
}

/// Returns the readable parts of a line with their columns.
fn parts(line: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = Vec::new();
    // Blanks since the last part, which become part of it if there are few.
    let mut blanks = GAP;
    for (column, character) in line.chars().enumerate() {
        match (character, parts.last_mut()) {
            (' ', _) => blanks += 1,
            (character, _) if is_drawn(character) => blanks = GAP,
            (character, Some((_, part))) if blanks < GAP => {
                part.extend(std::iter::repeat_n(' ', blanks));
                part.push(character);
                blanks = 0;
            }
            (character, _) => {
                parts.push((column, character.to_string()));
                blanks = 0;
            }
        }
    }
    parts
}

/// Returns whether a character is from Unicode's Box Drawing or Block Elements.
fn is_drawn(character: char) -> bool {
    matches!(character, '\u{2500}'..='\u{259F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn only_what_is_new_is_told() {
        // Already reported, current screen, to report.
        let table: [(&str, &str, &[&str]); 11] = [
            ("", "Hello//", &["Hello"]),
            ("Hello//", "Hello//", &[]),
            ("Hello//", "Hello/  there/", &["there"]),
            ("one/two/three", "two/three/four", &["four"]),
            ("one/two/three", "three/four/five", &["four", "five"]),
            ("one/two/three", "one/2/three", &["2"]),
            ("one/two/three", "//", &[]),
            ("", "┌─ hello ─┐/│ there   │/└────┘", &["hello", "there"]),
            ("│ 1 │ 2 │  a  b/", "│ █ │ 2 │  a  c/", &["a  c"]),
            ("1      YOU/", "       YOU/", &[]),
            ("1      YOU/", "1      ME/", &["ME"]),
        ];
        for (told, now, expected) in table {
            assert_eq!(news(&rows(told), &rows(now)), expected, "{told} then {now}");
        }
    }
}
