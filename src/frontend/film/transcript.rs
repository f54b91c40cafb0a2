//! Writes the transcript of a run to a file, or to stdout as it occurs.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use oxbox::atomic_file;
use oxbox::inspect;
use oxbox::machine::Machine;

use super::reel::Reel;

pub(super) struct Transcript {
    path: PathBuf,
    transcript: inspect::Transcript,
    text: String,
}

impl Transcript {
    pub(super) fn new(path: &Path) -> Transcript {
        let (path, text) = (path.to_owned(), String::new());
        Transcript { path, transcript: inspect::Transcript::default(), text }
    }

    fn is_stdout(&self) -> bool {
        atomic_file::is_stdout(&self.path)
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
}

impl Reel for Transcript {
    fn show(&mut self, ms: u64, settled: bool, machine: &Machine) -> io::Result<()> {
        let lines = self.transcript.look(ms, settled, machine);
        lines.iter().try_for_each(|line| self.tell(line))
    }

    fn finish(&mut self, _: u64) -> io::Result<()> {
        if self.is_stdout() { Ok(()) } else { atomic_file::write(&self.path, self.text.as_bytes()) }
    }
}
