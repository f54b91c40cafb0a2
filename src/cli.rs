//! The command line: parses it, runs the command, and converts the result to an exit code.

mod arena;
mod arguments;
mod bench;
mod build;
mod chip;
mod claims;
pub(crate) mod debug;
mod disks;
mod evidence;
mod excerpt;
mod explain;
mod explore;
mod failure;
mod file_alone;
mod guest;
mod launch;
mod list;
mod merge;
mod model;
mod needs;
mod new;
mod outputs;
mod packaging;
mod pages;
mod paragraph;
mod part_file;
mod play;
mod program;
mod publish;
mod referee;
mod relatives;
mod report;
mod run;
mod same;
mod sarif;
pub(crate) mod sandbox;
mod symbols;
mod test;
mod trial;
mod tune;
mod verify;
mod walk_options;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use arguments::{Arguments, Command, FrontOptions};
use clap::Parser;
use failure::Failure;

use crate::frontend::{signals, visible};

pub(crate) fn run() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let parsed = Arguments::try_parse_from(&words).or_else(|answer| {
        file_alone::with_command(words, &answer).map_or(Err(answer), Arguments::try_parse_from)
    });
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(answer) => return answer_of_clap(&answer),
    };
    start_log(arguments.verbose);
    signals::prepare();
    match in_order(|| dispatch(arguments)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            match &failure {
                Failure::BrokenPipe => {}
                // Each line already contains file and line.
                Failure::Build(_) | Failure::Suite(_) => say_plain(&failure),
                _ => say(&failure),
            }
            ExitCode::from(failure.code())
        }
    }
}

/// Runs a command to its end. A panic becomes a failure; the command's resources are released.
fn in_order(command: impl FnOnce() -> Result<u8, Failure>) -> Result<u8, Failure> {
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(command));
    ended.unwrap_or_else(|_| {
        Err(Failure::Host("this is a mistake in oxbox; please report the lines above".to_owned()))
    })
}

/// Prints help and version to stdout unchanged; a mistake becomes one line on stderr.
fn answer_of_clap(answer: &clap::Error) -> ExitCode {
    if !answer.use_stderr() {
        let _ = answer.print();
        return ExitCode::SUCCESS;
    }
    let text = answer.to_string();
    let words: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let message = words.join(" ");
    let advice = file_alone::advice(answer).unwrap_or_else(|| "see 'oxbox --help'".to_owned());
    say(format!("{} ({advice})", message.trim_start_matches("error: ")));
    ExitCode::from(2)
}

/// Prints a line on stderr. A closed stderr is not an error.
fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "oxbox: {}", visible(&line.to_string()));
}

/// Prints a tool's line on stderr unchanged.
fn say_plain(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{}", visible(&line.to_string()));
}

/// Starts logging: warnings by default, more with -v, by module with RUST_LOG.
fn start_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "oxbox=info,warn",
        2 => "oxbox=debug,warn",
        _ => "trace",
    };
    let environment = env_logger::Env::default().default_filter_or(level);
    let _ = env_logger::Builder::from_env(environment)
        .format(|out, record| writeln!(out, "oxbox: {}", visible(&record.args().to_string())))
        .try_init();
}

fn dispatch(arguments: Arguments) -> Result<u8, Failure> {
    let is_for_launcher = arguments.front != FrontOptions::default() || arguments.folder.is_some();
    if arguments.command.is_some() && is_for_launcher {
        let advice = "--window, --terminal, --headless, --mute and --scale follow the command; --folder is the launcher's";
        return Err(Failure::Usage(advice.to_owned()));
    }
    if !arguments.command.as_ref().is_some_and(waits_for_signals_later) {
        signals::start();
    }
    match arguments.command {
        None => launch::run(&arguments.front, arguments.folder.as_deref()),
        Some(Command::List(options)) => list::run(&options),
        Some(Command::Play(options)) => play::run(&options),
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::New(options)) => new::run(&options),
        Some(Command::Shell(options)) => run::shell(&options),
        Some(Command::Build(options)) => build::run(&options),
        Some(Command::Verify(options)) => verify::run(&options),
        Some(Command::Explore(options)) => explore::run(&options),
        Some(Command::Same(options)) => same::run(&options),
        Some(Command::Referee(options)) => referee::run(&options),
        Some(Command::Merge(options)) => merge::run(&options),
        Some(Command::Debug(options)) => debug::run(&options),
        Some(Command::Dap) => debug::dap(),
        Some(Command::Test(options)) => test::run(&options),
        Some(Command::Tune(options)) => tune::run(&options),
        Some(Command::Arena(options)) => arena::run(&options),
        Some(Command::Publish(options)) => publish::run(&options),
        Some(Command::Claims(options)) => claims::run(&options),
        Some(Command::Model(options)) => model::run(&options),
        Some(Command::Relatives(options)) => relatives::run(&options),
        Some(Command::Bench(options)) => bench::run(&options),
        Some(Command::Chip(command)) => chip::run(&command),
        Some(Command::Explain(options)) => explain::run(&options),
        Some(Command::Completions { shell }) => packaging::completions(shell),
        Some(Command::Man(options)) => packaging::manual(&options),
        Some(Command::Help { topic }) => packaging::help(&topic),
    }
}

/// Returns whether a command starts the thread that waits for signals only when it has confined itself, so that the
/// thread need not confine itself: it has nothing to remove or to store before.
fn waits_for_signals_later(command: &Command) -> bool {
    match command {
        Command::Run(options) => {
            outputs::has_none(&options.guest) && options.gdb.is_none() && options.who.is_none()
        }
        Command::Play(options) => outputs::has_none(&options.guest),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_of_the_host() {
        let failure = in_order(|| std::panic::resume_unwind(Box::new("a mistake"))).unwrap_err();
        assert_eq!(failure.code(), 125, "{failure}");
        assert!(matches!(in_order(|| Ok(7)), Ok(7)));
    }
}
