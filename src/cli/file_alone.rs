//! `oxbox FILE`: a file or a folder instead of a command, as a file manager passes it; suggestions
//! for a mistyped command.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error};
use oxbox::{games, toolchain};

use super::arguments::Arguments;

/// Returns the command line with the command for its file or folder, if the word that clap took for
/// a command is one.
pub(super) fn with_command(mut words: Vec<OsString>, answer: &Error) -> Option<Vec<OsString>> {
    let word = unknown_command(answer)?;
    // A name that is not valid text must be a file's.
    let word = words.iter().skip(1).find(|other| other.to_string_lossy() == word)?;
    let path = Path::new(word);
    let command = if path.is_dir() {
        "shell"
    } else if toolchain::parts(path).iter().all(|part| part.exists()) || is_path(path) {
        "run"
    } else {
        return None;
    };
    words.insert(1, command.into());
    Some(words)
}

/// Returns a suggestion for a mistyped command.
pub(super) fn advice(answer: &Error) -> Option<String> {
    let word = unknown_command(answer)?;
    if let Some(game) = games::find(word) {
        return Some(format!("did you mean 'oxbox play {}'?", game.name));
    }
    let sources = toolchain::SOURCE_EXTENSIONS;
    if let Some(file) = ["com", "exe", "bat"]
        .into_iter()
        .chain(sources)
        .flat_map(|extension| [format!("{word}.{extension}"), format!("{word}.{}", extension.to_uppercase())])
        .find(|file| Path::new(file).is_file())
    {
        return Some(format!("did you mean 'oxbox {file}'?"));
    }
    let name = match answer.get(ContextKind::SuggestedSubcommand) {
        // The best one is last.
        Some(ContextValue::Strings(names)) => names.last()?.clone(),
        Some(ContextValue::String(name)) => name.clone(),
        _ => mistyped(word)?,
    };
    Some(format!("did you mean 'oxbox {name}'?"))
}

/// Returns the command that differs from a word in one letter, or in the order of two: clap finds none
/// for a word as short as `rnu`.
fn mistyped(word: &str) -> Option<String> {
    let command = Arguments::command();
    let mut names = command.get_subcommands().map(clap::Command::get_name);
    names.find(|name| strsim::damerau_levenshtein(word, name) == 1).map(str::to_owned)
}

fn unknown_command(answer: &Error) -> Option<&str> {
    match (answer.kind(), answer.get(ContextKind::InvalidSubcommand)?) {
        (ErrorKind::InvalidSubcommand, ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

/// Whether a word can only be a path: no command has an extension or a folder.
fn is_path(word: &Path) -> bool {
    word.extension().is_some() || word.components().count() > 1
}
