//! The result of a run: its JSON, its exit code, and the line with the reason.

use std::io::Write;

use oxbox::cpu::Registers;
use oxbox::inspect::{CrashReport, Finding, Hint, SourcePlace};
use oxbox::machine::{End, Limit, Machine};
use oxbox::toolchain::{Place, Severity};
use serde_json::{Value, json};

use super::failure::Failure;
use crate::frontend::session::LiveSession;

/// General registers in the order of their encoding, and segment registers in theirs.
const GENERAL: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
const SEGMENTS: [&str; 6] = ["es", "cs", "ss", "ds", "fs", "gs"];

/// Virtual time in ms that a headless run without a limit continues after its last key.
pub(super) const MS_AFTER_KEYS: u64 = 10 * 60_000;

pub(super) fn print(
    session: &mut LiveSession,
    explanation: Option<&CrashReport>,
    findings: Option<&[Finding]>,
) -> Result<(), Failure> {
    let output = session.take_kept_output();
    let (machine, end) = (session.machine(), session.end().unwrap_or(&End::Left));
    let registers = match end {
        End::Crashed(crash) => &crash.registers,
        _ => &machine.cpu().regs,
    };
    let hint = explanation.and_then(|found| found.hint.as_ref());
    let crash = match end {
        End::Crashed(crash) => {
            let hint = hint.map_or_else(|| crash.hint().to_owned(), Hint::to_string);
            json!({ "exception": crash.exception, "text": crash.to_string(), "hint": hint })
        }
        _ => Value::Null,
    };
    let mut report = json!({
        "end": end.word(),
        "exit_code": end.exit_code(),
        "at": at(session, end),
        "registers": registers_of(registers),
        "crash": crash,
        "hint": hint.map(Hint::to_string),
        "hint_id": hint.map(|hint| hint.id.name()),
        "hint_at": hint.and_then(|hint| hint.at).map(|at| place(at, explanation.and_then(|found| found.hint_place.as_ref()))),
        "circle": explanation.and_then(|found| found.circle.as_deref()),
        "last": explanation.map(last),
        "calls": explanation.map(calls),
        "detail": end.detail(),
        "ms": machine.nanoseconds() / 1_000_000,
        "instructions": machine.instructions(),
        "state_hash": format!("{:016x}", machine.state_hash()),
        "screen": screen(machine),
        "output": output,
    });
    if let Some(findings) = findings {
        report["findings"] = findings.iter().map(finding).collect();
    }
    writeln!(std::io::stdout().lock(), "{report:#}")?;
    Ok(())
}

fn finding(finding: &Finding) -> Value {
    let notes = finding
        .note
        .iter()
        .map(|(place, what)| json!({ "file": place.file, "line": place.line, "message": what }));
    let mut value = place(finding.at, finding.place.as_ref());
    value["kind"] = json!(finding.kind.name());
    value["id"] = json!(finding.id);
    value["message"] = json!(finding.text);
    value["help"] = json!(finding.help);
    value["notes"] = notes.collect();
    value["times"] = json!(finding.times);
    value
}

/// Prints as JSON why the run did not start.
pub(super) fn print_failure(failure: &Failure) -> Result<(), Failure> {
    let errors: Vec<Value> = match failure {
        Failure::Build(diagnostics) => diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| {
                let line = if let Place::Line(line) = diagnostic.place { Some(line) } else { None };
                json!({ "file": diagnostic.file, "line": line, "message": diagnostic.text })
            })
            .collect(),
        other => vec![json!({ "file": null, "line": null, "message": other.to_string() })],
    };
    let report = json!({
        "end": "failed", "exit_code": null, "at": null, "registers": null, "crash": null, "detail": null,
        "ms": 0, "instructions": 0, "state_hash": null, "screen": null, "output": "", "errors": errors,
    });
    writeln!(std::io::stdout().lock(), "{report:#}")?;
    Ok(())
}

/// Returns the last instructions, the latest last.
fn last(explanation: &CrashReport) -> Vec<Value> {
    let steps = explanation.last.iter();
    steps
        .map(|step| {
            let mut value = place(step.at, step.place.as_ref());
            value["text"] = json!(step.text);
            value["changes"] = json!(step.changes);
            value["skipped"] = json!(step.skipped);
            value
        })
        .collect()
}

/// Returns the active procedures, the innermost first.
fn calls(explanation: &CrashReport) -> Vec<Value> {
    explanation.calls.iter().map(|(frame, source)| place(frame.at, source.as_ref())).collect()
}

fn place((cs, ip): (u16, u16), place: Option<&SourcePlace>) -> Value {
    let place = place.cloned().unwrap_or_default();
    json!({ "cs": cs, "ip": ip, "file": place.file, "line": place.line, "symbol": place.symbol })
}

/// Returns the program's position; a program that has ended has none.
fn at(session: &LiveSession, end: &End) -> Value {
    if end.exit_code().is_some() {
        return Value::Null;
    }
    let (cs, ip) = session.machine().position_of(end);
    place((cs, ip), session.place(cs, ip).as_ref())
}

fn registers_of(registers: &Registers) -> Value {
    let general = GENERAL.iter().zip(registers.gpr).map(|(name, value)| ((*name).to_owned(), json!(value)));
    let segments = SEGMENTS.iter().zip(registers.seg).map(|(name, value)| ((*name).to_owned(), json!(value)));
    let others = [("eip".to_owned(), json!(registers.ip)), ("eflags".to_owned(), json!(registers.flags))];
    Value::Object(general.chain(segments).chain(others).collect())
}

fn screen(machine: &Machine) -> Option<Vec<String>> {
    machine.text().map(|text| text.to_string().lines().map(str::to_owned).collect())
}

/// Returns the program's exit code, or the failure instead of it.
pub(super) fn exit_code(session: &LiveSession, explanation: Option<&CrashReport>) -> Result<u8, Failure> {
    let title = &session.name;
    // Below the line with the cause.
    let told = |line: String| match explanation {
        Some(explanation) => format!("{line}\n{explanation}").trim_end().to_owned(),
        None => line,
    };
    let hint = explanation.and_then(|found| found.hint.as_ref());
    let hinted = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
    let machine = session.machine();
    let end = session.end().unwrap_or(&End::Left);
    let (cs, ip) = machine.position_of(end);
    let place = explanation.map_or_else(|| session.place(cs, ip), |explanation| explanation.place.clone());
    let place = place.map(|place| format!(", {place}")).unwrap_or_default();
    let at = format!("{cs:04X}:{ip:04X}{place}");
    let failure = match end {
        End::Exited(code) => return Ok(*code),
        End::Left => return Ok(0),
        End::Signal(signal) => {
            if explanation.is_some() {
                super::say(told(format!("{title} was interrupted at {at}{hinted}")));
            }
            return Ok(signal.exit_code());
        }
        End::Crashed(crash) => {
            let text = explanation.map(|explanation| explanation.of_crash(crash));
            let text = text.unwrap_or_else(|| format!("crashed: {crash}{place}: {}", crash.hint()));
            Failure::Crashed(told(format!("{title} {text}")))
        }
        End::Waiting if machine.input_has_ended() => {
            Failure::KeysRanOut(format!("{title} is waiting for a key, but standard input has ended"))
        }
        End::Waiting => {
            Failure::KeysRanOut(format!("{title} is waiting for a key at {at}, but has been given no more"))
        }
        End::Limit(which) => {
            let waits = if machine.is_waiting_for_key() { ", where it waits for a key" } else { "" };
            let which = match which {
                Limit::AfterScript => {
                    let minutes = MS_AFTER_KEYS / 60_000;
                    format!("{which} ({minutes} minutes; --time-limit sets another)")
                }
                which => which.to_string(),
            };
            let line = format!("{title} was stopped at {at}{waits}: {which} was reached{hinted}");
            Failure::Limit(told(line))
        }
        End::Dead(fault) => Failure::Host(told(format!("{title} cannot continue: {fault}{hinted}"))),
        End::Script(failure) => Failure::Script(failure.to_string()),
        _ => Failure::Host(format!("{title}: {}", end.detail().unwrap_or_default())),
    };
    Err(failure)
}
