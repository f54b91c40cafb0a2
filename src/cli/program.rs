//! The program that `run` and `debug` are given: read, or built from its source.

use std::path::Path;

use oxbox::hardware::disk::SECTOR;
use oxbox::toolchain::{self, Format};

use super::arguments::Run;
use super::failure::Failure;
use super::guest::{self, Guest};
use super::{build, disks, symbols};

/// Reads the program, or builds it from its source, or finds that it is a disk.
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
        let batch = Some(title.clone());
        return Ok(Guest { title, tail, batch, inputs: parts, ..guest::shell(folder) });
    }
    let disk = if parts.len() > 1 { None } else { disks::boot_disk(path, options.guest.read_only)? };
    if disk.is_some() {
        if !options.args.is_empty() {
            return Err(Failure::Usage(format!("{title} is a disk: it takes no arguments")));
        }
        let (name, bytes) = (title.clone(), vec![0; SECTOR]);
        return Ok(Guest {
            title,
            name,
            bytes,
            tail,
            batch: None,
            folder: None,
            inputs: parts,
            symbols: None,
            disk,
        });
    }
    let mut inputs = parts.clone();
    let (name, bytes, symbols) = if parts.len() > 1 || is_source(path) {
        for part in &parts {
            std::fs::metadata(part)
                .map_err(|error| Failure::host(format!("cannot read {}", part.display()), error))?;
        }
        let linked = build::assemble(parts.clone(), &options.assembler)?;
        let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
        let name = Path::new(&title).with_extension(extension).display().to_string();
        inputs.extend(linked.files);
        (name, linked.bytes, Some(linked.symbols))
    } else {
        let bytes = guest::read_program(path)?;
        let symbols = match &options.symbols {
            Some(file) => {
                inputs.push(file.clone());
                Some(symbols::of_file(file, &bytes)?)
            }
            None => {
                let neighbours = symbols::Neighbours::of(path);
                inputs.extend(neighbours.inputs());
                neighbours.symbols(&bytes)
            }
        };
        (title.clone(), bytes, symbols)
    };
    Ok(Guest { title, name, bytes, tail, batch: None, folder: Some(folder), inputs, symbols, disk })
}

fn is_source(path: &Path) -> bool {
    has_extension(path, &["asm", "nasm", "obj"])
}

/// Whether a file is called by one of these extensions, in letters of either case.
pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}
