//! Files that a command writes: none of them may be one that it reads, or another one that it writes.

use std::path::{Path, PathBuf};

use super::failure::Failure;

/// Refuses outputs that would destroy an input or each other. `-` is no file.
pub(super) fn check(outputs: &[Option<&Path>], inputs: &[&Path]) -> Result<(), Failure> {
    let outputs: Vec<&Path> =
        outputs.iter().flatten().copied().filter(|path| *path != Path::new("-")).collect();
    for (number, output) in outputs.iter().enumerate() {
        let place = place(output);
        if inputs.iter().any(|input| self::place(input) == place) {
            let text = format!("{} is an input: writing it would destroy it", output.display());
            return Err(Failure::Usage(text));
        }
        if outputs[..number].iter().any(|other| self::place(other) == place) {
            return Err(Failure::Usage(format!("{} is asked for twice", output.display())));
        }
    }
    Ok(())
}

/// Where a path leads, links followed as far as there is something.
fn place(path: &Path) -> PathBuf {
    let there = std::fs::canonicalize(path);
    there.or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}
