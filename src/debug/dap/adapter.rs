//! Requests of an editor, and the responses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oxbox::hardware::vga::cp437::{self, Controls};
use oxbox::inspect::{Place, StepKind, StopReason};
use oxbox::machine::{End, Position};
use serde_json::{Value, json};

use super::views;
use crate::debug::debuggee::{Breakpoint, Debuggee};
use crate::debug::{monitor, repl};

/// Virtual time between two checks for messages, in cycles.
const SLICE: u64 = 3_000_000;

/// The only thread.
const THREAD: u64 = 1;

const SETTERS: [&str; 4] =
    ["setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setDataBreakpoints"];

pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) keys: Option<String>,
    pub(crate) script: Option<PathBuf>,
}

/// Prepares a program, or fails with a message.
pub(crate) type Launcher<'a> = &'a dyn Fn(Launch) -> Result<Debuggee, String>;

pub(super) struct Adapter<'a> {
    launcher: Launcher<'a>,
    messages: Vec<Value>,
    sequence: u64,
    debuggee: Option<Debuggee>,
    /// Breakpoints by owner: a source, functions, instructions, data.
    breakpoints: BTreeMap<String, Vec<Breakpoint>>,
    /// Requests for breakpoints that came before there was a program, with the numbers of these.
    defer: Vec<(String, Value, Vec<u64>)>,
    ids: u64,
    is_configured: bool,
    stops_on_entry: bool,
    stops_on_crash: bool,
    running: bool,
    over: bool,
    /// The number of output bytes that have been sent.
    printed: usize,
}

impl<'a> Adapter<'a> {
    pub(super) fn new(launcher: Launcher<'a>) -> Self {
        Adapter {
            launcher,
            messages: Vec::new(),
            sequence: 0,
            debuggee: None,
            breakpoints: BTreeMap::new(),
            defer: Vec::new(),
            ids: 0,
            is_configured: false,
            stops_on_entry: false,
            stops_on_crash: false,
            running: false,
            over: false,
            printed: 0,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.running
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    fn position(&self) -> Option<Position> {
        self.debuggee.as_ref().map(|debuggee| debuggee.timeline.position())
    }

    pub(super) fn take_messages(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.messages)
    }

    fn send(&mut self, mut message: Value) {
        self.sequence += 1;
        message["seq"] = json!(self.sequence);
        self.messages.push(message);
    }

    fn event(&mut self, name: &str, body: &Value) {
        self.send(json!({ "type": "event", "event": name, "body": body }));
    }

    pub(super) fn handle(&mut self, request: &Value) {
        let command = request["command"].as_str().unwrap_or_default().to_owned();
        let before = self.position();
        let answer = self.answer(&command, &request["arguments"]);
        let moved = command == "evaluate" && self.position() != before;
        let is_done = answer.is_ok();
        let mut response = json!({ "type": "response", "request_seq": request["seq"], "command": command });
        match answer {
            Ok(body) => {
                response["success"] = json!(true);
                response["body"] = body;
            }
            Err(why) => {
                response["success"] = json!(false);
                response["message"] = json!(why);
                response["body"] = json!({ "error": { "id": 1, "format": why } });
            }
        }
        self.send(response);
        if moved {
            // Like `who`; an editor refreshes only after an event.
            self.running = false;
            self.stopped("goto", None);
        }
        if !is_done {
            return;
        }
        match command.as_str() {
            "initialize" => self.event("initialized", &json!({})),
            "launch" => self.launched(),
            "configurationDone" if self.debuggee.is_some() => self.begin(),
            "next" => self.step(|debuggee| debuggee.step(StepKind::Over)),
            "stepIn" => self.step(|debuggee| debuggee.step(StepKind::Into)),
            "stepOut" => self.step(|debuggee| debuggee.step(StepKind::Out)),
            "stepBack" => self.step(|debuggee| debuggee.step_back(StepKind::Over)),
            "reverseContinue" => self.step(Debuggee::go_back),
            _ => {}
        }
    }

    fn answer(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        match command {
            "initialize" => return Ok(capabilities()),
            "launch" => return self.launch(arguments),
            "setExceptionBreakpoints" => {
                let filters = arguments["filters"].as_array();
                self.stops_on_crash =
                    filters.is_some_and(|filters| filters.iter().any(|filter| filter == "crash"));
                return Ok(json!({}));
            }
            "threads" => return Ok(json!({ "threads": [{ "id": THREAD, "name": "program" }] })),
            "disconnect" | "terminate" => {
                self.over = command == "disconnect";
                self.running = false;
                if !self.over {
                    self.event("terminated", &json!({}));
                }
                return Ok(json!({}));
            }
            _ => {}
        }
        let Some(debuggee) = &mut self.debuggee else { return self.defer(command, arguments) };
        const STEPS: [&str; 5] = ["next", "stepIn", "stepOut", "stepBack", "reverseContinue"];
        if self.running && STEPS.contains(&command) {
            return Err(format!("{command}: the program runs; pause it first"));
        }
        match command {
            "configurationDone" | "next" | "stepIn" | "stepOut" | "stepBack" | "reverseContinue" => {
                Ok(json!({}))
            }
            "continue" => {
                self.running = true;
                Ok(json!({ "allThreadsContinued": true }))
            }
            "pause" => {
                self.running = false;
                self.stopped("pause", None);
                Ok(json!({}))
            }
            "setBreakpoints" => Ok(self.set_source_breakpoints(arguments)),
            "setFunctionBreakpoints" => {
                Ok(self.set_breakpoints("functions", arguments, |debuggee, asked| {
                    let name = asked["name"].as_str().unwrap_or_default();
                    debuggee.address_of(name).map(|address| (Place::Address(address), None))
                }))
            }
            "setInstructionBreakpoints" => Ok(self.set_breakpoints("instructions", arguments, |_, asked| {
                let reference = asked["instructionReference"].as_str().unwrap_or_default();
                let address = views::address(reference)?;
                let offset = asked["offset"].as_i64().unwrap_or(0);
                let address = i64::from(address).saturating_add(offset);
                Ok((Place::Address(u32::try_from(address).map_err(|_| "no such address")?), None))
            })),
            "setDataBreakpoints" => Ok(self.set_breakpoints("data", arguments, |_, asked| {
                let id = asked["dataId"].as_str().unwrap_or_default();
                let (at, length) = id.split_once('+').ok_or("no such data")?;
                let at = views::address(at)?;
                let length = length.parse::<u32>().map_err(|error| error.to_string())?;
                let bytes = at..at.saturating_add(length);
                Ok((
                    if asked["accessType"] == "read" { Place::Read(bytes) } else { Place::Write(bytes) },
                    None,
                ))
            })),
            "dataBreakpointInfo" => Ok(views::data(debuggee, arguments)),
            "stackTrace" => Ok(views::stack(debuggee, arguments)),
            "scopes" => Ok(views::scopes()),
            "variables" => Ok(views::variables(debuggee, arguments)),
            "setVariable" => views::set_variable(debuggee, arguments),
            "readMemory" => views::read_memory(debuggee, arguments),
            "writeMemory" => views::write_memory(debuggee, arguments),
            "disassemble" => views::disassembly(debuggee, arguments),
            "evaluate" => evaluate(debuggee, arguments),
            _ => Err(format!("'{command}' is not supported")),
        }
    }

    fn launch(&mut self, arguments: &Value) -> Result<Value, String> {
        let program = arguments["program"].as_str().ok_or("launch wants a program")?;
        let words = |value: &Value| -> Vec<String> {
            match value {
                Value::String(line) => line.split_whitespace().map(str::to_owned).collect(),
                Value::Array(words) => words.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => Vec::new(),
            }
        };
        let launch = Launch {
            program: PathBuf::from(program),
            args: words(&arguments["args"]),
            keys: arguments["keys"].as_str().map(str::to_owned),
            script: arguments["script"].as_str().map(PathBuf::from),
        };
        self.stops_on_entry = arguments["stopOnEntry"].as_bool().unwrap_or(false);
        self.debuggee = Some((self.launcher)(launch)?);
        (self.running, self.printed) = (false, 0);
        self.collect_breakpoints();
        Ok(json!({}))
    }

    /// Defers requests that an editor may send before a program is launched, in any order.
    fn defer(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        match command {
            "configurationDone" => {
                self.is_configured = true;
                Ok(json!({}))
            }
            _ if SETTERS.contains(&command) => {
                let asked = arguments["breakpoints"].as_array().map_or(0, Vec::len);
                let ids: Vec<u64> = (0..asked).map(|_| self.next_id()).collect();
                let answer = |id: &u64| json!({ "id": id, "verified": false, "message": "no program has been launched" });
                let answers: Vec<Value> = ids.iter().map(answer).collect();
                self.defer.push((command.to_owned(), arguments.clone(), ids));
                Ok(json!({ "breakpoints": answers }))
            }
            _ => Err(format!("{command}: no program has been launched")),
        }
    }

    fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    /// Handles deferred requests when the program is ready.
    fn launched(&mut self) {
        for (command, arguments, ids) in std::mem::take(&mut self.defer) {
            let Ok(body) = self.answer(&command, &arguments) else { continue };
            let answers = body["breakpoints"].as_array().cloned().unwrap_or_default();
            for (id, mut breakpoint) in ids.into_iter().zip(answers) {
                breakpoint["id"] = json!(id);
                self.event("breakpoint", &json!({ "reason": "changed", "breakpoint": breakpoint }));
            }
        }
        if self.is_configured {
            self.begin();
        }
    }

    /// The editor has set its breakpoints: starts the program.
    fn begin(&mut self) {
        if self.debuggee.is_none() {
            return;
        }
        if self.stops_on_entry {
            self.stopped("entry", None);
        } else {
            self.running = true;
        }
    }

    fn set_source_breakpoints(&mut self, arguments: &Value) -> Value {
        let path = arguments["source"]["path"].as_str().unwrap_or_default().to_owned();
        let name = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| path.clone());
        self.set_breakpoints(&format!("source {path}"), arguments, |debuggee, asked| {
            let line = asked["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
            let found = debuggee.addresses_of_line(&path, line).or(debuggee.addresses_of_line(&name, line));
            let (line, address) = found.ok_or_else(|| format!("{name}:{line} has no code"))?;
            Ok((Place::Address(address), Some(line)))
        })
    }

    fn set_breakpoints(
        &mut self,
        kind: &str,
        arguments: &Value,
        place: impl Fn(&mut Debuggee, &Value) -> Result<(Place, Option<u32>), String>,
    ) -> Value {
        let Some(debuggee) = &mut self.debuggee else { return json!({ "breakpoints": [] }) };
        let (mut list, mut answers) = (Vec::new(), Vec::new());
        for asked in arguments["breakpoints"].as_array().into_iter().flatten() {
            let condition = asked["condition"].as_str().filter(|text| !text.trim().is_empty());
            let condition = condition.map(|text| debuggee.condition(text)).transpose();
            match condition.and_then(|condition| Ok((place(debuggee, asked)?, condition))) {
                Ok(((place, line), condition)) => {
                    answers.push(json!({ "verified": true, "line": line }));
                    list.push(Breakpoint { text: kind.to_owned(), place, condition });
                }
                Err(why) => answers.push(json!({ "verified": false, "message": why })),
            }
        }
        self.breakpoints.insert(kind.to_owned(), list);
        self.collect_breakpoints();
        json!({ "breakpoints": answers })
    }

    fn collect_breakpoints(&mut self) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.breakpoints = self.breakpoints.values().flatten().cloned().collect();
        }
    }

    fn step(&mut self, step: impl Fn(&mut Debuggee) -> StopReason) {
        if let Some(debuggee) = &mut self.debuggee {
            let halted = step(debuggee);
            self.tell(&halted);
        }
    }

    pub(super) fn advance(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let halted = debuggee.go_on(SLICE);
        if halted == StopReason::Running {
            return self.pass_output_on();
        }
        self.running = false;
        self.tell(&halted);
    }

    fn tell(&mut self, halted: &StopReason) {
        self.pass_output_on();
        match halted {
            StopReason::Step | StopReason::Running => self.stopped("step", None),
            StopReason::Breakpoint(number) => {
                let kind = self.debuggee.as_ref().and_then(|debuggee| debuggee.breakpoints.get(*number));
                let reason = match kind.map(|breakpoint| breakpoint.text.as_str()) {
                    Some("functions") => "function breakpoint",
                    Some("instructions") => "instruction breakpoint",
                    Some("data") => "data breakpoint",
                    _ => "breakpoint",
                };
                self.stopped(reason, None);
            }
            StopReason::KeyWait => {
                self.stopped("pause", Some("it waits for a key: keys 5 ENTER in the debug console"));
            }
            StopReason::Beginning => self.stopped("entry", Some("the beginning of its history")),
            StopReason::Ended(End::Exited(code)) => {
                self.event("exited", &json!({ "exitCode": code }));
                self.event("terminated", &json!({}));
            }
            StopReason::Ended(end) => {
                let Some(debuggee) = &mut self.debuggee else { return };
                let (text, explanation) = debuggee.why(end);
                let title = debuggee.title.clone();
                let all = explanation.map(|explanation| explanation.to_string()).unwrap_or_default();
                let lines = format!("{title} {text}\n{all}");
                self.event("output", &json!({ "category": "stderr", "output": lines }));
                if self.stops_on_crash {
                    return self.stopped("exception", Some(&text));
                }
                self.event("exited", &json!({ "exitCode": 122 }));
                self.event("terminated", &json!({}));
            }
        }
    }

    fn stopped(&mut self, reason: &str, text: Option<&str>) {
        let mut body = json!({ "reason": reason, "threadId": THREAD, "allThreadsStopped": true });
        if let Some(text) = text {
            body["description"] = json!(text);
            body["text"] = json!(text);
        }
        self.event("stopped", &body);
    }

    fn pass_output_on(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let printed = debuggee.timeline.printed();
        let fresh = printed.get(self.printed..).unwrap_or_default();
        let text = cp437::text(fresh, Controls::Lines);
        self.printed = self.printed.max(printed.len());
        if !text.is_empty() {
            self.event("output", &json!({ "category": "stdout", "output": text }));
        }
    }
}

/// Evaluates an expression, a change (`ax=5`), or in the debug console a question of `monitor`.
fn evaluate(debuggee: &mut Debuggee, arguments: &Value) -> Result<Value, String> {
    let text = arguments["expression"].as_str().unwrap_or_default().trim();
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_console = arguments["context"] == "repl";
    if is_console && monitor::WORDS.contains(&word) {
        let lines = monitor::answer(debuggee, text);
        return Ok(json!({ "result": lines.join("\n"), "variablesReference": 0 }));
    }
    let is_change = text.contains('=') && !["==", "!=", "<=", ">="].iter().any(|sign| text.contains(sign));
    if is_console && is_change {
        let said = repl::change(debuggee, text)?;
        return Ok(json!({ "result": said, "variablesReference": 0 }));
    }
    let value = debuggee.evaluate(text)?;
    Ok(json!({ "result": value.to_string(), "variablesReference": 0 }))
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsDataBreakpoints": true,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsReadMemoryRequest": true,
        "supportsWriteMemoryRequest": true,
        "supportsDisassembleRequest": true,
        "supportsTerminateRequest": true,
        "supportsEvaluateForHovers": true,
        "exceptionBreakpointFilters": [{ "filter": "crash", "label": "Crashes of the program", "default": true }],
    })
}
