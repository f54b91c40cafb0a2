//! Facts about instructions for the checker, computed once per instruction.

use super::super::access::value_of;
use super::super::disassembly::{LONGEST, bytes_at, decode};
use iced_x86::{
    Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpKind, Register, RflagsBits,
};
use oxbox_cpu::Cpu;
use oxbox_cpu::directions::{is_read, is_written};
use oxbox_machine::hardware::Hardware;

#[derive(Debug, Clone, Copy)]
pub(super) struct Fact {
    pub(super) instruction: Instruction,
    pub(super) reads_carry: bool,
    pub(super) writes_carry: bool,
    pub(super) compares_ax: bool,
    pub(super) writes_cx: bool,
    /// Whether it uses the value of AL itself. PUSH and moves of AX do not count.
    pub(super) uses_al: bool,
    pub(super) writes_al: bool,
    /// Whether it loads SP, as MOV SP and LEAVE do.
    pub(super) sets_stack: bool,
}

/// A cache of facts by the low bits of IP, because loops repeat.
pub(super) struct Facts {
    factory: InstructionInfoFactory,
    known: Vec<([u8; LONGEST], u16, Fact)>,
}

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").finish_non_exhaustive()
    }
}

impl Facts {
    const KNOWN: usize = 1024;

    pub(super) fn new() -> Facts {
        let mut factory = InstructionInfoFactory::new();
        let zeros = [0; LONGEST];
        let fact = look(&mut factory, decode(&zeros, 0));
        Facts { factory, known: vec![(zeros, 0, fact); Self::KNOWN] }
    }

    pub(super) fn at(&mut self, cpu: &Cpu, hw: &Hardware) -> Fact {
        let (cs, ip) = (cpu.regs.cs(), cpu.regs.ip as u16);
        let bytes = bytes_at(hw, cs, ip);
        let slot = &mut self.known[usize::from(ip) % Self::KNOWN];
        if slot.0 != bytes || slot.1 != ip {
            *slot = (bytes, ip, look(&mut self.factory, decode(&bytes, ip)));
        }
        slot.2
    }
}

fn look(factory: &mut InstructionInfoFactory, instruction: Instruction) -> Fact {
    use Register::{AH, AL, AX, CH, CL, CX, EAX, ECX, ESP, SP, SS};
    let info = factory.info_options(&instruction, InstructionInfoOptions::NO_MEMORY_USAGE);
    let touches = |registers: &[Register], writes: bool| {
        info.used_registers().iter().any(|used| {
            let fits = if writes { is_written(used.access()) } else { is_read(used.access()) };
            fits && registers.contains(&used.register())
        })
    };
    let compares =
        matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Or | Mnemonic::And);
    let pops = instruction.stack_pointer_increment() != 0 && instruction.mnemonic() != Mnemonic::Leave;
    let sets_sp = touches(&[SP, ESP], true) && !pops && !matches!(instruction.mnemonic(), Mnemonic::Iret);
    Fact {
        instruction,
        reads_carry: instruction.rflags_read() & RflagsBits::CF != 0,
        writes_carry: instruction.rflags_modified() & RflagsBits::CF != 0,
        compares_ax: compares && touches(&[AX, AL, AH, EAX], false),
        writes_cx: touches(&[CX, CL, CH, ECX], true),
        uses_al: touches(&[AL], false) || !copies(instruction.mnemonic()) && touches(&[AX, EAX], false),
        writes_al: touches(&[AL, AX, EAX], true),
        sets_stack: sets_sp || touches(&[SS], true),
    }
}

/// Returns whether an instruction saves a register or passes it to a service.
fn copies(mnemonic: Mnemonic) -> bool {
    use Mnemonic::{Call, Int, Mov, Out, Push, Pusha, Pushad, Xchg};
    matches!(mnemonic, Call | Int | Mov | Out | Push | Pusha | Pushad | Xchg)
}

/// Returns whether an instruction explicitly sets CX to zero: MOV CX,0, XOR CX,CX or SUB CX,CX.
pub(super) fn clears_cx(instruction: &Instruction) -> bool {
    let is_cx = |operand| {
        instruction.op_kind(operand) == OpKind::Register
            && matches!(instruction.op_register(operand), Register::CX | Register::ECX)
    };
    match instruction.mnemonic() {
        Mnemonic::Mov => {
            is_cx(0) && instruction.op_kind(1) == OpKind::Immediate16 && instruction.immediate16() == 0
        }
        Mnemonic::Xor | Mnemonic::Sub => is_cx(0) && is_cx(1),
        _ => false,
    }
}

/// Returns the counter of a LOOP: CX, or ECX by its address size.
pub(super) fn counter(fact: &Fact, cpu: &Cpu) -> u32 {
    use iced_x86::Code::{Loop_rel8_16_ECX, Loop_rel8_32_ECX};
    let is_wide = matches!(fact.instruction.code(), Loop_rel8_16_ECX | Loop_rel8_32_ECX);
    value_of(if is_wide { Register::ECX } else { Register::CX }, &cpu.regs)
}
