//! The debugger panel of the page: registers, the next instructions, the stack, and steps in both
//! directions.

use super::player::Player;
use oxbox_cpu::{Flags, Registers};
use oxbox_inspect::{LONGEST, Process, StepKind, Stepper, StopReason, WriteTarget, disassemble, last_write};
use oxbox_machine::hardware::linear;
use serde::Serialize;

/// The most instructions of a step.
const LONGEST_STEP: u64 = 50_000_000;

#[derive(Debug, Serialize)]
pub(super) struct View {
    /// Names and values in the format of debuggers.
    registers: Vec<(&'static str, String)>,
    flags: String,
    /// The next instructions of the program.
    code: Vec<Line>,
    /// Words on the stack from SS:SP.
    stack: Vec<String>,
    /// Instructions since power-on.
    instructions: u64,
}

#[derive(Debug, Serialize)]
struct Line {
    place: String,
    bytes: String,
    text: String,
    /// The symbol at this address.
    name: Option<String>,
    source: Option<(String, u32)>,
}

/// Returns the view of the machine with `lines` instructions.
pub(super) fn view(player: &mut Player, lines: usize) -> View {
    let program = player.program().clone();
    let machine = player.timeline().machine_mut();
    // An executed program's symbols are unknown here.
    let known = Process::current(machine).is_none_or(|process| process.psp == program.psp());
    let names = |segment, offset| program.name_at(segment, offset).filter(|_| known).map(str::to_owned);
    let registers = machine.cpu().regs.clone();
    // Inside of a service: the address at which the program continues.
    let (cs, mut ip) = machine.position();
    let mut code = Vec::new();
    for _ in 0..lines {
        let bytes = machine.read_memory(linear(cs, ip), LONGEST as u32);
        let mut at = Registers { ip: u32::from(ip), ..registers.clone() };
        at.set_cs(cs);
        let instruction = disassemble(&bytes, &at, &names);
        let hex: Vec<String> = bytes[..instruction.length].iter().map(|byte| format!("{byte:02X}")).collect();
        let place = program.place(cs, ip).filter(|_| known);
        code.push(Line {
            place: format!("{cs:04X}:{ip:04X}"),
            bytes: hex.join(" "),
            text: instruction.text,
            name: names(cs, ip),
            source: place.and_then(|place| place.file.zip(place.line)),
        });
        ip = ip.wrapping_add(instruction.length as u16);
    }
    let top = (0..8_u16).map(|word| linear(registers.ss(), registers.sp().wrapping_add(2 * word)));
    let words: Vec<Vec<u8>> = top.map(|address| machine.read_memory(address, 2)).collect();
    View {
        code,
        stack: words.iter().map(|word| format!("{:02X}{:02X}", word[1], word[0])).collect(),
        flags: flags(&registers),
        registers: named(&registers),
        instructions: machine.instructions(),
    }
}

fn named(registers: &Registers) -> Vec<(&'static str, String)> {
    let general =
        Registers::GENERAL.into_iter().zip(registers.gpr).map(|(name, value)| (name, format!("{value:08X}")));
    let segments = Registers::SEGMENTS
        .into_iter()
        .zip(registers.seg)
        .map(|(name, value)| (name, format!("{value:04X}")));
    general.chain(segments).chain([("IP", format!("{:04X}", registers.ip))]).collect()
}

fn flags(registers: &Registers) -> String {
    const NAMES: [(u32, &str); 9] = [
        (Flags::OF, "OF"),
        (Flags::DF, "DF"),
        (Flags::IF, "IF"),
        (Flags::TF, "TF"),
        (Flags::SF, "SF"),
        (Flags::ZF, "ZF"),
        (Flags::AF, "AF"),
        (Flags::PF, "PF"),
        (Flags::CF, "CF"),
    ];
    let set = NAMES.iter().filter(|(bit, _)| registers.flags & bit != 0);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

/// Executes one instruction of the program, including BIOS, DOS and interrupts. Returns false if it
/// waits for a key or has ended.
pub(super) fn step(player: &mut Player) -> bool {
    stepped(player, |stepper| stepper.step(StepKind::Into))
}

/// Steps back by one instruction of the program. Returns false at its beginning.
pub(super) fn step_back(player: &mut Player) -> bool {
    stepped(player, |stepper| stepper.step_back(StepKind::Into))
}

fn stepped(player: &mut Player, run: impl FnOnce(&mut Stepper) -> StopReason) -> bool {
    let reason = run(&mut Stepper::new(player.timeline(), &[], &|_, _| true, LONGEST_STEP));
    player.after_seek();
    reason == StopReason::Step
}

/// Seeks to the instruction that wrote a character of the text screen, or a pixel. Returns false if
/// there is no such instruction.
pub(super) fn go_to_writer(player: &mut Player, x: usize, y: usize) -> bool {
    let cell = player.machine().text().map(|text| (text.columns, text.rows));
    let frame = player.machine().frame();
    let written = match cell {
        Some((columns, rows)) => WriteTarget::Cell {
            row: y * rows / frame.height.max(1),
            column: x * columns / frame.width.max(1),
        },
        None => WriteTarget::Pixel { x, y },
    };
    let found = last_write(player.timeline(), written).is_some();
    player.after_seek();
    found
}
