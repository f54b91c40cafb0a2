//! `oxbox dap`: the Debug Adapter Protocol, for editors, on stdin and stdout.
//!
//! `wire` reads and writes messages, `adapter` handles them, `views` returns what an editor shows
//! of the program. A thread reads, so that a pause request is received while the program runs.

mod adapter;
mod views;
mod wire;

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::frontend::signals;
use adapter::Adapter;
pub(crate) use adapter::{Launch, Launcher};
use serde_json::Value;

/// Time between two checks for a signal while nothing runs.
const SIGNAL_TIME: Duration = Duration::from_millis(50);

type Received = Result<Value, String>;

/// Serves an editor until it disconnects. `launcher` prepares the program that it requests. Fails
/// if the editor cannot be written to any more, or sends an invalid message.
pub(crate) fn serve(
    mut input: impl BufRead + Send + 'static,
    output: &mut impl Write,
    launcher: Launcher<'_>,
) -> std::io::Result<()> {
    let (sender, messages) = channel();
    std::thread::spawn(move || {
        while let Some(message) = wire::read(&mut input).transpose() {
            let is_last = message.is_err();
            if sender.send(message).is_err() || is_last {
                return;
            }
        }
    });
    let mut adapter = Adapter::new(launcher);
    while let Some(message) = next(&messages, adapter.is_running()) {
        match message {
            Some(message) => adapter.handle(&message.map_err(std::io::Error::other)?),
            None => adapter.advance(),
        }
        for message in adapter.take_messages() {
            wire::write(output, &message)?;
        }
        if adapter.is_over() {
            break;
        }
    }
    Ok(())
}

/// Returns the next message; does not wait while the program runs. `None` at the end of messages,
/// or after a signal.
fn next(messages: &Receiver<Received>, running: bool) -> Option<Option<Received>> {
    while signals::received().is_none() {
        let wait = if running { Duration::ZERO } else { SIGNAL_TIME };
        match messages.recv_timeout(wait) {
            Ok(message) => return Some(Some(message)),
            Err(RecvTimeoutError::Timeout) if running => return Some(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}
