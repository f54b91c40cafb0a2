//! The program of `run` and `debug`: read from a file, or built from its source.

use std::path::Path;

use oxbox::hardware::disk::SECTOR;
use oxbox::hardware::vga::cp437;
use oxbox::toolchain::{self, Content, Format};

use super::arguments::Run;
use super::failure::Failure;
use super::guest::{self, Guest};
use super::{build, disks, symbols};
use crate::frontend::signals;

/// Returns the program's path below the folder of --dir, as `DIR/FILE`; `None` if it is elsewhere.
fn below(dir: Option<&Path>, path: &Path) -> Option<String> {
    let folder = dir?.canonicalize().ok()?;
    // The file may be a link: the folder in its path counts.
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let parent = parent.canonicalize().ok()?;
    let parts = parent.strip_prefix(&folder).ok()?.components().map(std::path::Component::as_os_str);
    let parts: Vec<_> = parts.chain(path.file_name()).map(|part| part.to_string_lossy()).collect();
    Some(parts.join("/"))
}

/// Reads the program, or builds it from its source, or recognises a disk.
pub(super) fn guest_of(options: &Run) -> Result<Guest, Failure> {
    let parts = toolchain::parts(&options.program);
    let path = parts.first().unwrap_or(&options.program);
    let title = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = parent.to_owned();
    let tail = options.args.join(" ");
    if has_extension(path, &["bat"]) {
        std::fs::metadata(path)
            .map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
        let batch = Some(below(options.guest.dir.as_deref(), path).unwrap_or_else(|| title.clone()));
        return Ok(Guest { title, tail, batch, inputs: parts, is_tried: true, ..guest::shell(folder) });
    }
    let disk = if parts.len() > 1 { None } else { disks::boot_disk(path, options.guest.read_only)? };
    if disk.is_some() {
        if !options.args.is_empty() {
            return Err(Failure::Usage(format!("{title} is a disk: it takes no arguments")));
        }
        return Ok(Guest { disk, inputs: parts, ..started_from_disk(title, tail) });
    }
    let mut inputs = parts.clone();
    let program = if parts.len() > 1 { None } else { read(path)? };
    let (name, bytes, symbols) = if let Some(bytes) = program {
        let symbols = match &options.symbols {
            Some(file) => {
                inputs.push(file.clone());
                Some(symbols::of_file(file, &bytes)?)
            }
            None => {
                let neighbours = symbols::CompanionFiles::of(path);
                inputs.extend(neighbours.inputs());
                neighbours.symbols(&bytes)
            }
        };
        (below(options.guest.dir.as_deref(), path).unwrap_or_else(|| title.clone()), bytes, symbols)
    } else {
        for part in &parts {
            std::fs::metadata(part)
                .map_err(|error| Failure::host(format!("cannot read {}", part.display()), error))?;
        }
        // Assemblers are children with scratch files.
        signals::start();
        let linked = build::assemble(parts.clone(), &options.assembler, options.guest.cpu)?;
        inputs.extend(linked.files);
        if linked.boots {
            let disk = disks::boot_sector(&title, linked.bytes)?;
            return Ok(Guest { disk: Some(disk), inputs, ..started_from_disk(title, tail) });
        }
        let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
        // DOS has no other characters; the source keeps its name in messages.
        let is_writable = title.chars().all(|letter| cp437::from_text(letter).is_some());
        let name = if is_writable { title.as_str() } else { "PROGRAM" };
        let name = Path::new(name).with_extension(extension).display().to_string();
        (name, linked.bytes, Some(linked.symbols))
    };
    Ok(Guest {
        title,
        name,
        bytes,
        tail,
        folder: Some(folder),
        inputs,
        symbols,
        is_tried: true,
        ..Guest::default()
    })
}

/// Reads a program; `None` if the file is a source, an object or a library: by its name, or by its
/// content, which is then reported. Fails if it is neither that nor a program.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if toolchain::is_built_from(path) {
        return Ok(None);
    }
    let bytes = guest::read_program(path)?;
    match Content::of(path, &bytes) {
        Content::Program => Ok(Some(bytes)),
        Content::Source => {
            super::say(format!("{} is an assembly source: it is assembled", path.display()));
            Ok(None)
        }
        other => Err(Failure::Host(format!("cannot run {}: it is {other}", path.display()))),
    }
}

/// Returns a guest without a DOS program file.
fn started_from_disk(title: String, tail: String) -> Guest {
    Guest { name: title.clone(), title, bytes: vec![0; SECTOR], tail, ..Guest::default() }
}

/// Whether a file has one of these extensions, in any case.
pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}
