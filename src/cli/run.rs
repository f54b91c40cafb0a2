//! `oxbox run`: runs any DOS program; `oxbox shell`: runs the command interpreter.

use std::path::PathBuf;

use crate::frontend::{recent, signals};

use super::arguments::{GuestOptions, Run, Shell};
use super::debug;
use super::failure::Failure;
use super::guest::{self, DisplayMode, Guest, Prepared};
use super::program::guest_of;
use super::{needs, outputs, report, trial};

/// Runs a program, by default on the console.
pub(super) fn run(options: &Run) -> Result<u8, Failure> {
    if let Some(address) = &options.gdb {
        return debug::gdb(options, address);
    }
    if let Some(place) = &options.who {
        return debug::who(options, place);
    }
    let guest = guest_of(options);
    if let Ok(guest) = &guest {
        outputs::check_guest(&options.guest, &guest.inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    }
    if options.guest.front.window {
        recent::add(&options.program);
    }
    run_guest(guest, &options.guest)
}

/// Runs the command interpreter, by default on the console.
pub(super) fn shell(options: &Shell) -> Result<u8, Failure> {
    outputs::check_guest(&options.guest, &[])?;
    let folder = options.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    run_guest(Ok(guest::shell(folder)), &options.guest)
}

fn run_guest(guest: Result<Guest, Failure>, options: &GuestOptions) -> Result<u8, Failure> {
    let prepared = guest.and_then(|guest| {
        let prepared = guest::prepare(&guest, options)?;
        let confined = needs::confine_guest(&guest, options)?;
        let orderly = signals::watch();
        Ok((guest, prepared, confined, orderly))
    });
    let (guest, Prepared { mut session, config }, _confined, _orderly) = prepared.or_else(|failure| {
        if options.json {
            report::print_failure(&failure)?;
        }
        Err(failure)
    })?;
    let front = &options.front;
    let seen = match guest::wanted(options) {
        DisplayMode::Screen(place) => Ok(guest::play(&mut session, Some(place), front)),
        DisplayMode::Headless => Ok(guest::play(&mut session, None, front)),
        DisplayMode::ScreenReader => Ok(guest::screen_reader(&mut session)),
        DisplayMode::Default => guest::on_console(&mut session, front),
    };
    let seen = seen.or_else(|failure| {
        // The program's output is not read any more: the run is over, and its files are stored as
        // usual.
        session.leave();
        guest::conclude_unseen(&mut session, options)?;
        Err(failure)
    })?;
    let has_failed = trial::has_failed(&session, seen);
    let code = guest::conclude(session, options, seen)?;
    if has_failed {
        // If the trial is not possible, the run has ended as it has.
        guest::hint(&guest, &config, options).ok().flatten().into_iter().for_each(super::say);
    }
    Ok(code)
}
