//! `oxbox dap`: the Debug Adapter Protocol, for editors, on stdin and stdout.
//!
//! `wire` reads and writes messages, `adapter` is what they mean, `views` what an editor shows of the program. A thread reads, so
//! that a pause is heard while the program runs.

mod adapter;
mod views;
mod wire;

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use adapter::Adapter;
pub(crate) use adapter::{Launch, Launcher};
use serde_json::Value;

/// A message, or why it is none.
type Received = Result<Value, String>;

/// Serves an editor until it leaves. `launcher` makes ready what it asks for.
///
/// # Errors
/// When the editor can no longer be written to, or what it sends is no message.
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

/// The next message; while the program runs none is waited for. None when there will be no more.
fn next(messages: &Receiver<Received>, running: bool) -> Option<Option<Received>> {
    if !running {
        return messages.recv().ok().map(Some);
    }
    match messages.try_recv() {
        Ok(message) => Some(Some(message)),
        Err(TryRecvError::Empty) => Some(None),
        Err(TryRecvError::Disconnected) => None,
    }
}
