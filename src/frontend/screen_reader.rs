//! Runs a program through a transcript: its changed lines on stdout, its keys from stdin, one line
//! at a time.

use std::io::{BufRead, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::session::LiveSession;
use oxbox::machine::{Action, End, Script};

/// Maximum time of a wait for a line, until the next check whether to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Plays a session with a transcript on stdout. A line of stdin contains keys in the format of
/// `--keys`; an empty one is ENTER.
pub(crate) fn play(session: &mut LiveSession) {
    let mut lines = None;
    while session.end().is_none() {
        if session.run_slice().is_none() {
            continue;
        }
        session.hold_film();
        match lines.get_or_insert_with(read_lines).recv_timeout(PATIENCE) {
            Ok(line) => type_key(session, &line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => session.finish(End::Waiting),
        }
    }
}

fn type_key(session: &mut LiveSession, line: &str) {
    let words = if line.trim().is_empty() { "ENTER" } else { line };
    match Script::from_keys(words) {
        Ok(script) => {
            for step in script.steps {
                if let Action::Key(key) = step.action {
                    session.type_key(key);
                }
            }
        }
        Err(error) => eprintln!("oxbox: {error}"),
    }
}

/// Starts the thread that reads stdin: a read cannot be interrupted.
fn read_lines() -> Receiver<String> {
    let (sender, lines) = sync_channel(1);
    thread::spawn(move || {
        for line in stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
