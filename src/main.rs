//! The command `oxbox`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
