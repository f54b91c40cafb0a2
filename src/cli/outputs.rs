//! Output files of a command: none may be one of its inputs, or another of its outputs, under any
//! name.

use std::path::{Path, PathBuf};

use oxbox::atomic_file;

use super::arguments::GuestOptions;
use super::failure::Failure;

/// Refuses outputs that would overwrite an input or each other; `-` is standard output.
pub(super) fn check(outputs: &[Option<&Path>], inputs: &[&Path]) -> Result<(), Failure> {
    let (stdout, outputs): (Vec<&Path>, Vec<&Path>) =
        outputs.iter().flatten().partition(|path| atomic_file::is_stdout(path));
    if stdout.len() > 1 {
        return Err(Failure::Usage("only one output can be standard output ('-')".to_owned()));
    }
    for (number, output) in outputs.iter().enumerate() {
        if inputs.iter().any(|input| atomic_file::is_same(input, output)) {
            let text = format!("{} is an input, and must not be overwritten", output.display());
            return Err(Failure::Usage(text));
        }
        if outputs[..number].iter().any(|other| atomic_file::is_same(other, output)) {
            return Err(Failure::Usage(format!("{} is named as an output twice", output.display())));
        }
    }
    Ok(())
}

/// Writes an output file; `-` is standard output.
pub(super) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    atomic_file::write(path, contents.as_ref()).map_err(|error| Failure::unwritten(path, error))
}

/// Returns the output files of `run` and `play`.
pub(super) fn of_guest(options: &GuestOptions) -> Vec<Option<&Path>> {
    let pictures = [&options.shot, &options.text, &options.gif, &options.cast, &options.transcript];
    let others = [&options.wav, &options.record, &options.coverage, &options.profile, &options.sarif];
    let traces = options.trace.iter().map(|(_, path)| path.as_deref());
    pictures.into_iter().chain(others).map(|path| path.as_deref()).chain(traces).collect()
}

/// Whether `run` and `play` write no file.
pub(super) fn has_none(options: &GuestOptions) -> bool {
    of_guest(options).into_iter().all(|path| path.is_none())
}

/// Whether an output of `run` or `play` is standard output, so that nothing else may be written there.
pub(super) fn is_on_stdout(options: &GuestOptions) -> bool {
    of_guest(options).into_iter().flatten().any(atomic_file::is_stdout)
}

/// Like [`check`], for the options of `run` and `play`.
pub(super) fn check_guest(options: &GuestOptions, inputs: &[&Path]) -> Result<(), Failure> {
    if options.json && is_on_stdout(options) {
        return Err(Failure::Usage("--json writes to standard output: no other output can ('-')".to_owned()));
    }
    let outputs = of_guest(options);
    let inputs: Vec<&Path> = inputs.iter().copied().chain(read(options)).collect();
    check(&outputs, &inputs)
}

/// Returns the files that `run` and `play` read in addition to the program.
pub(super) fn read(options: &GuestOptions) -> impl Iterator<Item = &Path> {
    let images = options.floppy.iter().chain(&options.disk);
    images.chain(&options.script).chain(&options.load_state).map(PathBuf::as_path)
}
