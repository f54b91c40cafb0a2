//! The terminal is restored after every end of oxbox.

use super::terminal::{Modes, Terminal};
use super::{oxbox, send, until};
use rustix::process::Signal;
use std::fs;
use std::process::Child;
use tempfile::TempDir;

/// Waits for keys indefinitely.
const WAIT: &[u8] = b"\xB4\x00\xCD\x16\xEB\xFA";

/// Front ends that set raw mode.
const FRONT_ENDS: [&str; 4] =
    ["debug WAIT.COM", "run WAIT.COM --terminal --mute", "run WAIT.COM", "play grid18 --terminal --mute"];

/// A front end that has set raw mode.
struct Running {
    terminal: Terminal,
    before: Modes,
    child: Child,
    _folder: TempDir,
}

impl Running {
    /// Starts a front end, and waits until it has set raw mode.
    fn start(line: &str) -> Running {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("WAIT.COM"), WAIT).unwrap();
        let mut command = oxbox(folder.path(), line);
        let terminal = Terminal::of(&mut command);
        let before = terminal.modes();
        let child = command.spawn().unwrap();
        drop(command);
        until(&format!("raw mode: {line}"), || terminal.modes() != before);
        // The alternate screen follows just after raw mode.
        if line != "run WAIT.COM" {
            until(&format!("the screen: {line}"), || terminal.shows("\x1b[?1049h"));
        }
        Running { terminal, before, child, _folder: folder }
    }
}

/// Waits for the end of a process, and returns its exit code.
fn ended(child: &mut Child, what: &str) -> Option<i32> {
    until(&format!("the end: {what}"), || child.try_wait().unwrap().is_some());
    child.wait().unwrap().code()
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    for line in FRONT_ENDS {
        for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
            let what = format!("{line}, {signal:?}");
            let Running { terminal, before, mut child, _folder } = Running::start(line);
            send(&child, signal);
            assert_eq!(ended(&mut child, &what), Some(code), "{what}");
            assert_eq!(terminal.modes(), before, "{what}");
            until(&format!("the screen before: {what}"), || {
                !terminal.shows("\x1b[?1049h") || terminal.shows("\x1b[?1049l") && terminal.shows("\x1b[?25h")
            });
        }
    }
}

#[test]
fn oxbox_ends_with_its_terminal() {
    for line in FRONT_ENDS {
        let Running { terminal, mut child, _folder, .. } = Running::start(line);
        terminal.close();
        assert_eq!(ended(&mut child, line), Some(129), "{line}");
    }
}
