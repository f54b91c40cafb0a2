//! A pseudo-terminal for a command.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{InputModes, LocalModes, OutputModes, tcgetattr};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The terminal's modes for input and output.
pub(super) type Modes = (InputModes, OutputModes, LocalModes);

/// A terminal of 80 columns and 25 rows: our end of it, and its output so far.
pub(super) struct Terminal {
    pub(super) ours: File,
    shown: Arc<Mutex<Vec<u8>>>,
    /// Tells the reader to end, which also holds our end.
    closing: Arc<AtomicBool>,
    reader: JoinHandle<()>,
}

impl Terminal {
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
        // Unlike `ours`, its clone is closed in children, so that closing it here closes the
        // terminal.
        let ours = File::from(ours).try_clone().unwrap();
        let (shown, closing) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (seen, ends, theirs) = (Arc::clone(&shown), Arc::clone(&closing), ours.try_clone().unwrap());
        let reader = std::thread::spawn(move || read(theirs, &seen, &ends));
        Terminal { ours, shown, closing, reader }
    }

    pub(super) fn modes(&self) -> Modes {
        let all = tcgetattr(&self.ours).unwrap();
        (all.input_modes, all.output_modes, all.local_modes)
    }

    /// Closes the terminal, like closing its window.
    pub(super) fn close(self) {
        self.closing.store(true, Ordering::SeqCst);
        self.reader.join().unwrap();
    }

    pub(super) fn shows(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).contains(text)
    }
}

/// Reads the terminal's output until its other end, or this one, is closed.
fn read(mut terminal: File, seen: &Mutex<Vec<u8>>, closing: &AtomicBool) {
    let mut buffer = [0; 4096];
    let wait = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    while !closing.load(Ordering::SeqCst) {
        if poll(&mut [PollFd::new(&terminal, PollFlags::IN)], Some(&wait)) != Ok(0) {
            let Ok(count @ 1..) = terminal.read(&mut buffer) else { break };
            seen.lock().unwrap().extend(&buffer[..count]);
        }
    }
}
