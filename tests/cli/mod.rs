//! The command line as used by scripts: exit codes, one line on stderr, and the content of stdout.
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use tempfile::TempDir;

/// Returns the binary without a display, in its own folder.
fn command(folder: &TempDir) -> std::process::Command {
    let mut command = std::process::Command::new(cargo_bin("oxbox"));
    command
        .current_dir(folder.path())
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("RUST_LOG")
        .env("NO_COLOR", "1");
    command
}

/// Runs the binary without a display or a terminal.
fn oxbox(folder: &TempDir, arguments: &[&str]) -> std::process::Output {
    Command::from_std(command(folder)).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Prints "hi" through DOS and ends with code 7.
const HI: &[u8] = b"\xB4\x09\xBA\x0C\x01\xCD\x21\xB8\x07\x4C\xCD\x21hi\r\n$";

/// Reads a character with echo and ends with it as its code.
const ASK: &[u8] = b"\xB4\x01\xCD\x21\xB4\x4C\xCD\x21";

/// Waits for a key through the BIOS and ends with it as its code.
const KEY: &[u8] = b"\x30\xE4\xCD\x16\xB4\x4C\xCD\x21";

/// Prints "x" and divides by zero.
const DIVIDE: &[u8] = b"\xB4\x02\xB2\x78\xCD\x21\x31\xC9\xF7\xF1\xC3";

/// Not an instruction.
const UNDEFINED: &[u8] = b"\x90\x0F\xFF\xFF";

/// An instruction of the Pentium.
const CPUID: &[u8] = b"\x0F\xA2\xC3";

/// A jump to itself.
const HANG: &[u8] = b"\xEB\xFE";

/// Waits for a key through the BIOS, and then jumps to itself.
const KEY_HANG: &[u8] = b"\x30\xE4\xCD\x16\xEB\xFE";

/// Draws 65,535 characters in a graphics mode, repeatedly.
const FLOOD: &[u8] = b"\xB8\x13\x00\xCD\x10\xB8\x41\x09\xB9\xFF\xFF\xCD\x10\xEB\xF6";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in [
        ("HI.COM", HI),
        ("ASK.COM", ASK),
        ("KEY.COM", KEY),
        ("HANG.COM", HANG),
        ("KEYHANG.COM", KEY_HANG),
        ("FLOOD.COM", FLOOD),
        ("DIVIDE.COM", DIVIDE),
        ("UNDEFINED.COM", UNDEFINED),
        ("CPUID.COM", CPUID),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    fs::write(folder.path().join("CUT.EXE"), b"MZ\x00").unwrap();
    fs::write(folder.path().join("EMPTY.COM"), b"").unwrap();
    // A sparse file: none of its bytes is on the disk.
    fs::File::create(folder.path().join("VAST.COM")).unwrap().set_len(3 << 30).unwrap();
    fs::write(folder.path().join("LARGE.COM"), vec![0x90; 70_000]).unwrap();
    fs::write(folder.path().join("bad.script"), "key SP\njump 5\n").unwrap();
    fs::write(folder.path().join("wrong.script"), "expect \"ho\"\n").unwrap();
    fs::write(folder.path().join("shot.script"), "expect hi\nshot no/such.png\n").unwrap();
    fs::write(folder.path().join("text.script"), "text no/such.txt\n").unwrap();
    fs::write(folder.path().join("latin1.script"), b"key SP\n# caf\xE9\n").unwrap();
    fs::write(folder.path().join("bad.asm"), "\tmov ax, nowhere\n\tend\n").unwrap();
    fs::File::create(folder.path().join("VAST.ASM")).unwrap().set_len(3 << 30).unwrap();
    fs::write(folder.path().join("over.script"), "text HI.COM\n").unwrap();
    fs::write(folder.path().join("out.script"), "text ../x.txt\n").unwrap();
    fs::write(folder.path().join("right.script"), "expect \"hi\"\n").unwrap();
    // INT 19h in a boot sector, which is recognised by its length and its mark; and images that are
    // not boot sectors.
    let boot = [&b"\xCD\x19"[..], &[0; 508], b"\x55\xAA"].concat();
    for (name, bytes) in [("boot.bin", boot), ("odd.img", vec![1; 1000]), ("blank.img", vec![0; 360 << 10])] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

#[test]
fn mistakes_are_one_line_and_a_code() {
    let folder = folder();
    let table: &[(&str, i32, &str)] = &[
        ("frobnicate", 2, "unrecognized subcommand 'frobnicate'"),
        ("play", 2, "<GAME>"),
        ("play chess", 2, "unknown game 'chess'"),
        ("play ttt1 --keys FOO", 2, "unknown key 'FOO'"),
        ("play ttt1 --script bad.script", 2, "bad.script: line 2: unknown step 'jump'"),
        ("play ttt1 --script latin1.script", 2, "latin1.script: line 2: it is not UTF-8"),
        ("run HI.COM --script shot.script", 125, "HI.COM: script line 2: cannot write no/such.png: "),
        ("run HI.COM --script text.script", 125, "HI.COM: script line 1: cannot write no/such.txt: "),
        ("play ttt1 --script none.script", 125, "cannot read the script none.script"),
        ("play ttt1 --terminal --window", 2, "cannot be used with"),
        ("--terminal play ttt1", 2, "follow the command"),
        ("run NONE.EXE", 125, "cannot read NONE.EXE"),
        ("run CUT.EXE --headless", 125, "cannot load CUT.EXE"),
        ("run EMPTY.COM --headless", 125, "cannot load EMPTY.COM"),
        ("run VAST.COM", 125, "VAST.COM is too large for a DOS program: 3221225472 bytes"),
        ("run .", 125, "it is not a file"),
        ("verify oxo --program VAST.COM", 125, "VAST.COM is too large for a DOS program"),
        ("verify oxo --program CUT.EXE", 125, "cannot verify CUT.EXE: "),
        ("build VAST.ASM", 125, "VAST.ASM: it is too large"),
        ("run VAST.ASM", 125, "VAST.ASM: it is too large"),
        ("run LARGE.COM --headless", 125, "cannot load LARGE.COM"),
        ("run HI.COM --dir nowhere", 125, "nowhere"),
        ("run HI.COM --speed 0", 2, "--speed"),
        ("run KEY.COM --headless", 123, "KEY.COM is waiting for a key at "),
        ("run HANG.COM --time-limit 50", 124, ":0100: the time limit was reached"),
        ("run KEYHANG.COM --keys a", 124, ":0104: the limit of time after the last key (10 minutes; "),
        ("run KEYHANG.COM --keys a --instruction-limit 50", 124, "the instruction limit was reached"),
        ("run DIVIDE.COM", 122, "DIVIDE.COM crashed: divide error (INT 00h) at "),
        ("run DIVIDE.COM --headless", 122, ":0108: CX is 0: DIV divides by zero"),
        (
            "run CPUID.COM --headless --cpu 386",
            122,
            "CPUID.COM: missing: CPUID (an instruction of the Pentium: --cpu 586), first executed at ",
        ),
        ("run UNDEFINED.COM --headless", 122, "UNDEFINED.COM crashed: invalid opcode (INT 06h) at "),
        (
            "run HI.COM --script over.script",
            125,
            "script line 1: HI.COM is an input, and must not be overwritten",
        ),
        (
            "run HI.COM --script out.script",
            125,
            "../x.txt is outside .: a script writes only below its folder, or below --out",
        ),
        ("run HI.COM --script right.script --out none", 2, "--out: none is not a folder"),
        ("play ttt1 --script right.script --record right.script", 2, "right.script is an input"),
        ("run HANG.COM --instruction-limit 5000", 124, "the instruction limit was reached"),
        ("run FLOOD.COM --instruction-limit 5000", 124, "the limit of work of BIOS and DOS"),
        ("run FLOOD.COM --time-limit 10", 124, "the limit of work of BIOS and DOS"),
        ("run HI.COM --script wrong.script", 1, "script line 1: \"ho\""),
        ("run HI.COM --headless --shot no/such/folder.png", 125, "cannot write no/such/folder.png"),
        ("run HI.COM --wav no/such/folder.wav", 125, "cannot write no/such/folder.wav"),
        ("verify chess", 2, "unknown game 'chess'"),
        ("verify ttt1 oxo --program HI.COM", 2, "name only one"),
        ("verify ttt1 --program NONE.EXE", 125, "cannot read NONE.EXE"),
        ("tune ttt1 castle", 2, "ttt1 has no sounds"),
        ("tune eecs2100 polka", 2, "eecs2100 has no sound 'polka'"),
        ("chip trace --keys x9", 2, "cannot parse 'x9'"),
        ("claims oxo-nothing", 2, "unknown claim 'oxo-nothing'; the claims are ttt1-occupied, "),
        ("model chess", 2, "invalid value 'chess'"),
        ("model ttt1 --grid 000000000000000000", 2, "--grid is for the model grid18"),
        ("model grid18 --grid 2", 2, "'2' is not a grid; give 18 bits"),
        ("model oxo --keys 9", 2, "'9'; the keys are 1 to 8"),
        ("run odd.img", 125, "the image odd.img cannot be used: it has 1000 bytes, and a floppy has 512 to"),
        ("run blank.img", 125, "cannot start blank.img: its first sector is empty"),
        ("run boot.bin x", 2, "boot.bin is a disk: it takes no arguments"),
        ("run boot.bin --headless", 125, "the program reboots the machine at 0000:7C02"),
        ("run HI.COM --floppy none.img", 125, "the image none.img cannot be used: "),
        (
            "run HI.COM --disk odd.img",
            125,
            "the image odd.img cannot be used: it has 1000 bytes, and a hard disk",
        ),
        ("run boot.bin --floppy boot.bin", 2, "--floppy: one image cannot be in two drives"),
        ("run boot.bin --floppy blank.img --floppy blank.img", 2, "--floppy: there are only 2 drives"),
        ("run HI.COM --floppy blank.img --shot blank.img", 2, "blank.img is an input"),
        ("run HI.COM --drive C=.", 2, "a drive is LETTER=FOLDER, with the letter A, B or D to Y"),
        (
            "run HI.COM --drive B=. --floppy blank.img --floppy boot.bin",
            2,
            "--drive B: a floppy image is in that drive",
        ),
        ("run HI.COM --clock noon", 2, "cannot parse 'noon' as a date and time of 1980 to 2099"),
        ("run HI.COM --clock 1990-02-29", 2, "cannot parse '1990-02-29'"),
        ("explore HI.COM --choices a --cpu auto", 2, "--cpu auto: a search needs a fixed processor"),
        ("run HI.COM --drive D", 2, "a drive is LETTER=FOLDER"),
        ("run HI.COM --drive d:=. --drive D=.", 2, "--drive: D: is given twice"),
        ("run HI.COM --drive E=nowhere", 125, "nowhere"),
        ("build NONE.ASM", 125, "NONE.ASM"),
        ("completions tcsh", 2, "tcsh"),
    ];
    for (line, code, message) in table {
        let output = oxbox(&folder, &line.split(' ').collect::<Vec<_>>());
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{line}: {stderr}");
        assert!(stderr.contains(message), "{line}: {stderr}");
        assert!(stderr.starts_with("oxbox: "), "{line}: {stderr}");
        let first = stderr.lines().next().unwrap_or_default();
        // The reason for a crash or hang follows on further lines.
        let explained = matches!(code, 122 | 124)
            || line.contains("wrong.script")
            || line.contains("boot.bin --headless");
        let rest: Vec<&str> = stderr.lines().skip(1).filter(|_| !explained).collect();
        assert!(rest.is_empty() && !first.contains("panicked"), "{line}: {stderr}");
    }
}

#[test]
fn a_run_that_is_cut_short_keeps_what_it_wrote() {
    let folder = folder();
    // Creates F, writes "hi" and waits for a key with the file open.
    let program = b"\xB4\x3C\x31\xC9\xBA\x19\x01\xCD\x21\x93\xB4\x40\xB9\x02\x00\xBA\x1B\x01\xCD\x21\xB4\x08\xCD\x21\xC3F\0hi";
    fs::write(folder.path().join("OPEN.COM"), program).unwrap();
    assert_eq!(oxbox(&folder, &["run", "OPEN.COM", "--headless"]).status.code(), Some(123));
    assert_eq!(fs::read(folder.path().join("F")).unwrap(), b"hi");
}

/// Data that the host refuses at the end of a run is reported, whatever the program's own code is.
#[cfg(unix)]
#[test]
fn what_cannot_be_kept_is_told() {
    let folder = folder();
    // Creates F, writes 32 KiB, and ends with code 7 and the file open.
    let program =
        b"\xB4\x3C\x31\xC9\xBA\x17\x01\xCD\x21\x93\xB4\x40\xB9\x00\x80\xCD\x21\xB8\x07\x4C\xCD\x21\xC3F\0";
    fs::write(folder.path().join("FULL.COM"), program).unwrap();
    // A limit on the size of files represents a full disk.
    let oxbox = Command::cargo_bin("oxbox").unwrap();
    let line = format!("trap '' XFSZ; ulimit -f 8; exec {:?} run FULL.COM --headless", oxbox.get_program());
    let output =
        std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("oxbox: FULL.COM: its output is lost: F: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[cfg(feature = "assembler")]
#[test]
fn mistakes_in_a_source_are_told_by_file_and_line() {
    let folder = folder();
    for line in ["build bad.asm", "run bad.asm"] {
        let output = oxbox(&folder, &line.split(' ').collect::<Vec<_>>());
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(126), "{line}: {stderr}");
        assert!(stderr.starts_with("bad.asm:1:"), "{line}: {stderr}");
    }
}

#[test]
fn programs_give_their_output_and_code() {
    let folder = folder();
    // Arguments, stdin, exit code, stdout.
    let table: &[(&str, &str, i32, &str)] = &[
        ("run HI.COM", "", 7, "hi\r\n"),
        ("run HI.COM --headless", "", 7, "hi\n"),
        ("run HI.COM --headless --text -", "", 7, "hi\n"),
        ("run HI.COM --text -", "", 7, "hi\n"),
        ("run HI.COM --script right.script --text -", "", 7, "hi\n"),
        ("run KEY.COM --keys B --text -", "", 66, ""),
        ("run ASK.COM", "A", 65, "A"),
        ("run KEY.COM --keys B", "", 66, ""),
        ("run KEY.COM --keys @20\u{a0}ENTER", "", 13, ""),
        ("run HI.COM --cpu 8086", "", 7, "hi\r\n"),
    ];
    for (line, stdin, code, stdout) in table {
        let arguments: Vec<String> = line.split(' ').map(|word| word.replace('\u{a0}', " ")).collect();
        let output = Command::cargo_bin("oxbox")
            .unwrap()
            .args(&arguments)
            .current_dir(folder.path())
            .write_stdin(*stdin)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(*code), "{line}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), *stdout, "{line}");
    }
}

/// The program requests input repeatedly after its end.
#[test]
fn a_program_that_asks_for_input_that_has_ended_is_stopped() {
    let folder = folder();
    // again: mov ah, 8; int 21h; jmp again
    fs::write(folder.path().join("ASKS.COM"), [0xB4, 0x08, 0xCD, 0x21, 0xEB, 0xFA]).unwrap();
    let mut command = Command::cargo_bin("oxbox").unwrap();
    let command = command.args(["run", "ASKS.COM"]).current_dir(folder.path()).write_stdin("a");
    let output = command.timeout(std::time::Duration::from_secs(300)).output().unwrap();
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(123), "{stderr}");
    assert_eq!(stderr, "oxbox: ASKS.COM is waiting for a key, but standard input has ended\n");
}

#[test]
fn a_run_tells_what_it_was_as_json() {
    let folder = folder();
    let run = || {
        let output = oxbox(&folder, &["run", "HI.COM", "--headless", "--json"]);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let report = run();
    assert_eq!(report["end"], "exited");
    assert_eq!((&report["exit_code"], &report["output"]), (&7.into(), &"hi\r\n".into()));
    assert_eq!(report["screen"][0], "hi");
    assert_eq!(report, run(), "two runs are the same run, state hash and all");
}

/// The end of a run in JSON: `end`, the guest's own code, the offset, the exception.
#[test]
fn json_tells_what_ended_how() {
    let folder = folder();
    let table = [
        ("HI.COM", 7, "exited", Some(7), None, None),
        ("DIVIDE.COM", 122, "crashed", None, Some(0x108), Some(0)),
        ("UNDEFINED.COM", 122, "crashed", None, Some(0x101), Some(6)),
        ("KEY.COM", 123, "waiting", None, Some(0x102), None),
        ("HANG.COM --time-limit 50", 124, "limit", None, Some(0x100), None),
        ("HANG.COM --instruction-limit 50", 124, "limit", None, Some(0x100), None),
        ("HI.COM --script wrong.script", 1, "failed", None, None, None),
        ("NONE.COM", 125, "failed", None, None, None),
    ];
    for (line, code, end, exit_code, ip, exception) in table {
        let arguments: Vec<&str> = ["run", "--json"].into_iter().chain(line.split(' ')).collect();
        let output = oxbox(&folder, &arguments);
        assert_eq!(output.status.code(), Some(code), "{line}: {}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let number = |value: &serde_json::Value| value.as_u64();
        assert_eq!(report["end"], end, "{line}");
        assert_eq!(number(&report["exit_code"]), exit_code, "{line}");
        if end != "failed" {
            assert_eq!(number(&report["at"]["ip"]), ip, "{line}");
            assert!(report["registers"]["eax"].is_u64() && report["state_hash"].is_string(), "{line}");
        }
        assert_eq!(number(&report["crash"]["exception"]), exception, "{line}");
        assert_eq!(report["crash"]["hint"].is_string(), exception.is_some(), "{line}");
    }
    let registers = oxbox(&folder, &["run", "DIVIDE.COM", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&registers.stdout).unwrap();
    let registers = ["ecx", "esp", "eip"].map(|name| report["registers"][name].as_u64().unwrap());
    assert_eq!(registers, [0, 0xFFFE, 0x108], "as they were at the division");
    assert!(report["output"].as_str().unwrap().starts_with("x\r\nDivide overflow"), "{}", report["output"]);
}

#[cfg(feature = "assembler")]
#[test]
fn a_crash_and_a_mistake_are_told_by_source_line() {
    let folder = folder();
    let source =
        ".model tiny\n.code\norg 100h\nstart:\n xor cx, cx\nhalve:\n nop\n div cx\n ret\nend start\n";
    fs::write(folder.path().join("halve.asm"), source).unwrap();
    let output = oxbox(&folder, &["run", "halve.asm", "--json"]);
    assert_eq!(output.status.code(), Some(122));
    let stderr = text(&output.stderr);
    assert!(
        stderr.contains("halve.asm crashed: divide error") && stderr.contains(", halve.asm:8: "),
        "{stderr}"
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let at = &report["at"];
    assert_eq!((&at["file"], &at["line"]), (&"halve.asm".into(), &8.into()));
    assert_eq!(at["symbol"].as_str().map(str::to_ascii_lowercase).as_deref(), Some("halve+1"));

    let output = oxbox(&folder, &["run", "bad.asm", "--json"]);
    assert_eq!(output.status.code(), Some(126));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["end"], "failed");
    let error = &report["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&"bad.asm".into(), &1.into()));
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
}

#[test]
fn scripts_write_below_their_folder_or_another() {
    let folder = folder();
    for name in ["scripts", "shots"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("scripts/a.script"), "expect hi\ntext \" a.txt\"\n").unwrap();
    let run = ["run", "HI.COM", "--script", "scripts/a.script", "--text", "end.txt"];
    for (arguments, written) in [(&[][..], "scripts/ a.txt"), (&["--out", "shots"], "shots/ a.txt")] {
        let output = oxbox(&folder, &[&run[..], arguments].concat());
        assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
        assert_eq!(fs::read_to_string(folder.path().join(written)).unwrap(), "hi\n");
    }
}

#[test]
fn calls_are_told_by_name() {
    let folder = folder();
    for (arguments, lines) in [
        (
            "run -v --headless HI.COM",
            "0638:0105  INT 21h/09h write string \"hi\\r\\n\"|0638:010A  INT 21h/4Ch terminate with return code 7",
        ),
        (
            "run -v --keys A KEY.COM",
            "0638:0102  INT 16h/00h get keystroke -> 'A' scan code 1Eh|0638:0106  INT 21h/4Ch terminate with return code 65",
        ),
        ("run --headless HI.COM", ""),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let told = text(&oxbox(&folder, &arguments).stderr);
        assert_eq!(told.trim_end().replace('\n', "|"), lines, "{arguments:?}");
    }
}

#[test]
fn the_recording_of_a_run_plays_it_again() {
    let folder = folder();
    let play = |arguments: &[&str]| {
        let output = oxbox(&folder, arguments);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let first = play(&["play", "ttt1", "--keys", "0 2 q", "--record", "game.script", "--json"]);
    assert_eq!(first["end"], "exited");
    let again = play(&["play", "ttt1", "--script", "game.script", "--json"]);
    assert_eq!(first["state_hash"], again["state_hash"]);
}

/// Also if the run ends in the middle of a game, and at another speed.
#[test]
fn a_recording_ends_in_the_same_state() {
    let folder = TempDir::new().unwrap();
    for (game, keys, speed) in [("ttt1", "0 2", "3000"), ("chip", "u 0 8", "3000"), ("oxo", "1 2", "1000")] {
        let hash = |arguments: &[&str]| {
            let arguments = [&["play", game, "--headless", "--json"], arguments].concat();
            let output = text(&oxbox(&folder, &arguments).stdout);
            output.lines().find(|line| line.contains("state_hash")).map(str::to_owned).unwrap()
        };
        let recorded = hash(&["--keys", keys, "--speed", speed, "--record", "keys.script"]);
        assert_eq!(hash(&["--script", "keys.script"]), recorded, "{game}");
    }
}

#[test]
fn no_output_destroys_an_input() {
    let folder = folder();
    let source = ".model tiny\n.code\norg 100h\nstart: ret\nend start\n";
    fs::write(folder.path().join("a.asm"), source).unwrap();
    fs::write(folder.path().join("b.inc"), "seven equ 7\n").unwrap();
    let including = ".model tiny\ninclude B.INC\n.code\norg 100h\nstart: ret\nend start\n";
    fs::write(folder.path().join("c.asm"), including).unwrap();
    let suite = "program = \"HI.COM\"\n[[test]]\nname = \"a\"\nscript = \"a.script\"\n";
    fs::write(folder.path().join("s.toml"), suite).unwrap();
    fs::write(folder.path().join("a.script"), "text a.img\n").unwrap();
    fs::write(folder.path().join("a.img"), [0; 512]).unwrap();
    fs::write(folder.path().join("HI.ASM"), "; hi\n").unwrap();
    let rows: [(&[&str], &str); 14] = [
        (&["run", "HI.COM", "--text", "HI.ASM"], "HI.ASM is an input, and must not be overwritten"),
        (
            &["explore", "c.asm", "--choices", "1", "--shard", "1/2", "--out", "b.inc"],
            "b.inc is an input, and must not be overwritten",
        ),
        (&["test", "s.toml", "--csv", "HI.COM"], "HI.COM is an input, and must not be overwritten"),
        (&["test", "s.toml", "--html", "a.script"], "a.script is an input, and must not be overwritten"),
        (&["build", "c.asm", "-o", "b.inc"], "b.inc is an input, and must not be overwritten"),
        (&["build", "c.asm", "--listing", "b.inc"], "b.inc is an input, and must not be overwritten"),
        (
            &["run", "c.asm", "--headless", "--text", "b.inc"],
            "b.inc is an input, and must not be overwritten",
        ),
        (
            &["explore", "HI.COM", "--choices", "1", "--shard", "1/2", "--out", "HI.COM"],
            "HI.COM is an input, and must not be overwritten",
        ),
        (
            &["same", "ttt1", "HI.COM", "--choices", "1", "--shard", "1/2", "--out", "HI.COM"],
            "HI.COM is an input, and must not be overwritten",
        ),
        (
            &["verify", "oxo", "--program", "HI.COM", "--shard", "1/2", "--out", "HI.COM"],
            "HI.COM is an input, and must not be overwritten",
        ),
        (&["build", "a.asm", "-o", "./a.asm"], "./a.asm is an input, and must not be overwritten"),
        (&["build", "a.asm", "--map", "a.asm"], "a.asm is an input, and must not be overwritten"),
        (&["build", "a.asm", "-o", "b.com", "--map", "b.com"], "b.com is named as an output twice"),
        (
            &["run", "HI.COM", "--headless", "--text", "HI.COM"],
            "HI.COM is an input, and must not be overwritten",
        ),
    ];
    for (arguments, message) in rows {
        let output = oxbox(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stderr), format!("oxbox: {message}\n"));
    }
    let output = oxbox(&folder, &["run", "HI.COM", "--floppy", "a.img", "--script", "a.script"]);
    assert!(text(&output.stderr).contains("a.img is an input, and must not be overwritten"), "{output:?}");
    assert_eq!(fs::read(folder.path().join("a.img")).unwrap(), [0; 512]);
    // The same file under another name.
    fs::hard_link(folder.path().join("a.asm"), folder.path().join("b.asm")).unwrap();
    let output = oxbox(&folder, &["build", "a.asm", "-o", "b.asm"]);
    assert_eq!(text(&output.stderr), "oxbox: b.asm is an input, and must not be overwritten\n");
    assert_eq!(fs::read_to_string(folder.path().join("a.asm")).unwrap(), source);
    assert_eq!(fs::read(folder.path().join("HI.COM")).unwrap(), HI);
}

#[test]
fn pictures_and_sounds_are_files() {
    let folder = folder();
    let arguments = ["play", "eecs2100", "--keys", "SP 5", "--shot", "board.png", "--wav", "board.wav"];
    let output = oxbox(&folder, &arguments);
    assert_eq!(output.status.code(), Some(123), "{}", text(&output.stderr));
    let picture = fs::read(folder.path().join("board.png")).unwrap();
    let size: Vec<u32> =
        [16, 20].map(|at| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap())).to_vec();
    assert_eq!(size, [320, 240]);
    let sound = fs::read(folder.path().join("board.wav")).unwrap();
    assert!(sound.starts_with(b"RIFF") && sound.len() > 48_000, "{} bytes", sound.len());
    assert!(output.stdout.is_empty());
}

#[test]
fn a_run_becomes_a_film() {
    let folder = folder();
    let films = ["--gif", "a.gif", "--cast", "a.cast", "--transcript", "a.txt"];
    let arguments = [&["play", "oxo", "--keys", "1 3"][..], &films].concat();
    let output = oxbox(&folder, &arguments);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(123), ""));
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("a.gif").starts_with(b"GIF89a"));
    let cast = text(&read("a.cast"));
    let lines: Vec<serde_json::Value> =
        cast.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["version"], &lines[0]["width"]), (&2.into(), &80.into()));
    assert!(lines.len() > 3 && lines[1..].is_sorted_by_key(|line| line[0].as_f64()), "{cast}");
    let transcript = text(&read("a.txt"));
    assert!(transcript.starts_with("**** OXO ****\n"), "{transcript}");
    // Recording a run does not change it.
    let hash = |films: &[&str]| {
        let arguments = [&["play", "oxo", "--keys", "1 3", "--json"], films].concat();
        let json: serde_json::Value = serde_json::from_slice(&oxbox(&folder, &arguments).stdout).unwrap();
        json["state_hash"].clone()
    };
    assert_eq!(hash(&films), hash(&[]));
}

#[cfg(unix)]
#[test]
fn a_game_is_played_by_ear() {
    let mut command = Command::cargo_bin("oxbox").unwrap();
    let played = command.args(["play", "oxo", "--transcript", "-"]).write_stdin("1\nnonsense\nq\n").assert();
    let output = played.get_output();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = text(&output.stdout);
    assert!(told.ends_with("\nYOU TAKE 1\nI TAKE  2\n\u{266b} 440 HZ\n"), "{told}");
    assert!(!told.contains(['\u{2588}', '\u{2502}']), "frames and blocks are not for the ear: {told}");
    assert!(text(&output.stderr).contains("nonsense"), "{output:?}");
}

/// The proofs take some time: the test ends the run after the first of them.
#[test]
fn the_launcher_without_any_screen_shows_every_game() {
    let folder = folder();
    let mut child =
        command(&folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut shown = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    while output.read_line(&mut shown).unwrap() > 0 {
        if shown.lines().last().is_some_and(|line| line.starts_with("ttt1 ")) {
            break;
        }
    }
    child.kill().unwrap();
    let said = text(&child.wait_with_output().unwrap().stderr);
    for game in oxbox::games::GAMES {
        assert!(shown.contains(&format!("== {} ({}", game.title, game.author)), "{}: {shown}", game.name);
    }
    for part in ["Your move:", "oxbox play NAME", "divergences"] {
        assert!(shown.contains(part), "{part} is missing in:\n{shown}");
    }
    let row: Vec<&str> = shown.lines().last().unwrap().split_whitespace().collect();
    assert_eq!((&row[..2], row[4]), (&["ttt1", "497"][..], "0"), "{row:?}");
    let notices: Vec<&str> = said.lines().collect();
    assert!(
        notices.len() == 2 && notices[0].contains("no window") && notices[1].contains("no terminal"),
        "{notices:?}"
    );
}

#[test]
fn lists_tables_and_pages_are_printed() {
    let folder = folder();
    for (line, part) in [
        ("list", "ttt1"),
        ("list --json", "\"author\": \"Randall Hyde\""),
        ("arena", "\ngrid18    eecs2100       473      14     125     334\n"),
        ("arena", "\nchip                    1980    1677     303       0\n"),
        ("arena --json", "\"matches\""),
        ("verify ttt1", "497"),
        ("verify ttt1 --json", "\"lines\": 497"),
        ("chip trace --keys 4", "time_ns,resetN"),
        (
            "chip trace --table --keys w",
            "        400       waiting        0      ... ... ...             copyboard prompt\n",
        ),
        ("tune eecs2100", "nbc       oxbox tune eecs2100 nbc, in the game after \"SP 5\"\n"),
        ("tune ttt1", "ttt1 has no sounds\n"),
        ("claims OXO-dual", "\n  6, blocked: 2 open two-in-a-row, X.O/.X./XO.\n"),
        (
            "model course",
            "   177    367    181  rotations outside, first reply by patterns, free in array order, as printed\n",
        ),
        ("model ttt1-mended", "473 lines of play\n    344 won by the computer\n"),
        ("model grid18 --grid 010000000100000001", "eval_grid(1): 0 as documented, 1 as published\n"),
        ("model chip-search", "X../.../...       4        2227        3762       59704    1324\n"),
        ("model eecs2100-corner", "      5 won by the user\n"),
        ("relatives", "achi       eight     wins, turn 11          5720   3535   2185      0"),
        ("completions bash", "_oxbox()"),
        ("completions bash", "ttt1 eecs2100 grid18 oxo chip"),
        ("completions bash", "nbc wah castle move win draw"),
        ("man", ".TH oxbox 1"),
        ("man chip trace", ".TH oxbox-chip-trace 1"),
        ("help script", "expect \"Game Over\""),
        ("help expressions", "vals[si] == 3 && byte ptr [bx+1] > 10h"),
        ("explore --help", "vals[si]"),
        ("debug --help", "expressions"),
        ("help play", "--transcript"),
        ("help", "Exit codes"),
        ("--version", "oxbox "),
        ("run --help", "--instruction-limit"),
    ] {
        let output = oxbox(&folder, &line.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains(part), "{line}");
    }
}

/// Every sound in `list`, by its pitches in Hz: each is recorded without those before it.
#[test]
fn the_sounds_of_the_games() {
    let folder = folder();
    let cases = [
        ("eecs2100", "nbc", "262 440 349"),
        ("eecs2100", "wah", "349 246"),
        ("grid18", "move", "587"),
        ("grid18", "win", "523 659 784"),
        ("grid18", "draw", "392"),
        ("oxo", "move", "440"),
        ("oxo", "win", "330 262 196"),
        ("oxo", "draw", "330"),
        ("chip", "move", "881"),
        ("chip", "win", "440 881 440"),
        ("chip", "draw", "587"),
    ];
    for (game, sound, expected) in cases {
        let output = oxbox(&folder, &["tune", game, sound, "--wav", "SOUND.WAV"]);
        let hertz = |line: &str| line.split_whitespace().nth(2)?.parse::<f64>().ok();
        let heard: Vec<String> =
            text(&output.stdout).lines().filter_map(hertz).map(|hz| hz.round().to_string()).collect();
        assert_eq!(heard.join(" "), expected, "{game} {sound}: {}", text(&output.stderr));
    }
}

/// A program that toggles bit 1 of port 61h 40,000 times per second, for a second and a half.
const FORTY_KHZ: &[u8] = &[
    0xBA, 0x60, 0xEA, // mov dx, 60000
    0xE4, 0x61, // in al, 61h
    0x34, 0x02, // again: xor al, 2
    0xE6, 0x61, // out 61h, al
    0xB9, 0x46, 0x00, // mov cx, 70
    0xE2, 0xFE, // loop $
    0x4A, // dec dx
    0x75, 0xF4, // jnz again
    0xCD, 0x20, // int 20h
];

#[test]
fn no_sound_is_lost_and_files_end_in_silence() {
    let folder = folder();
    fs::write(folder.path().join("FAST.COM"), FORTY_KHZ).unwrap();
    // The raw signal contains 20 kHz; through the loudspeaker only the jitter of the timer's ticks
    // remains.
    for (speaker, least, most) in [("raw", 0.1, 1.0), ("filtered", 0.0, 0.005)] {
        let output =
            oxbox(&folder, &["run", "FAST.COM", "--headless", "--wav", "FAST.WAV", "--speaker", speaker]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let bytes = fs::read(folder.path().join("FAST.WAV")).unwrap();
        let samples: Vec<f64> = bytes[44..]
            .chunks_exact(2)
            .map(|s| f64::from(i16::from_le_bytes([s[0], s[1]])) / 32767.0)
            .collect();
        assert!(samples.len() > 72_000, "{}", samples.len());
        // All of it except the beginning, in which the high-pass filter settles.
        for (number, window) in samples[12_000..72_000].chunks(2400).enumerate() {
            let loud = (window.iter().map(|sample| sample * sample).sum::<f64>() / 2400.0).sqrt();
            assert!((least..most).contains(&loud), "{speaker}: {loud} at {} ms", 250 + number * 50);
        }
        assert_eq!(samples.last(), Some(&0.0), "{speaker}");
    }
}

#[test]
fn what_a_program_puts_on_the_screen_besides_its_output_is_shown() {
    let folder = folder();
    // mov dx, text; mov ah, 9; int 21h; mov ax, 0E42h; int 10h; int 20h
    let program = b"\xBA\x0E\x01\xB4\x09\xCD\x21\xB8\x42\x0E\xCD\x10\xCD\x20out$";
    fs::write(folder.path().join("BOTH.COM"), program).unwrap();
    let output = oxbox(&folder, &["run", "BOTH.COM"]);
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("out".to_owned(), "B\n".to_owned()));
}

/// Every row of `claims` has all its keys.
#[test]
fn claims_as_json() {
    let output = oxbox(&folder(), &["claims", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = json["claims"].as_array().unwrap();
    assert_eq!(rows.len(), 74);
    for row in rows {
        for key in ["name", "system", "claim", "where", "shown", "command", "verdict", "figure"] {
            assert!(row[key].as_str().is_some_and(|text| !text.is_empty()), "{key} of {row}");
        }
        assert!(row["details"].is_array(), "{row}");
    }
}

/// A reader that closes the pipe, as `head` does, causes no message; output files are written.
#[cfg(unix)]
#[test]
fn a_broken_pipe_is_quiet() {
    let program = Command::cargo_bin("oxbox").unwrap();
    let script = format!("{:?} man 2>&1 >&3 3>&- | cat >&2; exit 0", program.get_program());
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("exec 3>/dev/full; {script}")])
        .output()
        .unwrap();
    // /dev/full is not a pipe: the error is one line.
    assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
    let piped = format!("{:?} man | head -c 1 >/dev/null", program.get_program());
    let output = std::process::Command::new("sh").args(["-c", &piped]).output().unwrap();
    assert_eq!(text(&output.stderr), "");
    let folder = folder();
    let tune =
        format!("{:?} tune oxo win --wav t.wav --svg t.svg | head -c 1 >/dev/null", program.get_program());
    let output =
        std::process::Command::new("sh").args(["-c", &tune]).current_dir(folder.path()).output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert!(fs::read(folder.path().join("t.wav")).unwrap().starts_with(b"RIFF"));
    assert_eq!(fs::read_to_string(folder.path().join("t.svg")).unwrap().matches("class=\"note\"").count(), 3);
}

/// `man -o FOLDER` writes one page per command, including subcommands.
#[test]
fn a_manual_page_a_command() {
    let folder = folder();
    let output = oxbox(&folder, &["man", "-o", "man1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for (page, part) in [
        ("oxbox.1", "oxbox\\-play(1)"),
        ("oxbox-verify.1", "\\-\\-html"),
        ("oxbox-chip-trace.1", "\\-\\-vcd"),
    ] {
        let page = fs::read_to_string(folder.path().join("man1").join(page))
            .unwrap_or_else(|e| panic!("{page}: {e}"));
        assert!(page.contains(part), "{part}");
    }
}

/// A program that complains about the machine, and with which option it does not.
#[test]
fn a_program_that_fails_gets_the_option_that_it_needs() {
    let folder = folder();
    let after = "
        mov dx, offset good
        mov ah, 9
        int 21h
        int 20h
 bad:   mov dx, offset complaint
        mov ah, 9
        int 21h
        mov ax, 4C01h
        int 21h
 good db 'Hello$'
 complaint db 'Not enough memory, or no 8086$'
 code ends
 end start";
    // The program's check, the options, and the hint.
    let rows = [
        ("mov ax, ds:[2]\n mov bx, cs\n sub ax, bx\n cmp ax, 1000h\n jl bad", "", "with --memory 512"),
        ("mov ax, 4300h\n int 2Fh\n cmp al, 80h\n je bad", "", "with --no-xms"),
        ("mov ax, 4300h\n int 2Fh\n cmp al, 80h\n jne bad", "--no-xms", "without --no-xms"),
        ("push sp\n pop ax\n cmp ax, sp\n je bad", "", "with --cpu 8086"),
        ("jmp bad", "", ""),
        ("", "", ""),
    ];
    for (check, option, hint) in rows {
        let source = format!("code segment\nassume cs:code, ds:code\norg 100h\nstart:\n{check}\n{after}");
        fs::write(folder.path().join("P.ASM"), source).unwrap();
        let arguments = ["run", "P.ASM", option].into_iter().filter(|word| !word.is_empty());
        let output = oxbox(&folder, &arguments.collect::<Vec<_>>());
        let told = text(&output.stderr);
        let expected =
            if hint.is_empty() { String::new() } else { format!("oxbox: P.ASM: {hint} it does not fail\n") };
        assert_eq!(told, expected, "{check}");
    }
}

#[test]
fn what_is_chosen_for_a_program_is_said_and_recorded() {
    let folder = folder();
    // MOV DX,3D8 / MOV AL,29 / OUT DX,AL / RET; the same with the sequencer's port before.
    fs::write(folder.path().join("CGA.COM"), b"\xBA\xD8\x03\xB0\x29\xEE\xC3").unwrap();
    fs::write(folder.path().join("VGA.COM"), b"\xBA\xC4\x03\xEE\xBA\xD8\x03\xB0\x29\xEE\xC3").unwrap();
    // The options, the code, the only line on stderr, and the settings at the beginning of the
    // recording.
    let clock = "clock 1990-06-15 13:45:10\n";
    let rows = [
        (
            "CPUID.COM --cpu auto",
            0,
            "oxbox: CPUID.COM: auto takes --cpu 586: it executes CPUID at 0638:0100\n",
            format!("{clock}cpu 586\n"),
        ),
        (
            "CPUID.COM --machine ega",
            0,
            "oxbox: CPUID.COM: auto takes --cpu 586: it executes CPUID at 0638:0100\n",
            format!("{clock}cpu 586\nmachine ega\n"),
        ),
        (
            "CGA.COM --machine auto --cpu auto",
            0,
            "oxbox: CGA.COM: auto takes --cpu 386 --machine cga: it programs registers 3D8h and 3D9h of a CGA\n",
            format!("{clock}machine cga\n"),
        ),
        (
            "VGA.COM --machine auto",
            0,
            "oxbox: VGA.COM: auto takes --machine vga: nothing needs a different one\n",
            clock.to_owned(),
        ),
        (
            "CGA.COM",
            0,
            "oxbox: CGA.COM: auto takes --machine cga: it programs registers 3D8h and 3D9h of a CGA\n",
            format!("{clock}machine cga\n"),
        ),
        (
            "CGA.COM --machine vga",
            0,
            "oxbox: CGA.COM: missing: a CGA (ports 3D8h and 3D9h): --machine cga\n",
            clock.to_owned(),
        ),
        (
            "HI.COM --clock 1999-12-31T23:59 --cpu 8086",
            7,
            "",
            "clock 1999-12-31 23:59:00\ncpu 8086\n".to_owned(),
        ),
    ];
    for (line, code, stderr, settings) in rows {
        let mut arguments = vec!["run"];
        arguments.extend(line.split(' '));
        arguments.extend(["--headless", "--record", "r.script"]);
        let output = oxbox(&folder, &arguments);
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(code), stderr), "{line}");
        let recorded = fs::read_to_string(folder.path().join("r.script")).unwrap();
        let (_, recorded) = recorded.split_once('\n').unwrap();
        assert_eq!(recorded, settings, "{line}");
    }
    // A script contains settings, and means 386 and VGA if it does not; an option takes precedence.
    fs::write(folder.path().join("386.script"), "").unwrap();
    let output = oxbox(&folder, &["run", "CPUID.COM", "--script", "386.script"]);
    assert_eq!(output.status.code(), Some(122), "{}", text(&output.stderr));
    fs::write(folder.path().join("586.script"), "cpu 586\n").unwrap();
    for (cpu, code) in [(&[][..], 0), (&["--cpu", "386"], 122)] {
        let output = oxbox(&folder, &[&["run", "CPUID.COM", "--script", "586.script"], cpu].concat());
        assert_eq!(output.status.code(), Some(code), "{cpu:?}: {}", text(&output.stderr));
    }
}
