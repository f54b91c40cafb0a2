//! Raw mode of the host's terminal: keys are read as they are typed, without echo. The mode is
//! restored at every end.
//!
//! A terminal that is closed is noted as SIGHUP, and the command ends in order. A process that is
//! stuck, most often because the terminal takes no more output, ends with the second signal.

use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::cursor;
use crossterm::event::{
    DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseEvent, poll, read,
};
use crossterm::execute;
use crossterm::terminal::{self, EnableLineWrap, LeaveAlternateScreen};

use super::keys;
use crate::frontend::signals;
use oxbox::machine::Key;

/// The number of events that are read at a time, so that a pasted text does not stop the picture.
const MOST_EVENTS: usize = 64;

/// Timeout of reading the terminal's rest. Not zero on Unix: `crossterm` then reads nothing.
const READ_TIME: Duration = if cfg!(unix) { Duration::from_millis(1) } else { Duration::ZERO };

/// Set while the alternate screen is shown: a panic has to leave it.
static ON_ALTERNATE_SCREEN: AtomicBool = AtomicBool::new(false);

static MOUSE_REPORTED: AtomicBool = AtomicBool::new(false);

static IN_RAW_MODE: AtomicBool = AtomicBool::new(false);

pub(crate) struct RawMode {
    /// `crossterm` may hold events that it has read and not returned.
    has_unread_events: bool,
    resized: bool,
    mouse: Vec<MouseEvent>,
}

impl RawMode {
    /// Sets raw mode. Fails if stdin is not a terminal.
    pub(crate) fn enter() -> io::Result<RawMode> {
        give_back_on_panic();
        terminal::enable_raw_mode()?;
        IN_RAW_MODE.store(true, Ordering::SeqCst);
        Ok(RawMode { has_unread_events: false, resized: false, mouse: Vec::new() })
    }

    /// Whether a signal, or the loss of the terminal, ends the command.
    pub(crate) fn told_to_end(&self) -> bool {
        signals::received().is_some()
    }

    /// Whether the terminal's size has changed. Clears the flag.
    pub(super) fn was_resized(&mut self) -> bool {
        std::mem::take(&mut self.resized)
    }

    pub(super) fn take_mouse(&mut self) -> Vec<MouseEvent> {
        std::mem::take(&mut self.mouse)
    }

    /// Returns up to [`MOST_EVENTS`] keys that come within `wait`. Notes resizes and the mouse.
    pub(crate) fn events(&mut self, wait: Duration) -> Vec<KeyEvent> {
        let mut events = Vec::new();
        match wait_for_input(wait) {
            Input::HungUp => signals::hung_up(),
            Input::None if wait.is_zero() && !self.has_unread_events => return events,
            Input::None | Input::Ready => {}
        }
        let mut count = 0;
        while count < MOST_EVENTS && !self.told_to_end() {
            match poll(READ_TIME).and_then(|ready| if ready { read().map(Some) } else { Ok(None) }) {
                Ok(None) => break,
                Ok(Some(Event::Key(key))) if key.kind != KeyEventKind::Release => events.push(key),
                Ok(Some(Event::Resize(..))) => self.resized = true,
                Ok(Some(Event::Mouse(event))) => self.mouse.push(event),
                Ok(Some(_)) => {}
                // The terminal has been closed: no more input comes.
                Err(_) => signals::hung_up(),
            }
            count += 1;
        }
        self.has_unread_events = count == MOST_EVENTS;
        events
    }

    /// Waits for a key of the program. `None` if the user or a signal ends oxbox.
    pub(crate) fn wait_for_key(&mut self) -> Option<Key> {
        while !self.told_to_end() {
            for event in self.events(Duration::from_millis(200)) {
                if is_ctrl_c(event) {
                    return None;
                }
                if let Some(key) = keys::pc_key(event) {
                    return Some(key);
                }
            }
        }
        None
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        let _ = terminal::disable_raw_mode();
        IN_RAW_MODE.store(false, Ordering::SeqCst);
    }
}

#[cfg(unix)]
pub(crate) fn is_raw() -> bool {
    IN_RAW_MODE.load(Ordering::SeqCst)
}

/// Restores the terminal for a process that is stuck: without its locks, and without waiting for
/// the terminal. Output that the terminal has not accepted is discarded to make room, and blocked
/// writers continue.
#[cfg(unix)]
pub(crate) fn give_back_at_once() {
    if !is_raw() {
        return;
    }
    let _ = terminal::disable_raw_mode();
    let mut way_out = Vec::new();
    if MOUSE_REPORTED.load(Ordering::SeqCst) {
        let _ = execute!(way_out, DisableMouseCapture);
    }
    if ON_ALTERNATE_SCREEN.load(Ordering::SeqCst) {
        let _ = execute!(way_out, EnableLineWrap, LeaveAlternateScreen, cursor::Show);
    }
    let out = rustix::stdio::stdout();
    let _ = rustix::io::ioctl_fionbio(out, true);
    let _ = rustix::termios::tcflush(out, rustix::termios::QueueSelector::OFlush);
    let _ = rustix::io::write(out, &way_out);
    // The shell uses the same terminal.
    let _ = rustix::io::ioctl_fionbio(out, false);
}

enum Input {
    None,
    Ready,
    /// The terminal has been closed.
    HungUp,
}

/// Waits until the terminal has sent something, a signal arrives or `wait` has passed.
///
/// `crossterm` does not report a terminal that was closed before it reads.
#[cfg(unix)]
fn wait_for_input(wait: Duration) -> Input {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = rustix::stdio::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
    match poll(&mut watched, Some(&timeout)) {
        Err(_) | Ok(0) => Input::None,
        Ok(_) if watched[0].revents() == PollFlags::IN => Input::Ready,
        Ok(_) => Input::HungUp,
    }
}

/// Waits until the terminal has sent something or `wait` has passed.
#[cfg(not(unix))]
fn wait_for_input(wait: Duration) -> Input {
    match poll(wait) {
        Ok(false) => Input::None,
        Ok(true) => Input::Ready,
        Err(_) => Input::HungUp,
    }
}

/// Requests mouse events from the terminal, or ends them.
pub(super) fn report_mouse(wanted: bool) {
    if MOUSE_REPORTED.swap(wanted, Ordering::Relaxed) != wanted {
        let _ = if wanted {
            execute!(io::stdout(), EnableMouseCapture)
        } else {
            execute!(io::stdout(), DisableMouseCapture)
        };
    }
}

/// Records whether the alternate screen is shown.
pub(super) fn alternate_screen(shown: bool) {
    ON_ALTERNATE_SCREEN.store(shown, Ordering::Relaxed);
}

/// Restores the terminal before the message of a panic is printed.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            report_mouse(false);
            if ON_ALTERNATE_SCREEN.swap(false, Ordering::Relaxed) {
                let _ = execute!(io::stdout(), EnableLineWrap, LeaveAlternateScreen, cursor::Show);
            }
            let _ = terminal::disable_raw_mode();
            report(info);
        }));
    });
}

pub(crate) fn is_ctrl_c(event: KeyEvent) -> bool {
    event.code == KeyCode::Char('c') && event.modifiers.contains(KeyModifiers::CONTROL)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
    use rustix::termios::tcgetattr;
    use std::fs::File;
    use std::io::Read;
    use std::process::Command;

    use super::super::TerminalScreen;

    const PANIC: &str = "OXBOX_TEST_PANIC";

    /// Panics with the terminal taken over, in a child of the other test; else does nothing.
    #[test]
    fn panic() {
        if std::env::var_os(PANIC).is_some() {
            let _screen = TerminalScreen::for_cells().expect("a terminal");
            panic!("as it should");
        }
    }

    #[test]
    fn a_panic_gives_the_terminal_back_and_its_message_is_seen() {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("its other end");
        let theirs = File::from(ioctl_tiocgptpeer(&terminal, OpenptFlags::RDWR).expect("its other end"));
        let modes = || tcgetattr(&terminal).map(|all| (all.input_modes, all.output_modes, all.local_modes));
        let before = modes().expect("its modes");
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "frontend::terminal::raw::tests::panic", "--nocapture"]).env(PANIC, "1");
        let ends = || theirs.try_clone().expect("a handle");
        let mut child = command.stdin(ends()).stdout(ends()).stderr(ends()).spawn().expect("a child");
        drop((command, theirs));
        let mut shown = Vec::new();
        // Linux ends the output with an error once the other end is closed.
        let _ = File::from(terminal.try_clone().expect("a handle")).read_to_end(&mut shown);
        assert!(!child.wait().expect("its end").success());
        assert_eq!(modes().expect("its modes"), before);
        let shown = String::from_utf8_lossy(&shown);
        let (left, told) = (shown.find("\x1b[?1049l"), shown.find("as it should"));
        assert!(shown.contains("\x1b[?1049h") && left.is_some() && left < told, "{shown:?}");
    }
}
