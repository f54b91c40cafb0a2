//! What has most likely gone wrong: the usual mistakes of a program, told by its last instructions.

mod interrupts;
mod returns;
mod written;

use super::access::value_of;
use super::disassembly::{decode, disassemble, segment};
use super::last::Moment;
use super::program::Program;
use iced_x86::{CpuidFeature, FlowControl, Instruction, Mnemonic, OpKind};
use oxbox_cpu::{Model, Registers};
use oxbox_machine::machine::{End, Fault, FaultKind};
use std::collections::{BTreeMap, VecDeque};

/// How a program ends under DOS.
const HOW_TO_END: &str = "end it with mov ax, 4C00h and int 21h";

/// Instructions of zeros in a row that are no program.
const MANY_ZEROS: usize = 16;

/// What a hint is drawn from.
pub(super) struct Evidence<'a> {
    pub(super) program: &'a Program,
    pub(super) model: Model,
    pub(super) end: &'a End,
    /// At the end, or before the instruction at fault.
    pub(super) registers: &'a Registers,
    /// The bytes at CS:IP then.
    pub(super) bytes: [u8; 15],
    /// It went on past the end of the code segment.
    pub(super) ran_off: bool,
    pub(super) last: &'a VecDeque<Moment>,
    pub(super) byte: &'a dyn Fn(u16, u16) -> u8,
    /// Requests that the interrupt controllers have in service, IRQ 0 in the lowest bit.
    pub(super) in_service: u16,
}

impl Evidence<'_> {
    /// The most likely mistake, if one can be told.
    pub(super) fn hint(&self) -> Option<String> {
        self.protected_mode()
            .or_else(|| self.stack_overflow())
            .or_else(|| self.overwritten_code())
            .or_else(|| self.departure())
            .or_else(|| self.division_and_ds())
            .or_else(|| self.newer_processor())
            .or_else(|| self.older_processor())
            .or_else(|| self.zeros())
            .or_else(|| self.endless_loop())
            .or_else(|| self.ds_is_psp().filter(|_| self.reads_by_ds()).map(str::to_owned))
    }

    fn exception(&self) -> Option<u8> {
        if let End::Crashed(crash) = self.end { Some(crash.exception) } else { None }
    }

    fn instruction(&self) -> Instruction {
        decode(&self.bytes, self.registers.ip as u16)
    }

    fn place(&self, moment: &Moment) -> String {
        let (cs, ip) = moment.at();
        let place = self.program.place(cs, ip).map(|place| place.to_string());
        place.unwrap_or_else(|| format!("{cs:04X}:{ip:04X}"))
    }

    fn text(&self, moment: &Moment) -> String {
        let names = |segment, offset| self.program.name_at(segment, offset).map(str::to_owned);
        disassemble(&moment.bytes, &moment.registers, &names).text
    }

    fn protected_mode(&self) -> Option<String> {
        use Mnemonic::{Arpl, Lar, Lldt, Lsl, Ltr, Sldt, Str, Verr, Verw};
        let instruction = self.instruction();
        let only_there =
            matches!(instruction.mnemonic(), Arpl | Lar | Lldt | Lsl | Ltr | Sldt | Str | Verr | Verw);
        let switches = matches!(self.end, End::Dead(Fault { kind: FaultKind::ProtectedMode(_), .. }));
        if switches {
            let text = "setting CR0.PE enters protected mode; a program for DOS stays in real mode and does without it";
            return Some(text.to_owned());
        }
        // Letters of a text are such instructions, too.
        let is_code =
            self.left_at().is_none() && self.program.is_code(self.registers.cs(), self.registers.ip as u16);
        (self.exception() == Some(6) && only_there && is_code).then(|| {
            let name = format!("{:?}", instruction.mnemonic()).to_uppercase();
            format!(
                "{name} belongs to protected mode; a program for DOS stays in real mode and does without it"
            )
        })
    }

    /// Below the bottom of the stack there is the rest of its segment, and then, round the corner, its top; of a COM program its code.
    fn stack_overflow(&self) -> Option<String> {
        let (ss, sp) = self.program.stack();
        let is_over = |registers: &Registers| {
            let wrapped = !self.program.is_com() && sp > 2 && registers.sp() > sp;
            registers.ss() == ss
                && (wrapped || self.program.is_com() && self.program.holds(ss, registers.sp()))
        };
        let over = self.last.iter().any(|moment| is_over(&moment.registers)) || is_over(self.registers);
        let shut_down = matches!(self.exception(), Some(0x08 | 0x0C));
        if !(over && self.grows() || shut_down) {
            return None;
        }
        let mut calls: BTreeMap<(u16, u16), (usize, &Moment)> = BTreeMap::new();
        let mut pushes: Option<&Moment> = None;
        for moment in self.last {
            let instruction = decode(&moment.bytes, moment.registers.ip as u16);
            match instruction.flow_control() {
                FlowControl::Call | FlowControl::IndirectCall => {
                    calls.entry(moment.at()).or_insert((0, moment)).0 += 1;
                }
                _ if instruction.mnemonic() == Mnemonic::Push => pushes = Some(moment),
                _ => {}
            }
        }
        let size = if self.program.is_com() { String::new() } else { format!(" (it has {sp} bytes)") };
        let most = calls.into_values().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 2);
        Some(match (most, pushes) {
            (Some((_, moment)), _) => format!(
                "the stack is full{size}: the call at {} comes again and again and does not return",
                self.place(moment)
            ),
            (None, Some(moment)) => format!(
                "the stack is full{size}: the push at {} comes again and again without a pop",
                self.place(moment)
            ),
            (None, None) => format!("the stack is full{size}, or SP points to nowhere"),
        })
    }

    /// More is pushed than popped.
    fn grows(&self) -> bool {
        let mut down = 0usize;
        let mut up = 0usize;
        for (before, after) in self.last.iter().zip(self.last.iter().skip(1)) {
            let moved = after.registers.sp().wrapping_sub(before.registers.sp()) as i16;
            down += usize::from(moved < 0);
            up += usize::from(moved > 0);
        }
        down > 2 * up
    }

    /// The number of the last instruction before the program left its code, if that is where it ended.
    pub(super) fn left_at(&self) -> Option<usize> {
        let is_code = |(cs, ip): (u16, u16)| {
            let zeros = (self.byte)(cs, ip) == 0 && (self.byte)(cs, ip.wrapping_add(1)) == 0;
            self.program.is_code(cs, ip) && !zeros
        };
        let end = (self.registers.cs(), self.registers.ip as u16);
        if is_code(end)
            && !self.ran_off
            && self.last.back().is_none_or(|last| is_code(last.at()))
            && !self.is_in_zeros()
        {
            return None;
        }
        let places: Vec<(u16, u16)> = self.last.iter().map(Moment::at).chain([end]).collect();
        let left = (1..places.len()).rev().find(|&at| is_code(places[at - 1]) && !is_code(places[at]))?;
        Some(left - 1)
    }

    /// The program has left its code.
    fn departure(&self) -> Option<String> {
        if let Some(text) = self.begins_with_data() {
            return Some(text);
        }
        let left = self.left_at()?;
        let moment = self.last.get(left)?;
        let to = self.last.get(left + 1).map_or((self.registers.cs(), self.registers.ip as u16), Moment::at);
        Some(self.how_it_left(left, moment, to))
    }

    /// Data stand where a COM program begins, and have been executed.
    fn begins_with_data(&self) -> Option<String> {
        let (cs, ip) = self.program.entry();
        let name = self.program.variable_at(cs, ip).filter(|_| self.program.is_com())?;
        let is_executed = self.last.front().is_some_and(|moment| moment.at() == (cs, ip));
        let knows_lines = !self.program.symbols().files().is_empty();
        (is_executed && knows_lines && !self.program.is_code(cs, ip)).then(|| {
            format!(
                "a COM program begins with its first byte, and there stands the variable {name}: put the variables behind the code, or jump over them"
            )
        })
    }

    fn how_it_left(&self, left: usize, moment: &Moment, (cs, ip): (u16, u16)) -> String {
        let place = self.place(moment);
        let instruction = decode(&moment.bytes, moment.registers.ip as u16);
        let (ss, sp) = self.program.stack();
        // After a service of BIOS or DOS, too, it goes on behind the INT.
        let goes_on = cs == moment.registers.cs() && u64::from(ip) == instruction.next_ip();
        // 4Ch to INT 15h is 4Ch to INT 21h without the h.
        let is_decimal = instruction.mnemonic() == Mnemonic::Int
            && instruction.immediate8() == 21
            && moment.registers.ah() == 0x4C;
        match instruction.flow_control() {
            _ if goes_on && is_decimal => format!(
                "the {} at {place} was written as int 21, which is decimal: INT 21h ends the program (mov ax, 4C00h and int 21h)",
                self.text(moment)
            ),
            _ if goes_on => {
                let into = match self.program.variable_at(cs, ip) {
                    Some(name) => format!("the data of {name}"),
                    None if cs == self.program.psp() && ip < 0x100 => "the PSP".to_owned(),
                    None => "what is no code".to_owned(),
                };
                format!(
                    "the program runs on past {place}, its last instruction there, into {into}: {HOW_TO_END}"
                )
            }
            FlowControl::Return if moment.registers.ss() == ss && moment.registers.sp() >= sp => {
                let name = if instruction.mnemonic() == Mnemonic::Iret { "IRET" } else { "RET" };
                self.ran_into(left).unwrap_or_else(|| {
                    format!(
                        "the {name} at {place} finds nothing on the stack; a main program does not return: {HOW_TO_END}"
                    )
                })
            }
            FlowControl::Return => self
                .handler(left)
                .filter(|_| instruction.mnemonic() != Mnemonic::Iret)
                .or_else(|| self.mixed_return(left))
                .or_else(|| self.overwritten(left))
                .unwrap_or_else(|| {
                    format!(
                        "the {} at {place} takes {cs:04X}:{ip:04X} from the stack, which is no return address: a PUSH without its POP, \
                         or a POP without its PUSH, since the procedure began",
                        self.text(moment)
                    )
                }),
            FlowControl::Interrupt if self.ends_as_com(&instruction, moment) => {
                let why = match moment.registers.al() {
                    0x4C => "has AH = 0 and AL = 4Ch: mov ah, 4Ch was meant, or mov ax, 4C00h",
                    _ => "ends a program only where CS is its PSP, as in a COM program: use mov ax, 4C00h and int 21h",
                };
                format!("the {} at {place} {why}", self.text(moment))
            }
            FlowControl::Interrupt => format!(
                "the {} at {place} finds no routine: nobody has set its vector, or it was overwritten",
                self.text(moment)
            ),
            _ => {
                let odd = instruction.op0_kind() == OpKind::Memory && self.takes_half_an_entry(moment);
                let advice = match self.writer_of_target(left, moment) {
                    Some(writer) => format!(": {writer}"),
                    None if odd => {
                        ": an entry of a table of words is 2 bytes, so the index counts by 2".to_owned()
                    }
                    None => String::new(),
                };
                format!("{} at {place} leads to {cs:04X}:{ip:04X}, where there is no code{advice}", self.text(moment))
            }
        }
    }

    /// A call of DOS that ends a COM program, with another CS than its PSP.
    fn ends_as_com(&self, instruction: &Instruction, moment: &Moment) -> bool {
        let vector = if instruction.mnemonic() == Mnemonic::Int { instruction.immediate8() } else { 0 };
        let ends = vector == 0x20 || vector == 0x21 && moment.registers.ah() == 0;
        ends && moment.registers.cs() != self.program.psp()
    }

    /// An indirect branch has an odd index.
    fn takes_half_an_entry(&self, moment: &Moment) -> bool {
        let instruction = decode(&moment.bytes, moment.registers.ip as u16);
        let index = |register| value_of(register, &moment.registers);
        index(instruction.memory_base()).wrapping_add(index(instruction.memory_index())) & 1 == 1
    }

    fn is_in_zeros(&self) -> bool {
        self.last.iter().rev().take(MANY_ZEROS).filter(|moment| moment.bytes[..2] == [0, 0]).count()
            == MANY_ZEROS
    }

    fn zeros(&self) -> Option<String> {
        let zeros = self.is_in_zeros() || self.exception() == Some(6) && self.bytes[..8] == [0; 8];
        zeros.then(|| {
            format!("the program runs through zeros, where nothing was loaded: {HOW_TO_END}, or look for the jump or RET that led there")
        })
    }

    /// What was divided by may have been read from where DS points to.
    fn division_and_ds(&self) -> Option<String> {
        let division = self.division()?;
        Some(match self.ds_is_psp().filter(|_| self.reads_by_ds()) {
            Some(missing) => format!("{division}; {missing}"),
            None => division,
        })
    }

    fn division(&self) -> Option<String> {
        if self.exception() != Some(0) {
            return None;
        }
        // An 8086 tells the instruction after the division.
        let moment = self.last.back()?;
        let instruction = decode(&moment.bytes, moment.registers.ip as u16);
        let registers = &moment.registers;
        let signed = instruction.mnemonic() == Mnemonic::Idiv;
        if instruction.mnemonic() == Mnemonic::Aam {
            return Some("AAM with a base of 0 divides by zero".to_owned());
        }
        let (size, divisor) = self.operand(&instruction, registers)?;
        let text = self.text(moment);
        let (name, operand) = text.split_once(' ').unwrap_or((text.as_str(), ""));
        let operand = without_size(operand);
        if divisor == 0 {
            return Some(format!("{operand} is 0: {} divides by zero", name.to_uppercase()));
        }
        let (ax, dx) = (registers.ax(), registers.dx());
        let (dividend, whole, part) =
            match size {
                1 => (if signed { i64::from(ax as i16) } else { i64::from(ax) }, "AX", "AL"),
                2 => {
                    let value = u32::from(dx) << 16 | u32::from(ax);
                    (if signed { i64::from(value as i32) } else { i64::from(value) }, "DX:AX", "AX")
                }
                _ => return Some(
                    "the quotient of EDX:EAX is more than EAX holds: clear EDX first, or use CDQ before IDIV"
                        .to_owned(),
                ),
            };
        let quotient = dividend / divisor;
        let stale = size == 1 && self.ah_is_stale();
        let advice = match (size, signed) {
            (1, false) if stale => "AH holds something from before: clear it before DIV (xor ah, ah)",
            (1, true) if stale => "AH holds something from before: set it by CBW before IDIV",
            (1, _) => "divide a word by a word instead, with DX cleared",
            (_, false) => "clear DX before DIV (xor dx, dx)",
            (_, true) => "set DX by CWD before IDIV",
        };
        Some(format!(
            "{whole} is {dividend}, divided by {operand} = {divisor} that is {quotient}, more than {part} holds: {advice}"
        ))
    }

    /// Size and value of what is divided by.
    fn operand(&self, instruction: &Instruction, registers: &Registers) -> Option<(usize, i64)> {
        let signed = instruction.mnemonic() == Mnemonic::Idiv;
        let (size, value) = if instruction.op0_kind() == OpKind::Register {
            let register = instruction.op0_register();
            let number = register.number();
            match register.size() {
                1 if number >= 4 => (1, registers.gpr[number - 4] >> 8 & 0xFF),
                1 => (1, registers.gpr[number] & 0xFF),
                2 => (2, registers.gpr[number] & 0xFFFF),
                _ => (4, registers.gpr[number]),
            }
        } else {
            let general = |register: iced_x86::Register| match register {
                iced_x86::Register::None => 0,
                register => registers.gpr[register.number()],
            };
            let base = general(instruction.memory_base()).wrapping_add(general(instruction.memory_index()));
            let offset = base.wrapping_add(instruction.memory_displacement32()) as u16;
            let at = segment(registers, instruction.memory_segment());
            let size = instruction.memory_size().size();
            let bytes = (0..size.min(4) as u16).rev();
            (size, bytes.fold(0, |value, n| value << 8 | u32::from((self.byte)(at, offset.wrapping_add(n)))))
        };
        let signed_value = match size {
            1 => i64::from(value as u8 as i8),
            2 => i64::from(value as u16 as i16),
            _ => i64::from(value as i32),
        };
        Some((size, if signed { signed_value } else { i64::from(value) }))
    }

    fn newer_processor(&self) -> Option<String> {
        use CpuidFeature::{INTEL186, INTEL286, INTEL386, INTEL486, INTEL8086};
        let instruction = self.instruction();
        // UD0, UD1 and UD2 are invalid on every processor.
        let is_none = instruction.is_invalid() || is_undefined(&instruction);
        if self.exception() != Some(6) || is_none {
            return None;
        }
        let of = match *instruction.cpuid_features().first()? {
            INTEL8086 => return None,
            INTEL186 => "the 80186",
            INTEL286 => "the 80286",
            INTEL386 => "the 80386",
            INTEL486 => "the 80486",
            _ => "the Pentium or a later processor",
        };
        let name = format!("{:?}", instruction.mnemonic()).to_uppercase();
        Some(format!("{name} is an instruction of {of}; the processor is {} (--cpu)", named(self.model)))
    }

    /// Instructions of the 8086 that its successors refuse.
    fn older_processor(&self) -> Option<String> {
        if self.exception() != Some(6) || self.model == Model::I8086 {
            return None;
        }
        let pushed = || {
            // The instruction itself may be the last that was seen.
            let before = self.last.iter().rev().find(|moment| moment.registers.ip != self.registers.ip);
            let before = before.map(|moment| decode(&moment.bytes, moment.registers.ip as u16));
            before.is_some_and(|instruction| instruction.mnemonic() == Mnemonic::Push)
        };
        let is_none = self.instruction().is_invalid() || is_undefined(&self.instruction());
        let (name, bytes) = match self.bytes {
            // 0Fh is the first byte of other instructions on later processors.
            [0x0F, ..] if is_none && pushed() => ("POP CS", "0Fh".to_owned()),
            [0x8E, second, ..] if second >> 3 & 7 == 1 => ("MOV to CS", format!("8Eh {second:02X}h")),
            [0xF0, ref locked @ ..] if !decode(locked, self.registers.ip as u16).is_invalid() => {
                ("LOCK before an instruction that is not locked", format!("F0h {:02X}h", locked[0]))
            }
            _ => return None,
        };
        Some(format!("{name} ({bytes}) works on an 8086, not on {}: --cpu 8086", named(self.model)))
    }

    /// DS was never loaded.
    fn ds_is_psp(&self) -> Option<&'static str> {
        let loads = !self.program.is_com() && self.registers.ds() == self.program.psp();
        if !loads {
            return None;
        }
        let (cs, _) = self.program.entry();
        let (ss, _) = self.program.stack();
        if cs == ss {
            return Some(
                "it has one segment and no stack, as a COM program, but no ORG 100h before its first instruction: so it became an EXE, and DS does not point to its data",
            );
        }
        Some("DS still points to the PSP, not to the data: begin with mov ax, @data and mov ds, ax")
    }

    /// One of the last instructions has a memory operand by way of DS.
    fn reads_by_ds(&self) -> bool {
        const FEW: usize = 200;
        self.last.iter().rev().take(FEW).any(|moment| {
            let instruction = decode(&moment.bytes, moment.registers.ip as u16);
            let in_memory = instruction.op_kinds().any(|kind| kind == OpKind::Memory);
            in_memory && instruction.memory_segment() == iced_x86::Register::DS
        })
    }

    /// A LOOP that goes round with the same count each time it comes.
    fn same_count(&self) -> Option<String> {
        const ENOUGH: usize = 3;
        let mut loops: BTreeMap<(u16, u16), (u16, usize, &Moment)> = BTreeMap::new();
        for moment in self.last {
            // E0h to E2h: LOOPNE, LOOPE, LOOP.
            if !matches!(moment.bytes[0], 0xE0..=0xE2) {
                continue;
            }
            let cx = moment.registers.cx();
            let found = loops.entry(moment.at()).or_insert((cx, 0, moment));
            found.1 = if found.0 == cx { found.1 + 1 } else { 1 };
            found.0 = cx;
        }
        let (_, (cx, _, moment)) =
            loops.into_iter().find(|(_, (cx, count, _))| *count >= ENOUGH && *cx != 1)?;
        Some(format!(
            "CX is {cx} each time the LOOP at {} comes: something within the loop sets CX anew (an inner loop keeps it with PUSH CX \
             and POP CX)",
            self.place(moment)
        ))
    }

    fn endless_loop(&self) -> Option<String> {
        if !matches!(self.end, End::Limit(_) | End::Signal(_)) {
            return None;
        }
        let last = self.last.back()?;
        let rounds: Vec<&Moment> =
            self.last.iter().rev().filter(|moment| moment.at() == last.at()).take(100).collect();
        let [newer, older, ..] = rounds[..] else { return None };
        let instruction = decode(&last.bytes, last.registers.ip as u16);
        if instruction.near_branch_target() == u64::from(last.registers.ip as u16) && is_jump(&instruction) {
            return Some(format!("the jump at {} leads to itself", self.place(last)));
        }
        let from = self.last.iter().rposition(|moment| std::ptr::eq(moment, older))?;
        let round: Vec<&Moment> =
            self.last.iter().skip(from).take_while(|moment| !std::ptr::eq(*moment, newer)).collect();
        if let Some(text) = self.same_count() {
            return Some(text);
        }
        let same = rounds.len() > 3
            && rounds.iter().all(|moment| {
                moment.registers.gpr == last.registers.gpr && moment.registers.flags == last.registers.flags
            });
        let asks = round.iter().any(|moment| {
            let instruction = decode(&moment.bytes, moment.registers.ip as u16);
            matches!(instruction.mnemonic(), Mnemonic::In | Mnemonic::Int | Mnemonic::Hlt)
        });
        if !same || asks || self.reads_bios_data(&round) {
            return None;
        }
        const SAME: &str = "each round of the loop leaves every register as it was";
        Some(match self.interrupted_by_itself() {
            Some(text) => format!("{SAME}: {text}"),
            None => format!("{SAME}: nothing in it can end it"),
        })
    }
}

/// A processor with its article.
fn named(model: Model) -> String {
    match model {
        Model::I8086 => "an 8086".to_owned(),
        Model::I586 => "a Pentium".to_owned(),
        _ => format!("an {model}"),
    }
}

/// A register in capitals, and a variable by its bare name.
fn without_size(operand: &str) -> String {
    let place = operand.split_once("ptr ").map(|(_, place)| place);
    match place {
        Some(place) if place.contains('+') || !place.starts_with('[') => place.to_owned(),
        Some(place) => place.trim_matches(['[', ']']).to_owned(),
        None => operand.to_uppercase(),
    }
}

fn is_jump(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch)
}

/// Whether an instruction is one of those that are there to be invalid.
fn is_undefined(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Ud0 | Mnemonic::Ud1 | Mnemonic::Ud2)
}
