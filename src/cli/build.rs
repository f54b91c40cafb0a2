//! `oxbox build`: assembly sources, objects and libraries to a program; and what `run` does with a source.

use std::path::{Path, PathBuf};

use oxbox::toolchain::{self, BuildRequest, Format, LinkOptions, Linked, ToolError};
use oxbox::whole_file;

use super::arguments::{AssemblerOptions, Build};
use super::failure::Failure;
use super::outputs;

/// Builds a program file, and a map beside it if one is asked for.
pub(super) fn run(options: &Build) -> Result<u8, Failure> {
    let format = options.output.as_deref().and_then(format_of);
    let link = LinkOptions { format, map: options.map.is_some(), ..LinkOptions::default() };
    let linked = build(options.sources.clone(), &options.assembler, link)?;
    let output = options.output.clone().unwrap_or_else(|| default_output(&options.sources, linked.format));
    let sources: Vec<&Path> = options.sources.iter().map(PathBuf::as_path).collect();
    outputs::check(&[Some(&output), options.map.as_deref()], &sources)?;
    write(&output, &linked.bytes)?;
    if let (Some(path), Some(map)) = (&options.map, &linked.map) {
        write(path, map.as_bytes())?;
    }
    Ok(0)
}

/// Assembles and links one source, as `run` does before it runs it.
pub(super) fn assemble(source: &Path, options: &AssemblerOptions) -> Result<Linked, Failure> {
    build(vec![source.to_owned()], options, LinkOptions::default())
}

fn build(inputs: Vec<PathBuf>, options: &AssemblerOptions, link: LinkOptions) -> Result<Linked, Failure> {
    let request = BuildRequest {
        inputs,
        includes: options.include.clone(),
        assembler: options.assembler.clone(),
        options: link,
    };
    let linked = toolchain::build(&request).map_err(|error| match error {
        ToolError::Rejected(diagnostics) => Failure::Build(diagnostics),
        other => Failure::Host(other.to_string()),
    })?;
    for warning in &linked.warnings {
        super::say_plain(warning);
    }
    Ok(linked)
}

/// The format that the output's name asks for.
fn format_of(output: &Path) -> Option<Format> {
    match output.extension()?.to_str()?.to_ascii_uppercase().as_str() {
        "COM" => Some(Format::Com),
        "EXE" => Some(Format::Exe),
        _ => None,
    }
}

/// The first source's name in the present folder, with the extension of the format.
fn default_output(sources: &[PathBuf], format: Format) -> PathBuf {
    let stem = sources.first().and_then(|source| source.file_stem()).unwrap_or_default();
    let extension = match format {
        Format::Com => "COM",
        Format::Exe => "EXE",
    };
    PathBuf::from(stem).with_extension(extension)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    whole_file::write(path, bytes)
        .map_err(|error| Failure::host(format!("cannot write {}", path.display()), error))
}
