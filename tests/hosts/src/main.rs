//! The report of a host that has files: `oxbox-hosts PROGRAM...`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    for path in std::env::args_os().skip(1) {
        let path = Path::new(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        print!("{}", oxbox_hosts::lines(&name, &std::fs::read(path)?));
    }
    print!("{}", oxbox_hosts::all_games());
    Ok(())
}
