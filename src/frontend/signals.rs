//! Handling of signals that ask the process to end, the same for every command.
//!
//! A separate thread waits for them. A command with data to store watches: the first signal is noted,
//! and the command ends in order with the signal's exit code. A command that only computes ends at
//! once: its scratch files and children are removed, and the exit code is the same. The second signal
//! ends any process at once, even if it is stuck. Before the thread has started, the first one does.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use oxbox::machine::Signal;

/// Whether the current command ends in order when a signal is noted.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// The number of the first signal, 0 before it.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// Wakes the thread that waits for signals: by default this signal has no effect on a process.
#[cfg(target_os = "linux")]
pub(crate) const WAKE: i32 = signal_hook::consts::SIGURG;

/// The exit code of a process that made a forbidden system call: oxbox has failed.
#[cfg(target_os = "linux")]
pub(crate) const REFUSED_CODE: u8 = 125;

/// Whether a system call was refused.
#[cfg(target_os = "linux")]
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Makes the next [`WAKE`] end the process. May be called in a signal handler.
#[cfg(target_os = "linux")]
pub(crate) fn end_soon() {
    REFUSED.store(true, Ordering::SeqCst);
}

/// Runs `errand` in the thread that waits for signals, if any, and waits for its end.
#[cfg(target_os = "linux")]
pub(crate) fn in_thread(errand: impl FnOnce() + Send + 'static) {
    unix::in_thread(Box::new(errand));
}

/// While this exists, signals are noted instead of ending the process.
pub(crate) struct Watch(());

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHED.store(false, Ordering::SeqCst);
    }
}

/// Notes the signals that the process ignores. Call it at the start, before the process is confined.
pub(crate) fn prepare() {
    #[cfg(unix)]
    unix::prepare();
}

/// Starts to wait for signals, once per process.
pub(crate) fn start() {
    #[cfg(unix)]
    unix::start();
}

/// Starts to note the first signal instead of ending the process.
pub(crate) fn watch() -> Watch {
    start();
    WATCHED.store(true, Ordering::SeqCst);
    Watch(())
}

pub(crate) fn received() -> Option<Signal> {
    let number = RECEIVED.load(Ordering::SeqCst);
    Signal::ALL.into_iter().find(|signal| i32::from(signal.number()) == number)
}

/// Notes the loss of the terminal, as for SIGHUP.
#[cfg(feature = "terminal")]
pub(crate) fn hung_up() {
    let number = i32::from(Signal::HangUp.number());
    let _ = RECEIVED.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
}

#[cfg(unix)]
mod unix {
    use super::{RECEIVED, Signal, WATCHED};
    use oxbox::scratch;
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    #[cfg(target_os = "linux")]
    use std::sync::{Mutex, PoisonError};

    /// The ignored signals: one bit each.
    static IGNORED: AtomicU64 = AtomicU64::new(0);

    pub(super) fn prepare() {
        // A file that exceeds its size limit is an error of the write, not the end of the process.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
        IGNORED.store(ignored(), Ordering::SeqCst);
    }

    /// Starts the thread that waits for signals, once.
    pub(super) fn start() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let ignored = IGNORED.load(Ordering::SeqCst);
            let numbers = Signal::ALL.map(|signal| i32::from(signal.number()));
            let numbers = numbers.into_iter().filter(|number| ignored & 1 << (number - 1) == 0);
            #[cfg(target_os = "linux")]
            let numbers = numbers.chain([super::WAKE]);
            let Ok(mut signals) = signal_hook::iterator::Signals::new(numbers) else { return };
            std::thread::spawn(move || signals.forever().for_each(receive));
            #[cfg(target_os = "linux")]
            IS_WAITING.store(true, Ordering::SeqCst);
        });
    }

    #[cfg(target_os = "linux")]
    static IS_WAITING: AtomicBool = AtomicBool::new(false);

    /// The task for the thread's next wake-up.
    #[cfg(target_os = "linux")]
    static ERRAND: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

    #[cfg(target_os = "linux")]
    pub(super) fn in_thread(errand: Box<dyn FnOnce() + Send>) {
        if !IS_WAITING.load(Ordering::SeqCst) {
            return;
        }
        let (done, wait) = std::sync::mpsc::channel();
        let errand = move || {
            errand();
            let _ = done.send(());
        };
        *ERRAND.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(errand));
        let _ = signal_hook::low_level::raise(super::WAKE);
        let _ = wait.recv();
    }

    /// Ends the process after a forbidden call, or runs the errand.
    #[cfg(target_os = "linux")]
    fn wake() {
        if super::REFUSED.load(Ordering::SeqCst) {
            // The thread that made the call may hold any lock.
            scratch::clean_up_at_once();
            #[cfg(feature = "terminal")]
            crate::frontend::terminal::raw::give_back_at_once();
            std::process::exit(super::REFUSED_CODE.into());
        }
        let errand = ERRAND.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(errand) = errand {
            errand();
        }
    }

    /// Returns the signals ignored at the process's start, as by `nohup` for SIGHUP: one bit each.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }

    #[cfg_attr(
        not(feature = "terminal"),
        allow(clippy::collapsible_if, reason = "the terminal is given back between the two")
    )]
    fn receive(number: i32) {
        #[cfg(target_os = "linux")]
        if number == super::WAKE {
            wake();
            return;
        }
        let is_first = RECEIVED.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if WATCHED.load(Ordering::SeqCst) {
            if is_first {
                tell(number);
                return;
            }
            scratch::clean_up_at_once();
            #[cfg(feature = "terminal")]
            crate::frontend::terminal::raw::give_back_at_once();
        } else if is_first {
            // The clean-up may have to wait for a disk: a second signal must still be handled.
            std::thread::spawn(move || {
                scratch::clean_up();
                #[cfg(feature = "terminal")]
                crate::frontend::terminal::raw::give_back_at_once();
                std::process::exit(128 + number);
            });
            return;
        }
        let _ = signal_hook::low_level::emulate_default_handler(number);
    }

    /// Prints what a second Ctrl-C does, unless the program's screen is on the terminal.
    fn tell(number: i32) {
        #[cfg(feature = "terminal")]
        if crate::frontend::terminal::raw::is_raw() {
            return;
        }
        if number == i32::from(Signal::Interrupt.number()) {
            let line =
                "oxbox: Ctrl-C: the run ends, and its files are written; a second Ctrl-C ends oxbox at once";
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}
