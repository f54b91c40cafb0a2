//! The parts of a program that an editor shows: the stack, registers and names, memory,
//! instructions.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use oxbox::cpu::Registers;
use oxbox::hardware::linear;
use oxbox::inspect::expression::{self, number};
use oxbox::inspect::{RegisterPart, SymbolKind, disassemble};
use serde_json::{Value, json};

use crate::debug::debuggee::Debuggee;

const REGISTERS: u64 = 1;
const FLAGS: u64 = 2;
const SEGMENTS: u64 = 3;
const SYMBOLS: u64 = 4;

const GENERAL_NAMES: [&str; 8] = ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp"];
const SEGMENT_NAMES: [&str; 6] = ["cs", "ds", "es", "ss", "fs", "gs"];

pub(super) fn address(reference: &str) -> Result<u32, String> {
    let value = number(reference).and_then(|value| u32::try_from(value).ok());
    value.ok_or_else(|| format!("'{reference}' is not an address"))
}

fn reference(address: u32) -> String {
    format!("0x{address:05X}")
}

/// Returns a source in the form that editors use: with its whole path, but as the user wrote it. A
/// canonical path would begin with `\\?\` on Windows, which editors cannot open.
fn source(file: &str) -> Value {
    let whole = std::path::absolute(file).ok().filter(|path| path.exists());
    let path = whole.map_or(file.to_owned(), |path| path.display().to_string());
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    json!({ "name": name, "path": path })
}

pub(super) fn stack(debuggee: &mut Debuggee, arguments: &Value) -> Value {
    let place = debuggee.place();
    let mut frames = debuggee.frames();
    if let Some(first) = frames.first_mut() {
        *first = place;
    }
    let total = frames.len();
    let skip = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
    let levels = arguments["levels"].as_u64().filter(|levels| *levels > 0).unwrap_or(100) as usize;
    let frames: Vec<Value> = frames
        .into_iter()
        .enumerate()
        .skip(skip)
        .take(levels)
        .map(|(index, (cs, ip))| {
            // A caller's position is its call, which ends before the return address.
            let shown = if index == 0 { ip } else { ip.wrapping_sub(1) };
            let at = linear(cs, shown);
            let line = debuggee.line_at(at);
            let name = debuggee.name_of(at).unwrap_or_else(|| format!("{cs:04X}:{ip:04X}"));
            json!({
                "id": index + 1,
                "name": name,
                "source": line.as_ref().map(|line| source(&line.file)),
                "line": line.as_ref().map_or(0, |line| line.line),
                "column": if line.is_some() { 1 } else { 0 },
                "instructionPointerReference": reference(linear(cs, ip)),
            })
        })
        .collect();
    json!({ "stackFrames": frames, "totalFrames": total })
}

pub(super) fn scopes() -> Value {
    let scope = |name: &str, reference: u64| json!({ "name": name, "variablesReference": reference, "expensive": false });
    json!({ "scopes": [
        scope("Registers", REGISTERS), scope("Flags", FLAGS), scope("Segments", SEGMENTS), scope("Symbols", SYMBOLS),
    ] })
}

fn variable(name: &str, value: impl Into<Value>) -> Value {
    let value: Value = value.into();
    json!({ "name": name, "value": value, "variablesReference": 0 })
}

pub(super) fn variables(debuggee: &mut Debuggee, arguments: &Value) -> Value {
    let registers = debuggee.registers().clone();
    let word = |name: &&str| {
        let value = name.parse::<RegisterPart>().map_or(0, |part| part.value(&registers));
        variable(name, format!("{value:04X}h"))
    };
    let variables: Vec<Value> = match arguments["variablesReference"].as_u64() {
        Some(REGISTERS) => {
            let ip = variable("ip", format!("{:04X}h", registers.ip));
            GENERAL_NAMES.iter().map(word).chain([ip]).collect()
        }
        Some(SEGMENTS) => SEGMENT_NAMES.iter().map(word).collect(),
        Some(FLAGS) => expression::FLAGS
            .iter()
            .map(|(name, mask)| variable(name, u8::from(registers.flag(*mask)).to_string()))
            .collect(),
        Some(SYMBOLS) => {
            let names: Vec<String> = debuggee
                .running()
                .symbols()
                .symbols()
                .iter()
                .filter(|symbol| symbol.kind == SymbolKind::Data)
                .map(|symbol| symbol.name.clone())
                .collect();
            names
                .into_iter()
                .filter_map(|name| {
                    let at = debuggee.address_of(&name).ok()?;
                    let bytes = debuggee.read(at, 8);
                    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                    let mut shown = variable(&name, hex.join(" "));
                    shown["memoryReference"] = json!(reference(at));
                    Some(shown)
                })
                .collect()
        }
        _ => Vec::new(),
    };
    json!({ "variables": variables })
}

pub(super) fn set_variable(debuggee: &mut Debuggee, arguments: &Value) -> Result<Value, String> {
    let name = arguments["name"].as_str().unwrap_or_default();
    let text = arguments["value"].as_str().unwrap_or_default();
    if arguments["variablesReference"] == json!(SYMBOLS) {
        let at = debuggee.address_of(name)?;
        let bytes: Result<Vec<u8>, _> =
            text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16)).collect();
        let bytes = bytes.map_err(|_| format!("'{text}' is not a list of bytes such as 0A 0B"))?;
        debuggee.timeline.write_memory(at, &bytes);
        return Ok(json!({ "value": text }));
    }
    let value = debuggee.evaluate(text)?.get();
    let mut registers: Registers = debuggee.registers().clone();
    if let Some((_, mask)) = expression::FLAGS.iter().find(|(flag, _)| *flag == name) {
        registers.set_flag(*mask, value != 0);
        debuggee.timeline.set_registers(&registers);
        return Ok(json!({ "value": u8::from(value != 0).to_string() }));
    }
    if name == "ip" {
        registers.ip = value as u32 & 0xFFFF;
    } else {
        name.parse::<RegisterPart>().map_err(|error| error.to_string())?.set(&mut registers, value as u32);
    }
    debuggee.timeline.set_registers(&registers);
    Ok(json!({ "value": format!("{:04X}h", value & 0xFFFF) }))
}

pub(super) fn data(debuggee: &mut Debuggee, arguments: &Value) -> Value {
    let name = arguments["name"].as_str().unwrap_or_default();
    match debuggee.address_of(name) {
        Ok(at) if !name.is_empty() => json!({
            "dataId": format!("{}+2", reference(at)),
            "description": format!("the word at {name}"),
            "accessTypes": ["read", "write"],
        }),
        _ => json!({ "dataId": null, "description": format!("'{name}' is not a variable of the program") }),
    }
}

fn place(arguments: &Value) -> Result<u32, String> {
    let at = i64::from(address(arguments["memoryReference"].as_str().unwrap_or_default())?);
    let at = at.saturating_add(arguments["offset"].as_i64().unwrap_or(0));
    u32::try_from(at).map_err(|_| "memory has no such address".to_owned())
}

pub(super) fn read_memory(debuggee: &mut Debuggee, arguments: &Value) -> Result<Value, String> {
    const MOST: u64 = 0x11_0000;
    let at = place(arguments)?;
    let count = arguments["count"].as_u64().unwrap_or(0).min(MOST) as u32;
    let bytes = debuggee.read(at, count);
    Ok(json!({ "address": reference(at), "data": STANDARD.encode(bytes) }))
}

pub(super) fn write_memory(debuggee: &mut Debuggee, arguments: &Value) -> Result<Value, String> {
    let at = place(arguments)?;
    let bytes = STANDARD.decode(arguments["data"].as_str().unwrap_or_default());
    let bytes = bytes.map_err(|error| error.to_string())?;
    debuggee.timeline.write_memory(at, &bytes);
    Ok(json!({ "bytesWritten": bytes.len() }))
}

pub(super) fn disassembly(debuggee: &mut Debuggee, arguments: &Value) -> Result<Value, String> {
    const MOST: u64 = 4096;
    let at = place(arguments)?;
    let skip = arguments["instructionOffset"].as_i64().unwrap_or(0).clamp(-4096, 4096);
    let count = arguments["instructionCount"].as_u64().unwrap_or(1).min(MOST) as i64;
    let mut shown: Vec<Value> = Vec::new();
    if skip < 0 {
        // Starts some bytes before: decoding soon falls into step.
        let from = at.saturating_sub(skip.unsigned_abs() as u32 * 4);
        let mut before = Vec::new();
        let mut here = from;
        while here < at {
            let (instruction, length) = one(debuggee, here);
            before.push(instruction);
            here = here.saturating_add(length);
        }
        let wanted = skip.unsigned_abs() as usize;
        let missing = wanted.saturating_sub(before.len());
        let filler =
            |_| json!({ "address": reference(from), "instruction": "?", "presentationHint": "invalid" });
        shown.extend((0..missing).map(filler));
        shown.extend(before.split_off(before.len().saturating_sub(wanted)));
    }
    let mut here = at;
    let mut index = 0;
    while (shown.len() as i64) < count {
        let (instruction, length) = one(debuggee, here);
        if index >= skip {
            shown.push(instruction);
        }
        here = here.saturating_add(length);
        index += 1;
    }
    shown.truncate(count as usize);
    Ok(json!({ "instructions": shown }))
}

/// Returns the instruction at a linear address, and its length.
fn one(debuggee: &mut Debuggee, at: u32) -> (Value, u32) {
    let bytes = debuggee.read(at, 15);
    let registers = debuggee.registers().clone();
    let ip = at.wrapping_sub(u32::from(registers.cs()) * 16) & 0xFFFF;
    let registers = Registers { ip, ..registers };
    let names = |segment: u16, offset: u16| debuggee.name_at(linear(segment, offset));
    let instruction = disassemble(&bytes, &registers, &names);
    let hex: Vec<String> = bytes.iter().take(instruction.length).map(|byte| format!("{byte:02X}")).collect();
    let line = debuggee.line_at(at);
    let mut shown = json!({
        "address": reference(at),
        "instructionBytes": hex.join(" "),
        "instruction": instruction.text,
    });
    if let Some(name) = debuggee.name_at(at) {
        shown["symbol"] = json!(name);
    }
    if let Some(line) = line {
        shown["location"] = source(&line.file);
        shown["line"] = json!(line.line);
    }
    (shown, instruction.length as u32)
}
