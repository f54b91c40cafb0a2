//! Formats of platforms for classes: GitHub's workflow commands and Classroom, Moodle's VPL, SARIF;
//! each parsed like by its reader.

use super::{exercise, grade, one_test};
use oxbox::suite::{Options, Suite, report, run};
use serde_json::Value;

/// Returns the last grade, as VPL finds it: in a line that begins with the mark.
fn vpl_grade(text: &str) -> Option<&str> {
    text.split('\n').filter_map(|line| line.strip_prefix("Grade :=>>")).next_back().map(str::trim)
}

/// Returns the comments, as VPL finds them: marked lines, or blocks between lines of their own.
fn vpl_comments(text: &str) -> String {
    let (mut comments, mut inside) = (String::new(), false);
    for line in text.split('\n') {
        match line.trim_matches([' ', '\t']) {
            "--|>" if inside => inside = false,
            _ if inside => comments += &format!("{line}\n"),
            "<|--" => inside = true,
            trimmed => {
                if let Some(comment) = trimmed.strip_prefix("Comment :=>>") {
                    comments += &format!("{comment}\n");
                }
            }
        }
    }
    assert!(!inside, "a block without an end:\n{text}");
    comments
}

#[test]
fn vpl_reads_grade_and_comments() {
    let text = report::vpl(&grade(&["wrong01"], 1), None).unwrap();
    assert_eq!(vpl_grade(&text), Some("9.5"));
    let comments = vpl_comments(&text);
    assert!(comments.contains("-one digit: 1 of 1\n-three nines: 2 of 2\n"), "{comments}");
    // The failing tests are hidden.
    assert!(comments.contains("-Hidden tests: 1 of 3\n") && !comments.contains("270"), "{comments}");
    let scaled = |least, most| report::vpl(&grade(&["right01"], 1), Some((least, most))).unwrap();
    assert_eq!((vpl_grade(&scaled(0.0, 20.0)), vpl_grade(&scaled(1.0, 6.0))), (Some("20"), Some("6")));
    let broken = report::vpl(&grade(&["broken01"], 1), Some((1.0, 6.0))).unwrap();
    assert_eq!(vpl_grade(&broken), Some("1"));
    assert!(vpl_comments(&broken).contains("-The program cannot be built\n>"), "{broken}");
    assert!(report::vpl(&grade(&["right01", "wrong01"], 1), None).is_err());
}

/// Prints the text after it, up to a `$`.
const PRINTS: &[u8] = b"\xBA\x0C\x01\xB4\x09\xCD\x21\xB8\x00\x4C\xCD\x21";

/// Output with a special meaning for a platform is passed on as plain text.
#[test]
fn what_a_program_prints_is_no_grade_and_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let printed = ["Grade :=>>100", "--|>", "Comment :=>>good", "::error::x", "%0A::warning::y"];
    for text in printed {
        let program = [PRINTS, b"\r\n", text.as_bytes(), b"\r\n$"].concat();
        std::fs::write(folder.path().join("P.COM"), program).unwrap();
        let suite = "program = \"P.COM\"\n[[test]]\nname = \"a\"\noutput = \"b\"\n";
        let suite = Suite::parse(&folder.path().join("suite.toml"), suite).unwrap();
        let results = run(&[suite], &[], &Options::default()).unwrap();
        assert!(report::text(&results).contains(text));
        let evaluation = report::vpl(&results, None).unwrap();
        assert_eq!(vpl_grade(&evaluation), Some("0"), "{evaluation}");
        assert!(vpl_comments(&evaluation).lines().all(|line| line.starts_with(['-', '>'])), "{evaluation}");
        let commands = report::workflow_commands(&results);
        assert_eq!(commands.lines().count(), 1, "{commands}");
    }
}

#[test]
fn the_result_for_classroom_has_what_its_reporter_reads() {
    let results = grade(&["wrong01"], 1);
    let result = report::classroom(&results).unwrap();
    assert_eq!((&result["version"], &result["status"]), (&1.into(), &"fail".into()));
    let tests = result["tests"].as_array().unwrap();
    let keys =
        ["duration", "filename", "line_no", "max_score", "message", "name", "score", "status", "test_code"];
    for test in tests {
        let found: Vec<&str> = test.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(found.iter().all(|key| keys.contains(key)) && found.len() == 8, "{found:?}");
        assert!(["pass", "fail", "error"].contains(&test["status"].as_str().unwrap()));
        assert!(test["line_no"].is_u64() && test["score"].is_number() && test["message"].is_string());
    }
    // The reporter's result: the sum of the scores, and the largest possible score.
    let points: f64 = tests.iter().map(|test| test["score"].as_f64().unwrap()).sum();
    assert_eq!((points, result["max_score"].as_f64()), (9.5, Some(11.5)));
    assert_eq!(tests.last().unwrap()["name"], "hidden tests");
    assert!(!result.to_string().contains("270"), "{result}");
    assert_eq!(report::classroom(&grade(&["right01"], 1)).unwrap()["status"], "pass");
    assert!(report::classroom(&grade(&["right01", "wrong01"], 1)).is_err());
}

#[test]
fn annotations_and_sarif_name_file_and_line() {
    let results = grade(&["crash01", "broken01", "wrong01"], 2);
    let commands = report::workflow_commands(&results);
    assert!(commands.lines().all(|line| line.starts_with("::error file=")), "{commands}");
    assert!(commands.contains("broken01.asm,line=5,title=cannot be built::"), "{commands}");
    assert!(commands.contains("crash01.asm%3A one digit::end: the program crashed"), "{commands}");
    assert!(!commands.contains("270"), "a hidden test is told: {commands}");
    let sarif = report::sarif(&results);
    assert_eq!(sarif["version"], "2.1.0");
    let found = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(found.len(), commands.lines().count());
    let rules: Vec<&Value> = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().iter().collect();
    for result in found {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
        assert!(result["message"]["text"].is_string() && result["level"] == "error", "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with(".asm"), "{result}");
        assert!(place["region"]["startLine"].as_u64().unwrap() > 0, "{result}");
    }
}

/// If no source is known, the location is the suite's test.
#[test]
fn a_failure_without_a_source_is_told_at_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let commands = report::workflow_commands(&one_test(folder.path(), "exit = 8").unwrap());
    assert!(commands.contains("/suite.toml,line=3,title="), "{commands}");
    assert!(commands.contains("%0A"), "lines of a message are kept: {commands}");
}

/// A step of `action.yml`: its command and environment.
struct Step {
    name: String,
    env: Vec<(String, String)>,
    run: String,
}

/// Reads the steps of the action, which uses only one form of each construct.
fn steps() -> Vec<Step> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/action.yml")).unwrap();
    let mut steps: Vec<Step> = Vec::new();
    let mut part = "";
    for line in text.split("  steps:\n").nth(1).unwrap().lines() {
        if let Some(name) = line.strip_prefix("    - name: ") {
            steps.push(Step { name: name.to_owned(), env: Vec::new(), run: String::new() });
        }
        let step = steps.last_mut().unwrap();
        if let Some(deeper) = line.strip_prefix("        ") {
            match part {
                "run" => step.run += &format!("{deeper}\n"),
                _ => step.env.extend(deeper.split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()))),
            }
        } else {
            part = line.trim().split(':').next().unwrap();
        }
    }
    steps
}

/// Runs a step in a folder like a runner. Returns exit code, output and step outputs.
#[cfg(all(feature = "cli", unix))]
fn run_step(name: &str, folder: &std::path::Path, inputs: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let step = steps().into_iter().find(|step| step.name == name).unwrap();
    let binary = assert_cmd::cargo::cargo_bin("oxbox").display().to_string();
    let scratch = tempfile::tempdir().unwrap();
    let given = scratch.path().join("output");
    let mut shell = std::process::Command::new("bash");
    shell.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &step.run]).current_dir(folder);
    shell.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    shell.env("RUNNER_TEMP", scratch.path()).env("GITHUB_OUTPUT", &given);
    for (variable, value) in step.env {
        let input = value.trim_start_matches("${{ inputs.").trim_end_matches(" }}").to_owned();
        let defaults = [("oxbox", binary.as_str()), ("fail", "true"), ("classroom", "false")];
        let value = inputs.iter().chain(&defaults).find(|(name, _)| *name == input).map_or("", |(_, v)| v);
        shell.env(variable, value);
    }
    let output = shell.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.code(), text, std::fs::read_to_string(given).unwrap_or_default())
}

#[test]
#[cfg(all(feature = "cli", unix))]
fn the_action_tests_in_a_clean_folder() {
    use base64::Engine;
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str, to: &str| std::fs::copy(exercise().join(name), folder.path().join(to)).unwrap();
    for name in ["suite.toml", "model.asm", "long.script"] {
        copy(name, name);
    }
    std::fs::create_dir(folder.path().join("golden")).unwrap();
    copy("golden/42.txt", "golden/42.txt");
    copy("class/right01.asm", "right.asm");
    copy("class/wrong02.asm", "wrong.asm");
    let run = |inputs: &[(&str, &str)]| run_step("Test", folder.path(), inputs);

    let (code, text, given) =
        run(&[("suite", "suite.toml"), ("program", "right.asm"), ("classroom", "true")]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("9 of 9 tests passed") && !text.contains("::error"), "{text}");
    let result = given.lines().find_map(|line| line.strip_prefix("result=")).unwrap();
    let result = base64::engine::general_purpose::STANDARD.decode(result).unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    assert_eq!((&result["status"], &result["max_score"]), (&"pass".into(), &11.5.into()));

    let (code, text, given) = run(&[("suite", "suite.toml"), ("program", "*t.asm wrong.asm")]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("\n::error file=wrong.asm,line="), "{text}");
    assert!(given.contains("sarif=") && !given.contains("result="), "{given}");
    // The report is between two commands that switch commands off and on.
    let token = text.lines().next().unwrap().strip_prefix("::stop-commands::").unwrap();
    let (report, commands) = text.split_once(&format!("\n::{token}::\n")).unwrap();
    assert!(report.contains("tests passed") && commands.lines().all(|line| line.starts_with("::error ")));

    let inputs =
        [("suite", "suite.toml"), ("program", "wrong.asm"), ("fail", "false"), ("classroom", "true")];
    let (code, text, given) = run(&inputs);
    assert_eq!(code, Some(0), "{text}");
    assert!(given.contains("result="), "{given}");
    let (code, text, _) = run(&[("suite", "none.toml"), ("fail", "false")]);
    assert_eq!(code, Some(2), "a suite that is broken fails in any case: {text}");
}

#[test]
#[cfg(all(feature = "cli", unix))]
fn the_action_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text, _) = run_step("Verify", folder.path(), &[("verify", "ttt1")]);
    assert!(code == Some(0) && !text.contains("::error"), "{text}");
    let (code, text, _) = run_step("Verify", folder.path(), &[("verify", "no-such-game")]);
    assert!(code == Some(2) && text.contains("::error title=oxbox verify::no-such-game"), "{text}");
}
