//! Finds objects and sources beside a program's own that define a missing symbol, for the error
//! message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::diagnostic::ToolError;
use super::{files, is_source, omf};

/// The most files of a folder that are read, and the most bytes of each.
const MOST_FILES: usize = 200;
const LARGEST: u64 = 1 << 20;

/// Adds to each undefined symbol the file beside the inputs that defines it.
pub(super) fn advised(error: ToolError, inputs: &[PathBuf]) -> ToolError {
    let ToolError::Rejected(mut messages) = error else { return error };
    let mut known: Option<BTreeMap<String, PathBuf>> = None;
    for message in &mut messages {
        let Some(name) = &message.undefined else { continue };
        let known = known.get_or_insert_with(|| definitions(inputs));
        if let Some(path) = known.get(&name.to_ascii_uppercase()) {
            message.help = Some(help(path, inputs).into());
        }
    }
    ToolError::Rejected(messages)
}

fn help(path: &Path, inputs: &[PathBuf]) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let own: Vec<String> = inputs.iter().map(|input| name(input)).collect();
    format!("{0} beside it defines it; name both: {1}+{0}", name(path), own.join("+"))
}

/// Returns the names that files beside the inputs make public, in capitals.
fn definitions(inputs: &[PathBuf]) -> BTreeMap<String, PathBuf> {
    let Some(folder) = inputs.first().and_then(|input| input.parent()) else { return BTreeMap::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).take(MOST_FILES).collect();
    paths.sort();
    let is_small = |path: &&PathBuf| {
        std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= LARGEST)
    };
    let is_other = |path: &&PathBuf| inputs.iter().all(|input| input.file_name() != path.file_name());
    let mut found = BTreeMap::new();
    for path in paths.iter().filter(is_small).filter(is_other) {
        let is_object = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obj"));
        if !is_object && !is_source(path) {
            continue;
        }
        let Ok(bytes) = files::read(path) else { continue };
        let names = if is_object { of_object(&bytes) } else { of_source(&bytes) };
        for name in names {
            found.entry(name.to_ascii_uppercase()).or_insert_with(|| path.clone());
        }
    }
    found
}

fn of_object(bytes: &[u8]) -> Vec<String> {
    let module = omf::parse(bytes, 0, "").map(|(module, _)| module);
    let publics = module.map(|module| module.publics).unwrap_or_default();
    publics.into_iter().filter(|public| !public.local).map(|public| public.name).collect()
}

fn of_source(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut names = Vec::new();
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default().trim();
        let Some((verb, list)) = code.split_once(char::is_whitespace) else { continue };
        if verb.eq_ignore_ascii_case("public") || verb.eq_ignore_ascii_case("global") {
            names.extend(list.split(',').map(|name| name.trim().to_owned()));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnostic;

    #[test]
    fn an_undefined_name_leads_to_the_file_that_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("main.asm"), "extrn go:near\npublic go\n").expect("a file");
        std::fs::write(path("other.asm"), "  public first, GO ; both\n").expect("a file");
        let messages = [Some("go"), Some("gone"), None].map(|undefined| Diagnostic {
            undefined: undefined.map(Into::into),
            ..Diagnostic::error("main.asm", "undefined symbol go")
        });
        let messages = messages.to_vec();
        let ToolError::Rejected(messages) = advised(ToolError::Rejected(messages), &[path("main.asm")])
        else {
            panic!("another error");
        };
        let helps: Vec<Option<&str>> = messages.iter().map(|message| message.help.as_deref()).collect();
        let expected = "other.asm beside it defines it; name both: main.asm+other.asm";
        assert_eq!(helps, [Some(expected), None, None]);
    }
}
