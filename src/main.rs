//! The command `oxbox`.

mod cli;
mod debug;
// Without a screen, a window or a terminal, much of a session goes unused.
#[cfg_attr(not(all(feature = "window", feature = "terminal")), allow(dead_code))]
mod frontend;

fn main() -> std::process::ExitCode {
    cli::run()
}
