//! File names that every system can check out.

use std::path::Path;
use std::process::Command;

/// Names of devices in Windows, with any extension and in any case.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Characters that Windows does not allow in names.
const FORBIDDEN: [char; 8] = ['<', '>', ':', '"', '\\', '|', '?', '*'];

#[test]
fn windows_checks_out_every_file() {
    let listed = Command::new("git").args(["ls-files", "-z"]).output();
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else {
        println!("not in a git checkout: there are no names to look at");
        return;
    };
    let names = String::from_utf8(listed.stdout).expect("names in UTF-8");
    let names: Vec<&str> = names.split_terminator('\0').collect();
    assert!(names.len() > 500, "{} files", names.len());
    let bad: Vec<&&str> = names.iter().filter(|name| name.split('/').any(is_bad)).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    // Two names that differ only by case are one file there.
    let mut folded: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    folded.sort();
    folded.dedup();
    assert_eq!(folded.len(), names.len(), "names that differ in case alone");
}

fn is_bad(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_lowercase();
    DEVICES.contains(&stem.as_str())
        || part.ends_with(['.', ' '])
        || part.contains(FORBIDDEN)
        || Path::new(part).as_os_str().len() > 200
}
