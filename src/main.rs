//! The command `oxbox`.

#[cfg_attr(not(all(feature = "window", feature = "terminal")), allow(dead_code))]
mod frontend;
mod debug;
// Without a screen, a window or a terminal, much of a session goes unused.
mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
