//! `oxbox explain`: explains a message of the assembler, with an example.

use std::io::Write;

use oxbox::toolchain::messages::{self, MESSAGES};

use super::arguments::Explain;
use super::failure::Failure;

/// Prints the meaning of a message, or the list of explained messages.
pub(super) fn run(options: &Explain) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let Some(code) = &options.code else {
        for message in MESSAGES {
            writeln!(out, "A{}  {}", message.code, message.says.replace("{}", "NAME"))?;
        }
        return Ok(0);
    };
    let message = messages::explain(code).ok_or_else(|| {
        Failure::Usage(format!("unknown message {code}; 'oxbox explain' lists all messages"))
    })?;
    let masm = if message.masm == 0 { String::new() } else { format!(" (MASM: A{})", message.masm) };
    writeln!(out, "A{}{masm}: {}", message.code, message.says.replace("{}", "NAME"))?;
    writeln!(out, "\n{}\n\nWhat to write: {}.", message.why, message.help.replace("{}", "NAME"))?;
    let (wrong, right) = (indented(message.wrong), indented(message.right));
    writeln!(out, "\nWrong:\n\n{wrong}\n\nRight:\n\n{right}")?;
    Ok(0)
}

fn indented(lines: &str) -> String {
    let lines: Vec<String> = lines.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
