//! `oxbox build`: builds a program from assembly sources, objects and libraries; also used by `run`
//! for sources.

use std::path::{Path, PathBuf};

use oxbox::built_in;
use oxbox::toolchain::{
    self, BuildRequest, Format, LinkOptions, Linked, Reading, Severity, ToolError, debug_file,
};

use super::arguments::{AssemblerOptions, Build, Processor};
use super::failure::Failure;
use super::outputs;

/// Builds a program file, and a map beside it if requested.
pub(super) fn run(options: &Build) -> Result<u8, Failure> {
    let format = options.output.as_deref().and_then(format_of);
    let link = LinkOptions { format, map: options.map.is_some(), ..LinkOptions::default() };
    let reading = options.assembler.reading(None);
    let linked =
        build(options.sources.clone(), &options.assembler, reading, link, options.listing.is_some())?;
    let output = options.output.clone().unwrap_or_else(|| default_output(&options.sources, &linked));
    let sources: Vec<&Path> = linked.files.iter().map(PathBuf::as_path).collect();
    let (map, debug, listing) =
        (options.map.as_deref(), options.debug.as_deref(), options.listing.as_deref());
    outputs::check(&[Some(&output), map, debug, listing], &sources)?;
    outputs::write(&output, &linked.bytes)?;
    if let Some(path) = debug {
        outputs::write(path, debug_file::write(&linked.symbols, linked.format, &linked.bytes))?;
    }
    if let (Some(path), Some(listing)) = (listing, &linked.listing) {
        outputs::write(path, listing)?;
    }
    if let (Some(path), Some(map)) = (map, &linked.map) {
        outputs::write(path, map)?;
    }
    Ok(0)
}

/// Assembles and links for the processor of the machine, as `run` does before it runs a program.
pub(super) fn assemble(
    sources: Vec<PathBuf>,
    options: &AssemblerOptions,
    processor: Option<Processor>,
) -> Result<Linked, Failure> {
    build(sources, options, options.reading(processor), LinkOptions::default(), false)
}

fn build(
    inputs: Vec<PathBuf>,
    options: &AssemblerOptions,
    reading: Reading,
    link: LinkOptions,
    listing: bool,
) -> Result<Linked, Failure> {
    let request = BuildRequest {
        inputs,
        includes: options.include.clone(),
        assembler: options.assembler.clone(),
        listing,
        reading,
        options: link,
        ..built_in::build_request()
    };
    let linked = toolchain::build(&request).map_err(|error| match error {
        ToolError::Rejected(diagnostics) => Failure::Build(diagnostics),
        other => Failure::Host(other.to_string()),
    })?;
    for message in &linked.warnings {
        match message.severity {
            Severity::Note => log::info!("{message}"),
            _ => super::say_plain(message),
        }
    }
    Ok(linked)
}

fn format_of(output: &Path) -> Option<Format> {
    match output.extension()?.to_str()?.to_ascii_uppercase().as_str() {
        "COM" => Some(Format::Com),
        "EXE" => Some(Format::Exe),
        _ => None,
    }
}

/// Returns the first source's name in the current folder, with the extension of the format.
fn default_output(sources: &[PathBuf], linked: &Linked) -> PathBuf {
    let stem = sources.first().and_then(|source| source.file_stem()).unwrap_or_default();
    let extension = match linked.format {
        _ if linked.boots => "IMG",
        Format::Com => "COM",
        Format::Exe => "EXE",
    };
    PathBuf::from(stem).with_extension(extension)
}
