//! `oxbox run`: any DOS program.

use std::path::Path;

use crate::frontend::signals;
use oxbox::toolchain::Format;

use super::arguments::Run;
use super::build;
use super::failure::Failure;
use super::guest::{self, Guest, Wanted};
use super::outputs;

/// Runs a program: on the console unless something else is wanted.
pub(super) fn run(options: &Run) -> Result<u8, Failure> {
    let wanted = &options.guest;
    let outputs = [&wanted.shot, &wanted.text, &wanted.wav, &wanted.record].map(|path| path.as_deref());
    let script = wanted.script.as_deref().unwrap_or(&options.program);
    outputs::check(&outputs, &[&options.program, script])?;
    let guest = guest_of(options)?;
    let _orderly = signals::watch();
    let mut session = guest::prepare(&guest, &options.guest)?;
    let front = &options.guest.front;
    let seen = match guest::wanted(&options.guest) {
        Wanted::Screen(place) => guest::play(&mut session, Some(place), front),
        Wanted::Headless => guest::play(&mut session, None, front),
        Wanted::Default => guest::on_console(&mut session, front)?,
    };
    guest::conclude(session, &options.guest, seen)
}

/// Reads the program, or builds it from its source.
fn guest_of(options: &Run) -> Result<Guest, Failure> {
    let path = &options.program;
    let host_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (name, bytes) = if is_source(path) {
        std::fs::metadata(path)
            .map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
        let linked = build::assemble(path, &options.assembler)?;
        let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
        (Path::new(&host_name).with_extension(extension).display().to_string(), linked.bytes)
    } else {
        (host_name.clone(), guest::read_program(path)?)
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Guest { title: host_name, name, bytes, tail: options.args.join(" "), folder: Some(parent.to_owned()) })
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("asm"))
}
