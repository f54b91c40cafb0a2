//! `oxbox completions` and `oxbox man`: what packagers install, made from the arguments themselves.

use std::io::Write;

use clap::CommandFactory;

use super::arguments::Arguments;
use super::failure::Failure;

/// Writes a completion script to stdout.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "oxbox", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(0)
}

/// Writes the manual page, the subcommands' pages after it, to stdout.
pub(super) fn manual() -> Result<u8, Failure> {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for part in command.get_subcommands().filter(|part| !part.is_hide_set() && part.get_name() != "help") {
        let man = clap_mangen::Man::new(part.clone().display_name(format!("oxbox {}", part.get_name())));
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    std::io::stdout().lock().write_all(&page)?;
    Ok(0)
}
