//! A pseudo-terminal for a command.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// A terminal of 80 columns and 25 rows: our end of it, and what has been shown on it so far.
pub(super) struct Terminal {
    pub(super) ours: File,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Makes one, and makes it the command's.
    pub(super) fn of(command: &mut Command) -> Terminal {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let theirs = OpenOptions::new().read(true).write(true).open(path).unwrap();
        let size = rustix::termios::Winsize { ws_row: 25, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&theirs, size).unwrap();
        command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
        let ours = File::from(ours);
        let (shown, mut reader) = (Arc::new(Mutex::new(Vec::new())), ours.try_clone().unwrap());
        let seen = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                seen.lock().unwrap().extend(&buffer[..count]);
            }
        });
        Terminal { ours, shown }
    }

    pub(super) fn shows(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).contains(text)
    }
}
