//! Signals that ask the process to end: the first is noted and the run ends in order, the second ends the process at once.
//!
//! A thread of its own waits for them, so that a process that is stuck can still be told, and still be ended. While nothing is
//! watched, a signal does what it does by default.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// A signal that asks the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGHUP: the terminal has gone.
    HangUp,
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    const ALL: [Signal; 3] = [Signal::HangUp, Signal::Interrupt, Signal::Terminate];

    fn number(self) -> u8 {
        match self {
            Signal::HangUp => 1,
            Signal::Interrupt => 2,
            Signal::Terminate => 15,
        }
    }

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Signal::HangUp => "SIGHUP",
            Signal::Interrupt => "SIGINT",
            Signal::Terminate => "SIGTERM",
        }
    }

    /// What a shell gives for a program that the signal ends.
    pub(crate) fn exit_code(self) -> u8 {
        128 + self.number()
    }
}

/// True while somebody ends in order when told to.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// The number of the first signal, 0 before it.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// Notes signals as long as it lives.
pub(crate) struct Watch(());

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHED.store(false, Ordering::SeqCst);
    }
}

/// From now on the first signal is noted instead of ending the process.
pub(crate) fn watch() -> Watch {
    #[cfg(unix)]
    unix::start();
    WATCHED.store(true, Ordering::SeqCst);
    Watch(())
}

/// The signal that was received, if one was.
pub(crate) fn received() -> Option<Signal> {
    let number = RECEIVED.load(Ordering::SeqCst);
    Signal::ALL.into_iter().find(|signal| i32::from(signal.number()) == number)
}

/// Notes the loss of the terminal, which is as good as its signal.
#[cfg(feature = "terminal")]
pub(crate) fn hung_up() {
    let number = i32::from(Signal::HangUp.number());
    let _ = RECEIVED.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
}

#[cfg(unix)]
mod unix {
    use super::{RECEIVED, Signal, WATCHED};
    use std::io::Write;
    use std::sync::Once;
    use std::sync::atomic::Ordering;

    /// Starts the thread that waits for signals, once.
    pub(super) fn start() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let numbers = Signal::ALL.map(|signal| i32::from(signal.number()));
            let Ok(mut signals) = signal_hook::iterator::Signals::new(numbers) else { return };
            std::thread::spawn(move || signals.forever().for_each(receive));
        });
    }

    fn receive(number: i32) {
        if WATCHED.load(Ordering::SeqCst) {
            if RECEIVED.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                tell(number);
                return;
            }
            #[cfg(feature = "terminal")]
            crate::frontend::terminal::raw::give_back_at_once();
        }
        let _ = signal_hook::low_level::emulate_default_handler(number);
    }

    /// Says what a second Ctrl-C does, unless the program's screen stands on the terminal.
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
