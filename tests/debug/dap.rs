//! A scripted editor: requests out, responses and events in.
#![allow(clippy::needless_pass_by_value, reason = "a request reads best with its JSON in place")]

use super::{line_of, oxbox, source};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

pub(super) struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    sequence: u64,
    events: Vec<Value>,
}

impl Editor {
    pub(super) fn start() -> Editor {
        let mut child = oxbox().arg("dap").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Editor { child, input, output, sequence: 0, events: Vec::new() }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the adapter has gone");
            match line.trim().split_once(": ") {
                Some((_, value)) => length = value.parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request and waits for its response; events that arrive meanwhile are kept.
    pub(super) fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.sequence += 1;
        let request =
            json!({ "seq": self.sequence, "type": "request", "command": command, "arguments": arguments });
        let body = request.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
        loop {
            let message = self.message();
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], json!(self.sequence), "{message}");
                return message;
            }
            self.events.push(message);
        }
    }

    pub(super) fn ok(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.request(command, arguments);
        assert_eq!(response["success"], json!(true), "{response}");
        response["body"].clone()
    }

    /// Returns the next event with a name; others are dropped.
    fn event(&mut self, name: &str) -> Value {
        loop {
            let event = if self.events.is_empty() { self.message() } else { self.events.remove(0) };
            if event["event"] == name {
                return event["body"].clone();
            }
        }
    }

    pub(super) fn stop(&mut self) -> String {
        self.event("stopped")["reason"].as_str().unwrap().to_owned()
    }

    fn line(&mut self) -> u64 {
        let frames = self.ok("stackTrace", json!({ "threadId": 1 }));
        frames["stackFrames"][0]["line"].as_u64().unwrap()
    }

    fn value(&mut self, expression: &str) -> String {
        let body = self.ok("evaluate", json!({ "expression": expression, "context": "watch" }));
        body["result"].as_str().unwrap().to_owned()
    }

    pub(super) fn launch(&mut self, more: Value) {
        self.ok("initialize", json!({ "adapterID": "oxbox" }));
        self.event("initialized");
        let mut arguments = json!({ "program": source() });
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        self.ok("launch", arguments);
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_program_is_stepped_in_both_directions() {
    let mut editor = Editor::start();
    editor.launch(json!({ "stopOnEntry": true, "keys": "x" }));
    let call = line_of("call add_up");
    let body = editor.ok(
        "setBreakpoints",
        json!({ "source": { "path": source() }, "breakpoints": [{ "line": call }, { "line": line_of("add ax, bx"), "condition": "bx == 2" }] }),
    );
    assert_eq!(body["breakpoints"][0]["verified"], json!(true), "{body}");
    editor.ok("configurationDone", json!({}));
    assert_eq!(editor.stop(), "entry");
    editor.ok("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "breakpoint");
    assert_eq!(editor.line(), call);
    assert_eq!(editor.value("bx"), "5h (5)");
    // A step over the call stops at the breakpoint in it, whose condition is true once.
    editor.ok("next", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "breakpoint");
    assert_eq!(editor.value("bx == 2 && ax == 12"), "FFFFh (65535)");
    let frames = editor.ok("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(frames["stackFrames"][0]["name"], json!("add_up+3h"));
    assert_eq!(frames["stackFrames"][1]["line"], json!(call));
    editor.ok("stepOut", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "step");
    assert_eq!(editor.line(), call + 1);
    assert_eq!(editor.value("ax"), "Fh (15)");
    // Backwards: before the call, then to the breakpoint in it.
    editor.ok("stepBack", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "step");
    assert_eq!(editor.line(), call);
    editor.ok("next", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "breakpoint");
    editor.ok("stepOut", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "step");
    editor.ok("reverseContinue", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "breakpoint");
    assert_eq!(editor.value("bx"), "2h (2)");
    editor.ok("stepIn", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "step");
    assert_eq!(editor.value("ax"), "Eh (14)");
    editor.ok("continue", json!({ "threadId": 1 }));
    let output = editor.event("output");
    assert_eq!(output["output"], json!("Sum: 15"));
    assert_eq!(editor.event("exited")["exitCode"], json!(0));
    editor.event("terminated");
    editor.ok("disconnect", json!({}));
    assert!(editor.child.wait().unwrap().success());
}

#[test]
fn an_edit_in_the_past_changes_what_follows() {
    let mut editor = Editor::start();
    editor.launch(json!({ "keys": "x" }));
    editor.ok("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "add_up" }] }));
    let info = editor.ok("dataBreakpointInfo", json!({ "name": "total" }));
    editor.ok(
        "setDataBreakpoints",
        json!({ "breakpoints": [{ "dataId": info["dataId"], "accessType": "write" }] }),
    );
    editor.ok("configurationDone", json!({}));
    assert_eq!(editor.stop(), "function breakpoint");
    editor.ok("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "data breakpoint");
    assert_eq!(editor.value("total"), "Fh (15)");
    editor.ok("reverseContinue", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "data breakpoint");
    assert_eq!(editor.value("total"), "0h (0)");
    let body = editor.ok("setVariable", json!({ "variablesReference": 1, "name": "ax", "value": "42" }));
    assert_eq!(body["value"], json!("002Ah"));
    editor.ok("setDataBreakpoints", json!({ "breakpoints": [] }));
    editor.ok("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    editor.ok("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "pause");
    let said = editor.ok("evaluate", json!({ "expression": "screen", "context": "repl" }));
    assert!(said["result"].as_str().unwrap().starts_with("Sum: 42"), "{said}");
    editor.ok("evaluate", json!({ "expression": "keys x", "context": "repl" }));
    editor.ok("continue", json!({ "threadId": 1 }));
    editor.event("terminated");
}

#[test]
fn memory_and_instructions_are_shown() {
    let mut editor = Editor::start();
    editor.launch(json!({ "stopOnEntry": true }));
    editor.ok("configurationDone", json!({}));
    assert_eq!(editor.stop(), "entry");
    let frames = editor.ok("stackTrace", json!({ "threadId": 1 }));
    let here = frames["stackFrames"][0]["instructionPointerReference"].clone();
    let body = editor.ok(
        "disassemble",
        json!({ "memoryReference": here, "instructionOffset": -1, "instructionCount": 4 }),
    );
    let texts: Vec<&str> = body["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|instruction| instruction["instruction"].as_str().unwrap())
        .collect();
    assert_eq!(texts.len(), 4);
    assert_eq!(texts[0], "ret");
    assert_eq!(texts[2], "mov ds,ax");
    let symbols = editor.ok("variables", json!({ "variablesReference": 4 }));
    let message =
        symbols["variables"].as_array().unwrap().iter().find(|symbol| symbol["name"] == "msg").unwrap();
    let memory =
        editor.ok("readMemory", json!({ "memoryReference": message["memoryReference"], "count": 3 }));
    assert_eq!(memory["data"], json!("U3Vt"), "Sum");
    let written =
        editor.ok("writeMemory", json!({ "memoryReference": message["memoryReference"], "data": "U3Vt" }));
    assert_eq!(written["bytesWritten"], json!(3));
    let refused = editor.request("frobnicate", json!({}));
    assert_eq!(refused["success"], json!(false));
    let nowhere = editor.request("evaluate", json!({ "expression": "nowhere" }));
    assert_eq!(nowhere["message"], json!("column 1: unknown name 'nowhere'"));
}

#[test]
fn what_cannot_be_launched_is_said() {
    let mut editor = Editor::start();
    editor.ok("initialize", json!({}));
    let refused = editor.request("launch", json!({ "program": "no/such/file.com" }));
    assert_eq!(refused["success"], json!(false));
    assert!(refused["message"].as_str().unwrap().contains("no/such/file.com"), "{refused}");
    let early = editor.request("next", json!({ "threadId": 1 }));
    assert_eq!(early["message"], json!("next: no program has been launched"));
}

/// With the same text as `oxbox run`, and all details.
#[test]
fn a_crash_is_explained() {
    let mistakes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let run = oxbox().args(["run", "dxfull.asm", "--headless"]).current_dir(&mistakes).output().unwrap();
    let run = String::from_utf8_lossy(&run.stderr).replace("dxfull.asm", "");
    let sentence = run.lines().find_map(|line| line.split_once("crashed: ")).unwrap().1;
    let reason = sentence.rsplit_once(":16: ").unwrap().1;
    for stops in [true, false] {
        let mut editor = Editor::start();
        editor.launch(json!({ "program": mistakes.join("dxfull.asm") }));
        let filters = if stops { json!(["crash"]) } else { json!([]) };
        editor.ok("setExceptionBreakpoints", json!({ "filters": filters }));
        editor.ok("configurationDone", json!({}));
        let output = loop {
            let output = editor.event("output")["output"].as_str().unwrap().to_owned();
            if output.contains("crashed") {
                break output;
            }
        };
        for part in [reason, "dxfull.asm:16: ", "registers", "last instructions", "called from", "div bx"] {
            assert!(output.contains(part), "{part}: {output}");
        }
        if stops {
            let stopped = editor.event("stopped");
            let text = stopped["text"].as_str().unwrap();
            assert!(
                text.starts_with("crashed: divide error (INT 00h) at ") && text.ends_with(reason),
                "{text}"
            );
        } else {
            assert_eq!(editor.event("exited")["exitCode"], json!(122));
        }
    }
}

#[test]
fn requests_may_come_in_any_order() {
    let mut editor = Editor::start();
    editor.ok("initialize", json!({ "adapterID": "oxbox" }));
    let line = line_of("call add_up");
    let asked = json!({ "source": { "path": source() }, "breakpoints": [{ "line": line }] });
    let told = editor.ok("setBreakpoints", asked);
    assert_eq!(told["breakpoints"][0]["verified"], json!(false));
    assert_eq!(editor.request("stackTrace", json!({ "threadId": 1 }))["success"], json!(false));
    editor.ok("configurationDone", json!({}));
    editor.ok("launch", json!({ "program": source(), "keys": "x" }));
    let changed = editor.event("breakpoint");
    assert_eq!(changed["breakpoint"]["id"], told["breakpoints"][0]["id"]);
    assert_eq!(changed["breakpoint"]["verified"], json!(true));
    assert_eq!(editor.stop(), "breakpoint");
    assert_eq!(editor.line(), line);
    // Numbers that no program has.
    let far = json!({ "memoryReference": "0xFFFFFFFF", "offset": i64::MAX, "count": u64::MAX });
    assert_eq!(editor.request("readMemory", far.clone())["success"], json!(false));
    assert_eq!(editor.request("disassemble", far)["success"], json!(false));
    let high = json!({ "memoryReference": "0xFFFFFFF0", "instructionOffset": -5, "instructionCount": 9, "count": 99 });
    editor.ok("readMemory", high.clone());
    editor.ok("disassemble", high);
    let data = json!({ "breakpoints": [{ "dataId": "0xFFFFFFFF+4294967295" }, { "dataId": "x" }, {}, 5] });
    assert_eq!(editor.ok("setDataBreakpoints", data)["breakpoints"].as_array().unwrap().len(), 4);
    for command in ["", "nonsense", "launch", "evaluate", "setVariable", "variables", "writeMemory"] {
        editor.request(command, json!({}));
    }
    editor.ok("next", json!({ "threadId": 1 }));
    assert_eq!(editor.stop(), "step");
}
