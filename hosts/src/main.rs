//! Prints the results of this host: `oxbox-hosts runs` or `oxbox-hosts verify`.

fn main() -> std::process::ExitCode {
    let text = match std::env::args().nth(1).as_deref() {
        Some("runs") => oxbox_hosts::runs(),
        Some("verify") => oxbox_hosts::verify(),
        _ => {
            eprintln!("usage: oxbox-hosts runs|verify");
            return std::process::ExitCode::from(2);
        }
    };
    print!("{text}");
    std::process::ExitCode::SUCCESS
}
