//! `oxbox completions`, `oxbox man` and `oxbox help`: descriptions of the commands, generated from
//! the arguments.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::{Command, CommandFactory};
use oxbox::inspect::expression::Expression;
use oxbox::machine::Script;

use super::arguments::{Arguments, Man};
use super::failure::Failure;
use super::outputs;

pub(super) fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "oxbox", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(0)
}

/// Writes a manual page to stdout, or one page per command into a folder.
pub(super) fn manual(options: &Man) -> Result<u8, Failure> {
    let mut whole = Arguments::command();
    whole.build();
    if let Some(folder) = &options.out {
        fs::create_dir_all(folder).map_err(|error| Failure::unwritten(folder, error))?;
        every_page(&whole, "oxbox", folder)?;
        return Ok(0);
    }
    let (command, name) = find(&whole, &options.command)?;
    std::io::stdout().lock().write_all(&page(command, &name)?)?;
    Ok(0)
}

/// Prints the `--help` of a command, or the description of a format.
pub(super) fn help(topic: &[String]) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let format = match topic {
        [name] if name == "script" => Some(("The script format, for --script and --record", Script::FORMAT)),
        [name] if name == "expressions" => {
            Some(("Expressions, for conditions of every kind", Expression::GRAMMAR))
        }
        _ => None,
    };
    if let Some((title, format)) = format {
        write!(out, "{title}:\n\n{format}")?;
        return Ok(0);
    }
    let mut whole = Arguments::command();
    whole.build();
    let (command, _) = find(&whole, topic)?;
    let text = command.clone().render_long_help();
    write!(out, "{text}")?;
    Ok(0)
}

/// Returns the command with these words, and the name of its page.
fn find<'a>(whole: &'a Command, words: &[String]) -> Result<(&'a Command, String), Failure> {
    let (mut command, mut name) = (whole, "oxbox".to_owned());
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| {
            Failure::Usage(format!("unknown command '{}' (see 'oxbox --help')", words.join(" ")))
        })?;
        name = format!("{name}-{word}");
    }
    Ok((command, name))
}

fn page(command: &Command, name: &str) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name).render(&mut page)?;
    Ok(page)
}

fn every_page(command: &Command, name: &str, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.1"));
    outputs::write(&path, page(command, name)?)?;
    let parts = command.get_subcommands().filter(|part| !part.is_hide_set() && part.get_name() != "help");
    for part in parts {
        every_page(part, &format!("{name}-{}", part.get_name()), folder)?;
    }
    Ok(())
}
