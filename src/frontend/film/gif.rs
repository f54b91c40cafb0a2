//! The screen as an animated GIF.

use std::io;
use std::path::{Path, PathBuf};

use oxbox::atomic_file;
use oxbox::machine::Machine;
use oxbox::media::animation::{Animation, LAST_MS};

use super::reel::{LARGEST, Reel};

pub(super) struct Gif {
    path: PathBuf,
    animation: Animation,
}

impl Gif {
    pub(super) fn new(path: &Path) -> Gif {
        Gif { path: path.to_owned(), animation: Animation::new(LARGEST) }
    }
}

impl Reel for Gif {
    fn show(&mut self, ms: u64, _: bool, machine: &Machine) -> io::Result<()> {
        // Otherwise blinking would add pictures during every wait.
        let frame = machine.still_frame();
        if frame.width > 0 && frame.height > 0 {
            self.animation.add(frame, ms / 10)?;
        }
        Ok(())
    }

    fn finish(&mut self, ms: u64) -> io::Result<()> {
        let animation = std::mem::take(&mut self.animation);
        atomic_file::write(&self.path, &animation.into_bytes((ms + LAST_MS) / 10)?)
    }
}
