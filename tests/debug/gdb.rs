//! gdb itself, run with commands as typed by a user.

use super::{game, oxbox, source};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Returns gdb's output for these commands.
fn gdb(program: &OsStr, keys: &str, commands: &[&str]) -> String {
    let mut guest = oxbox()
        .arg("run")
        .arg(program)
        .args(["--keys", keys, "--gdb", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(guest.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit(' ').next().unwrap().to_owned();
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", "set confirm off", "-ex", "set architecture i8086"]);
    gdb.args(["-ex", &format!("target remote {address}")]);
    for command in commands {
        gdb.args(["-ex", command]);
    }
    let output = gdb.stdin(Stdio::null()).output().unwrap();
    let _ = guest.kill();
    let _ = guest.wait();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn is_there() -> bool {
    Command::new("gdb").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[test]
#[ignore = "wants gdb, which .ci/run installs: cargo test --test command -- --ignored gdb"]
fn gdb_runs_a_program_in_both_directions() {
    assert!(is_there(), "gdb is not installed");
    let said = gdb(
        source().as_os_str(),
        "x",
        &[
            "x/2i $pc",
            "stepi",
            "stepi",
            "print/x $ax",
            "reverse-stepi",
            "x/i $pc",
            "watch *(short*)0x64ca",
            "continue",
            "print/x $ax",
            "x/i $pc",
            "continue",
            "monitor screen",
            "monitor who 0,5",
            "reverse-continue",
            "x/i $pc",
            "monitor frob",
        ],
    );
    for expected in [
        "mov    %ax,%ds",
        "Hardware watchpoint",
        "New value = 15",
        "$2 = 0xf",
        "Sum: 15",
        "sum.asm:31",
        "New value = 0",
        "keys SP 5 ENTER",
    ] {
        assert!(said.contains(expected), "{expected}:\n{said}");
    }
}

#[test]
#[ignore = "wants gdb, which .ci/run installs: cargo test --test command -- --ignored gdb"]
fn gdb_goes_through_the_2007_game_in_both_directions() {
    assert!(is_there(), "gdb is not installed");
    let said = gdb(
        OsStr::new(&game()),
        "SP 5 1 7 3",
        &[
            "x/3i $pc",
            "stepi",
            "stepi",
            "stepi",
            "x/i $pc",
            "reverse-stepi",
            "reverse-stepi",
            "print/x $ax",
            // Until the game asks whether to play again.
            "continue",
            "monitor when",
            "monitor who pixel 160,100",
            "reverse-continue",
            "print/x $pc",
            "continue",
            "monitor when",
        ],
    );
    for expected in [
        "mov    $0x6d4,%ax",
        "call   0x68e4",
        "mov    $0x12,%ax",
        "$1 = 0x6d4",
        "SIGTTIN",
        "pixel 160,100: vga.asm:186",
        "$2 = 0x6480",
    ] {
        assert!(said.contains(expected), "{expected}:\n{said}");
    }
    let ends: Vec<&str> = said.lines().filter(|line| line.starts_with("instruction ")).collect();
    assert!(ends.len() == 2 && ends[0] == ends[1], "the same end a second time: {ends:?}");
}
