//! Files that a command writes: none of them may be one that it reads, or another one that it writes, by whatever name.

use std::path::{Path, PathBuf};

use oxbox::atomic_file;

use super::arguments::GuestOptions;
use super::failure::Failure;

/// Refuses outputs that would destroy an input or each other. `-` is no file.
pub(super) fn check(outputs: &[Option<&Path>], inputs: &[&Path]) -> Result<(), Failure> {
    let outputs: Vec<&Path> =
        outputs.iter().flatten().copied().filter(|path| *path != Path::new("-")).collect();
    for (number, output) in outputs.iter().enumerate() {
        if inputs.iter().any(|input| atomic_file::is_same(input, output)) {
            let text = format!("{} is an input: writing it would destroy it", output.display());
            return Err(Failure::Usage(text));
        }
        if outputs[..number].iter().any(|other| atomic_file::is_same(other, output)) {
            return Err(Failure::Usage(format!("{} is asked for twice", output.display())));
        }
    }
    Ok(())
}

/// The files that `run` and `play` are asked to write.
pub(super) fn of_guest(options: &GuestOptions) -> Vec<Option<&Path>> {
    let pictures = [&options.shot, &options.text, &options.gif, &options.cast, &options.transcript];
    let others = [&options.wav, &options.record, &options.coverage, &options.profile, &options.sarif];
    let traces = options.trace.iter().map(|(_, path)| path.as_deref());
    pictures.into_iter().chain(others).map(|path| path.as_deref()).chain(traces).collect()
}

/// As [`check`], for what `run` and `play` can be asked for.
pub(super) fn check_guest(options: &GuestOptions, inputs: &[&Path]) -> Result<(), Failure> {
    let outputs = of_guest(options);
    let inputs: Vec<&Path> = inputs.iter().copied().chain(read(options)).collect();
    check(&outputs, &inputs)
}

/// The files that `run` and `play` read besides the program.
pub(super) fn read(options: &GuestOptions) -> impl Iterator<Item = &Path> {
    let images = options.floppy.iter().chain(&options.disk);
    images.chain(&options.script).chain(&options.load_state).map(PathBuf::as_path)
}
