//! The findings of `run --check`: mistakes that do not stop a program, and none in correct
//! programs.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use assert_cmd::Command;
use std::path::Path;

/// Runs the command in the folder of the programs. Returns exit code, stdout and stderr.
fn oxbox(folder: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("oxbox")
        .unwrap()
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn checked(program: &str, switch: &str) -> String {
    oxbox(
        "tests/check",
        &["run", program, "--headless", "--read-only", "--time-limit", "5000", "--keys", "y", switch],
    )
    .2
}

/// Program, the finding's kind and line, and words of its sentence.
const MISTAKES: [(&str, &str, u32, &str); 14] = [
    ("ignored_open", "services", 12, "failed"),
    ("empty_count", "arithmetic", 10, "CX = 0"),
    ("short_ret", "stack", 7, ""),
    ("long_ret", "stack", 6, ""),
    ("far_return", "stack", 9, "does not match the far CALL at far_return.asm:5"),
    ("backward", "calls", 13, "the STD at backward.asm:"),
    ("lost_key", "calls", 12, "INT 21h/02h at lost_key.asm:9 changed it"),
    ("hooked", "services", 9, "interrupt 1Ch still points into it"),
    ("no_end_of_interrupt", "services", 20, "IRQ 0"),
    ("lost_ax", "services", 22, "changes AX"),
    ("no_data_segment", "memory", 7, "of the PSP instead of `first`"),
    ("no_room", "services", 7, "first byte is 0"),
    ("function_in_al", "services", 8, "the function number 09h is in AL"),
    ("no_dollar", "services", 9, "no '$'"),
];

#[test]
fn mistakes_that_a_program_survives_are_found() {
    for (name, kind, line, words) in MISTAKES {
        let program = format!("{name}.asm");
        let said = checked(&program, "--check");
        let place = format!("{program}:{line}: mistake[{kind}]: ");
        let finding =
            said.lines().find(|line| line.contains(&place)).unwrap_or_else(|| panic!("{place}: {said}"));
        assert!(finding.contains(words), "{name}: {said}");
        assert!(said.contains("help: "), "{name}: {said}");
        assert!(
            !checked(&program, &format!("--check=-{kind}")).contains("mistake["),
            "{name} without {kind}"
        );
        let only = checked(&program, &format!("--check={kind}"));
        assert!(only.contains(&place), "{name} with {kind} alone: {only}");
    }
}

#[test]
fn what_is_right_has_no_finding() {
    for name in [
        "looked_at_open",
        "guarded_count",
        "ret",
        "near_return",
        "forward",
        "kept_key",
        "unhooked",
        "kept_ax",
        "command_line",
    ] {
        let said = checked(&format!("{name}.asm"), "--check");
        assert!(!said.contains("mistake["), "{name}: {said}");
    }
    for (game, keys) in [
        ("ttt1", "0 2 7 3 q"),
        ("eecs2100", "SP 5 1 7 3"),
        ("grid18", "1 1 2 2 1 2 1 3 3 3"),
        ("oxo", "1 6 q"),
        ("chip", "u 7 0 2 3 8"),
    ] {
        let (code, _, said) = oxbox(
            "tests/check",
            &["play", game, "--headless", "--keys", keys, "--check", "--time-limit", "30000"],
        );
        assert!(code.is_some() && !said.contains("error:"), "{game}: {said}");
        assert!(!said.contains("mistake["), "{game}: {said}");
    }
}

#[test]
fn findings_are_in_the_report() {
    let (_, report, _) =
        oxbox("tests/check", &["run", "empty_count.asm", "--json", "--check", "--read-only"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((&findings[0]["kind"], &findings[0]["id"]), (&"arithmetic".into(), &"loop-zero".into()));
    assert_eq!(findings[0]["line"], 10, "{findings:?}");
    let (_, report, _) = oxbox("tests/check", &["run", "empty_count.asm", "--json", "--read-only"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report.get("findings").is_none(), "nobody asked for them");
}

#[test]
fn a_finding_changes_the_exit_code_of_a_run_that_ended_well() {
    let code = |program: &str, switch: &str| {
        oxbox("tests/check", &["run", program, "--headless", "--read-only", switch]).0
    };
    assert_eq!(code("hooked.asm", "--check"), Some(121));
    assert_eq!(code("hooked.asm", "--check=stack"), Some(0));
    assert_eq!(code("unhooked.asm", "--check"), Some(0));
}

#[test]
fn findings_are_written_as_sarif() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.sarif");
    let to = path.to_str().unwrap();
    oxbox("tests/check", &["run", "hooked.asm", "--headless", "--read-only", "--check", "--sarif", to]);
    let log: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "hook");
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "hook");
    let place = |location: &serde_json::Value| {
        let location = &location["physicalLocation"];
        (location["artifactLocation"]["uri"].clone(), location["region"]["startLine"].clone())
    };
    assert_eq!(place(&result["locations"][0]), ("hooked.asm".into(), 9.into()));
    assert_eq!(place(&result["relatedLocations"][0]), ("hooked.asm".into(), 7.into()));
    let (code, _, said) = oxbox("tests/check", &["run", "ret.asm", "--sarif", to]);
    assert_eq!(code, Some(2), "without --check: {said}");
}

#[test]
fn an_unknown_kind_is_refused() {
    let (code, _, said) = oxbox("tests/check", &["run", "ret.asm", "--check=spelling"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("spelling") && said.contains("stack"), "the kinds are named: {said}");
}
