//! `oxbox new`: writes a source that runs, with a test suite and a launch file for the editor.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::arguments::{Kind, New};
use super::failure::Failure;

/// The launch file of Visual Studio Code, for the extension in `editors/vscode`.
const LAUNCH: &str = r#"{
  "version": "0.2.0",
  "configurations": [
    {
      "type": "oxbox",
      "request": "launch",
      "name": "Debug {name}",
      "program": "${workspaceFolder}/{name}.asm",
      "stopOnEntry": true
    }
  ]
}
"#;

/// Returns the name, source and suite of a kind. `{name}` is replaced by the program's name.
fn texts(kind: Kind) -> (&'static str, &'static str, &'static str) {
    macro_rules! texts {
        ($name:literal) => {
            (
                $name,
                include_str!(concat!("../../asm/new/", $name, ".asm")),
                include_str!(concat!("../../asm/new/", $name, ".toml")),
            )
        };
    }
    match kind {
        Kind::Hello => texts!("hello"),
        Kind::Com => texts!("com"),
        Kind::Exe => texts!("exe"),
        Kind::Boot => texts!("boot"),
        Kind::Tsr => texts!("tsr"),
        Kind::Nasm => texts!("nasm"),
        Kind::Game => texts!("game"),
    }
}

/// Writes the files and prints how to use them.
pub(super) fn run(options: &New) -> Result<u8, Failure> {
    let (kind, source, suite) = texts(options.kind);
    let folder = options.name.clone().unwrap_or_else(|| PathBuf::from(kind));
    let name = name_of(&folder)?;
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let files =
        [(file("asm"), source), (file("toml"), suite), (folder.join(".vscode").join("launch.json"), LAUNCH)];
    if let Some((there, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Failure::Usage(format!("{} already exists; nothing was written", there.display())));
    }
    for (path, text) in &files {
        write(path, &text.replace("{name}", name)).map_err(|error| Failure::unwritten(path, error))?;
    }
    let (source, suite) = (files[0].0.display(), files[1].0.display());
    let mut out = std::io::stdout().lock();
    for (path, _) in &files {
        writeln!(out, "{}", path.display())?;
    }
    writeln!(out, "\nRun it:    oxbox run {source}")?;
    writeln!(out, "Step it:   oxbox debug {source}")?;
    writeln!(out, "Test it:   oxbox test {suite}")?;
    Ok(0)
}

/// Returns the program's name: the last part of the folder's path. Sources, suites and launch files
/// contain it unchanged.
fn name_of(folder: &Path) -> Result<&str, Failure> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    if name.is_empty() || name.len() > 8 || !is_plain {
        let form = "1 to 8 letters, digits, '-' and '_', as DOS has them";
        return Err(Failure::Usage(format!("'{}' cannot name a program: use {form}", folder.display())));
    }
    Ok(name)
}

/// Writes a file that does not exist yet.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let parent = path.parent().ok_or(ErrorKind::InvalidInput)?;
    fs::create_dir_all(parent)?;
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
