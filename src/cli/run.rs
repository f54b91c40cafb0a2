//! `oxbox run`: any DOS program.

use std::path::{Path, PathBuf};

use crate::frontend::signals;
use oxbox::toolchain;

use super::arguments::Run;
use super::debug;
use super::failure::Failure;
use super::guest::{self, Wish};
use super::program::guest_of;
use super::{outputs, report};

/// Runs a program: on the console unless something else is wanted.
pub(super) fn run(options: &Run) -> Result<u8, Failure> {
    if let Some(address) = &options.gdb {
        return debug::gdb(options, address);
    }
    if let Some(place) = &options.who {
        return debug::who(options, place);
    }
    let parts = toolchain::parts(&options.program);
    let inputs: Vec<&Path> = parts.iter().map(PathBuf::as_path).chain(options.symbols.as_deref()).collect();
    outputs::check_guest(&options.guest, &inputs)?;
    let prepared = guest_of(options).and_then(|guest| {
        let orderly = signals::watch();
        Ok((guest::prepare(&guest, &options.guest)?, orderly))
    });
    let (mut session, _orderly) = prepared.or_else(|failure| {
        if options.guest.json {
            report::print_failure(&failure)?;
        }
        Err(failure)
    })?;
    let front = &options.guest.front;
    let seen = match guest::wanted(&options.guest) {
        Wish::Screen(place) => guest::play(&mut session, Some(place), front),
        Wish::Headless => guest::play(&mut session, None, front),
        Wish::Default => guest::on_console(&mut session, front)?,
    };
    guest::conclude(session, &options.guest, seen)
}
