//! `oxbox run`: any DOS program.

use std::path::Path;

use crate::frontend::signals;
use oxbox::toolchain::Format;

use super::arguments::Run;
use super::build;
use super::failure::Failure;
use super::guest::{self, Guest, Wanted};
use super::{outputs, report};

/// Runs a program: on the console unless something else is wanted.
pub(super) fn run(options: &Run) -> Result<u8, Failure> {
    outputs::check_guest(&options.guest, &[&options.program])?;
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
        Wanted::Screen(place) => guest::play(&mut session, Some(place), front),
        Wanted::Headless => guest::play(&mut session, None, front),
        Wanted::Default => guest::on_console(&mut session, front)?,
    };
    guest::conclude(session, &options.guest, seen)
}

/// Reads the program, or builds it from its source.
fn guest_of(options: &Run) -> Result<Guest, Failure> {
    let path = &options.program;
    let title = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (name, bytes, symbols) = if is_source(path) {
        std::fs::metadata(path)
            .map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
        let linked = build::assemble(path, &options.assembler)?;
        let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
        let name = Path::new(&title).with_extension(extension).display().to_string();
        (name, linked.bytes, Some(linked.symbols))
    } else {
        (title.clone(), guest::read_program(path)?, None)
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Some(parent.to_owned());
    Ok(Guest {
        title,
        name,
        bytes,
        tail: options.args.join(" "),
        folder,
        inputs: vec![path.clone()],
        symbols,
    })
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("asm"))
}
