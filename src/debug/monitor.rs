//! Debugger commands that do not concern addresses: the screen, its writers, keys.
//!
//! Used for gdb's `monitor`, and for the debug console of an editor.

use super::debuggee::Debuggee;
use oxbox::hardware::vga::cp437::{self, Controls};
use oxbox::inspect::{WriteTarget, last_write};
use oxbox::machine::{Key, Service};

pub(crate) const WORDS: [&str; 8] = ["screen", "keys", "output", "calls", "who", "when", "print", "help"];

const HELP: [&str; 9] = [
    "screen             the text screen",
    "keys SP 5 ENTER    types keys; in the past that begins a new branch",
    "output             the console output",
    "calls              the current call of BIOS or DOS",
    "who ROW,COL        the instruction that wrote a character of the screen (from 0)",
    "who pixel X,Y      the same for a pixel of the picture; who colour N: for the palette",
    "who WHAT           the same for a register or a byte: al, board, 1234:0010",
    "when               instructions and milliseconds since power-on; when N goes to instruction N (gdb: then maint flush register-cache)",
    "print EXPRESSION   a value: vals[si], byte ptr [bx+1] > 10h",
];

pub(crate) fn answer(debuggee: &mut Debuggee, command: &str) -> Vec<String> {
    let (word, rest) = command.trim().split_once(' ').unwrap_or((command.trim(), ""));
    match (word, rest.trim()) {
        ("screen", "") => match debuggee.timeline.machine().text() {
            Some(text) => text.to_string().trim_end().lines().map(str::to_owned).collect(),
            None => vec!["the screen is in a graphics mode".to_owned()],
        },
        ("keys", keys) => match type_keys(debuggee, keys) {
            Ok(()) => Vec::new(),
            Err(why) => vec![why],
        },
        ("output", "") => {
            let printed = debuggee.timeline.printed();
            cp437::text(&printed, Controls::Lines).lines().map(str::to_owned).collect()
        }
        ("calls", "") => vec![call(debuggee)],
        ("who", what) => vec![who(debuggee, what)],
        ("when", "") => vec![when(debuggee)],
        ("when", number) => match number.parse() {
            Ok(number) => {
                debuggee.timeline.go_to_instruction(number);
                vec![when(debuggee)]
            }
            Err(_) => vec![format!("'{number}' is not a number of instructions")],
        },
        ("print", text) if !text.is_empty() => {
            vec![debuggee.evaluate(text).map_or_else(|why| why, |value| value.to_string())]
        }
        _ => HELP.iter().map(|line| (*line).to_owned()).collect(),
    }
}

pub(crate) fn type_keys(debuggee: &mut Debuggee, keys: &str) -> Result<(), String> {
    let keys: Result<Vec<Key>, _> = keys.split_whitespace().map(str::parse::<Key>).collect();
    for key in keys.map_err(|error| error.to_string())? {
        debuggee.timeline.type_key(key);
    }
    Ok(())
}

fn call(debuggee: &mut Debuggee) -> String {
    let (pc, ax) = (debuggee.pc(), debuggee.registers().ax());
    match debuggee.read(pc, 3)[..] {
        [0xCD, vector, _] | [0x0F, 0xFF, vector] => Service::new(vector, ax).to_string(),
        _ => "the current instruction does not call a service".to_owned(),
    }
}

fn when(debuggee: &Debuggee) -> String {
    let machine = debuggee.timeline.machine();
    format!("instruction {}, {} ms", machine.instructions(), machine.nanoseconds() / 1_000_000)
}

/// Finds the writer of something, and moves the history to it. Returns the answer.
pub(crate) fn who(debuggee: &mut Debuggee, what: &str) -> String {
    let written = match parse_written(debuggee, what) {
        Ok(written) => written,
        Err(why) => return why,
    };
    let now = debuggee.timeline.position();
    match last_write(&mut debuggee.timeline, written) {
        None => {
            debuggee.timeline.go_to(now);
            format!("{what} has not been written since the start")
        }
        Some(writer) => {
            let (cs, ip) = debuggee.place();
            let in_service = debuggee.registers().cs() != cs;
            let place = debuggee.describe(cs, ip);
            let by = match (writer.interrupt, in_service) {
                (Some(vector), _) => format!("interrupt {vector:02X}h of the hardware"),
                (None, true) => call(debuggee),
                (None, false) => format!("at {cs:04X}:{ip:04X}"),
            };
            format!("{what}: {place}, {by}, {}", when(debuggee))
        }
    }
}

/// Parses the object of a question: `ROW,COL`, `pixel X,Y`, `colour N`, a register, or the place of
/// a byte. Fails if it does not exist.
pub(super) fn parse_written(debuggee: &mut Debuggee, what: &str) -> Result<WriteTarget, String> {
    let number = |word: &str| word.trim().parse::<usize>().map_err(|_| format!("'{word}' is not a number"));
    let pair = |text: &str| match text.split_once(',') {
        Some((first, second)) => Ok((number(first)?, number(second)?)),
        None => Err(format!("'{text}' is not a pair of numbers such as 5,12")),
    };
    let machine = debuggee.timeline.machine();
    if let Some(place) = what.strip_prefix("pixel") {
        let (x, y) = pair(place.trim_start_matches([' ', '=']))?;
        let frame = machine.frame();
        if x >= frame.width || y >= frame.height {
            return Err(format!("the picture has {} by {} pixels, from 0", frame.width, frame.height));
        }
        return Ok(WriteTarget::Pixel { x, y });
    }
    if let Some(index) = what.strip_prefix("colour").or_else(|| what.strip_prefix("color")) {
        let index = number(index.trim_start_matches([' ', '=']))?;
        return u8::try_from(index).map(WriteTarget::Colour).map_err(|_| "colours go up to 255".to_owned());
    }
    if what.contains(',') {
        let (row, column) = pair(what)?;
        let text = machine.text().ok_or("the screen shows a picture: use pixel X,Y")?;
        if row >= text.rows || column >= text.columns {
            return Err(format!("the screen has {} rows and {} columns, from 0", text.rows, text.columns));
        }
        return Ok(WriteTarget::Cell { row, column });
    }
    if let Ok(register) = what.parse() {
        return Ok(WriteTarget::Register(register));
    }
    debuggee.address_of(what).map(WriteTarget::Byte)
}
