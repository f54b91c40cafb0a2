//! The command `oxbox`.

#[cfg_attr(not(all(feature = "window", feature = "terminal")), allow(dead_code))]
mod frontend;
mod debug;
// In a build without screen, window or terminal, much of a session is unused.
mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
