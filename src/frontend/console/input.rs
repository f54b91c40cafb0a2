//! The input of a program on the console: the host's stdin as a pipe, or the keys of a terminal.

use std::io::{Read, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::frontend::session::LiveSession;
#[cfg(feature = "terminal")]
use crate::frontend::signals;
#[cfg(feature = "terminal")]
use crate::frontend::terminal;
#[cfg(feature = "terminal")]
use oxbox::machine::Signal;

/// Bytes that are read from the host at a time.
const CHUNK: usize = 64 << 10;

/// Maximum time of a wait for input, until the next check whether to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// The host's source of the program's input.
pub(super) enum Input {
    /// Bytes, read by a separate thread after the program's first request. The last byte is kept,
    /// because a CR LF may be split.
    Pipe { chunks: Option<Receiver<Vec<u8>>>, last: u8, closed: bool },
    /// A terminal's keys; in raw mode as long as it exists.
    Keyboard(#[cfg(feature = "terminal")] Option<terminal::RawMode>),
}

impl Input {
    pub(super) fn pipe() -> Input {
        Input::Pipe { chunks: None, last: 0, closed: false }
    }

    pub(super) fn keyboard() -> Input {
        Input::Keyboard(
            #[cfg(feature = "terminal")]
            terminal::RawMode::enter().ok(),
        )
    }

    /// Called while the program runs: keeps the keys typed meanwhile for it; Ctrl-C ends the run.
    pub(super) fn poll(&mut self, session: &mut LiveSession) {
        #[cfg(feature = "terminal")]
        if let Input::Keyboard(Some(raw)) = self {
            for event in raw.events(Duration::ZERO) {
                if terminal::is_ctrl_c(event) {
                    session.interrupt(Signal::Interrupt);
                } else {
                    terminal::type_key(event, session);
                }
            }
        }
        #[cfg(not(feature = "terminal"))]
        let _ = session;
    }

    /// Called while the program waits: waits for bytes of the host, or for a key. Returns false if
    /// there cannot be more.
    pub(super) fn supply(&mut self, session: &mut LiveSession) -> bool {
        match self {
            Input::Pipe { closed: true, .. } => false,
            Input::Pipe { chunks, last, closed } => {
                match chunks.get_or_insert_with(read_stdin).recv_timeout(PATIENCE) {
                    Ok(bytes) => session.feed_input(&with_carriage_returns(&bytes, last)),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        *closed = true;
                        session.close_input();
                    }
                }
                true
            }
            #[cfg(feature = "terminal")]
            Input::Keyboard(Some(raw)) => {
                match raw.wait_for_key() {
                    Some(key) => session.type_key(key),
                    // Ctrl-C: the session itself handles a signal.
                    None => session.interrupt(signals::received().unwrap_or(Signal::Interrupt)),
                }
                true
            }
            Input::Keyboard(..) => false,
        }
    }
}

fn read_stdin() -> Receiver<Vec<u8>> {
    // A full channel stops the reader: input is not read faster than the program reads it.
    let (sender, chunks) = sync_channel(4);
    thread::spawn(move || {
        let mut stdin = stdin().lock();
        let mut buffer = vec![0; CHUNK];
        while let Ok(count @ 1..) = stdin.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    chunks
}

/// Converts a bare line feed to CR LF; `last` is the byte before.
fn with_carriage_returns(bytes: &[u8], last: &mut u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for &byte in bytes {
        if byte == b'\n' && *last != b'\r' {
            out.push(b'\r');
        }
        out.push(byte);
        *last = byte;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_dos_reads_them() {
        let table: [(&[&str], &str); 4] = [
            (&["a\nb\n"], "a\r\nb\r\n"),
            (&["a\r\nb"], "a\r\nb"),
            (&["a\r", "\nb\n"], "a\r\nb\r\n"),
            (&["\n\n", "\n"], "\r\n\r\n\r\n"),
        ];
        for (pieces, expected) in table {
            let mut last = 0;
            let out: Vec<u8> =
                pieces.iter().flat_map(|piece| with_carriage_returns(piece.as_bytes(), &mut last)).collect();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{pieces:?}");
        }
    }
}
