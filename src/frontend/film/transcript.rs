//! The text screens as something to listen to: the lines that have changed, in order.
//!
//! A line is told once it stands: when the program waits for a key, ends, when nothing has changed for a moment, or when it is about
//! to scroll out of sight. Lines that have only moved up are not told again.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use oxbox::machine::Machine;
use oxbox::whole_file;

use super::reel::Reel;

/// A screen that has been the same for so long stands, in milliseconds.
const QUIET_MS: u64 = 100;

/// A transcript in the making.
pub(super) struct Transcript {
    path: PathBuf,
    /// What has been told, row by row.
    told: Vec<String>,
    /// The screen at the last look, and since when it is so.
    seen: Vec<String>,
    since: u64,
    graphics: bool,
    text: String,
}

impl Transcript {
    pub(super) fn new(path: &Path) -> Transcript {
        Transcript {
            path: path.to_owned(),
            told: Vec::new(),
            seen: Vec::new(),
            since: 0,
            graphics: false,
            text: String::new(),
        }
    }

    fn is_stdout(&self) -> bool {
        self.path == Path::new("-")
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        if self.is_stdout() {
            let mut out = io::stdout().lock();
            writeln!(out, "{line}")?;
            return out.flush();
        }
        self.text.push_str(line);
        self.text.push('\n');
        Ok(())
    }

    /// Tells what is new on the screen at the last look.
    fn tell_news(&mut self) -> io::Result<()> {
        let seen = std::mem::take(&mut self.seen);
        for line in news(&self.told, &seen) {
            self.tell(line)?;
        }
        self.told.clone_from(&seen);
        self.seen = seen;
        Ok(())
    }
}

impl Reel for Transcript {
    fn show(&mut self, ms: u64, settled: bool, machine: &Machine) -> io::Result<()> {
        let Some(screen) = machine.text() else {
            if !self.graphics {
                self.graphics = true;
                let frame = machine.still_frame();
                self.tell(&format!("(a picture of {}x{})", frame.width, frame.height))?;
            }
            return Ok(());
        };
        self.graphics = false;
        let rows: Vec<String> = (0..screen.rows).map(|row| screen.line(row)).collect();
        if rows != self.seen {
            if scrolled_by(&self.seen, &rows) > 0 {
                self.tell_news()?;
            }
            self.seen = rows;
            self.since = ms;
        }
        if (settled || ms >= self.since + QUIET_MS) && self.seen != self.told {
            self.tell_news()?;
        }
        Ok(())
    }

    fn finish(&mut self, _: u64) -> io::Result<()> {
        if self.is_stdout() { Ok(()) } else { whole_file::write(&self.path, self.text.as_bytes()) }
    }
}

/// By how many rows a screen has moved up into another: the move that leaves the fewest new lines.
fn scrolled_by(before: &[String], now: &[String]) -> usize {
    if before.len() != now.len() {
        return 0;
    }
    // Blank rows fit to anything and prove nothing.
    let strange = |up: usize| {
        now.iter().zip(before.iter().skip(up)).filter(|(new, old)| !old.is_empty() && new != old).count()
            + before[..up].iter().filter(|old| old.is_empty()).count()
            + up
    };
    (0..now.len()).min_by_key(|&up| strange(up)).unwrap_or(0)
}

/// The lines of a screen that an earlier one has not, empty ones left out.
fn news<'a>(told: &[String], now: &'a [String]) -> Vec<&'a str> {
    let up = scrolled_by(told, now);
    let is_new = |(row, line): &(usize, &String)| {
        let before = told.get(row + up).map(String::as_str).unwrap_or_default();
        !line.is_empty() && line.as_str() != before
    };
    now.iter().enumerate().filter(is_new).map(|(_, line)| line.trim()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn only_what_is_new_is_told() {
        // Told before, now on the screen, told now.
        let table: [(&str, &str, &[&str]); 7] = [
            ("", "Hello//", &["Hello"]),
            ("Hello//", "Hello//", &[]),
            ("Hello//", "Hello/  there/", &["there"]),
            ("one/two/three", "two/three/four", &["four"]),
            ("one/two/three", "three/four/five", &["four", "five"]),
            ("one/two/three", "one/2/three", &["2"]),
            ("one/two/three", "//", &[]),
        ];
        for (told, now, expected) in table {
            assert_eq!(news(&rows(told), &rows(now)), expected, "{told} then {now}");
        }
    }
}
