//! Disassembly in MASM syntax with the program's symbols.

use iced_x86::{
    Decoder, DecoderOptions, Formatter, Instruction, MasmFormatter, OpKind, Register, SymbolResolver,
    SymbolResult,
};
use oxbox_cpu::Registers;
use oxbox_machine::hardware::{Hardware, linear};

/// The length of the longest instruction in bytes.
pub const LONGEST: usize = 15;

/// A disassembled instruction.
#[derive(Clone, Debug)]
pub struct Disassembled {
    /// The text in assembly language: `mov ax,total`.
    pub text: String,
    /// The length in bytes.
    pub length: usize,
}

/// Returns the symbol at a segment and offset, if there is one.
pub type Names<'a> = &'a dyn Fn(u16, u16) -> Option<String>;

/// Disassembles the instruction at the start of `bytes` for a processor with these registers.
///
/// ```
/// use oxbox_cpu::Registers;
/// use oxbox_inspect::disassemble;
///
/// let registers = Registers::default();
/// let text = |bytes: &[u8]| disassemble(bytes, &registers, &|_, offset| (offset == 0x10).then(|| "total".into())).text;
/// assert_eq!(text(&[0xF7, 0x36, 0x10, 0x00]), "div word ptr [total]");
/// assert_eq!(text(&[0xEB, 0x0E]), "jmp total");
/// assert_eq!(text(&[0x0F, 0xFF]), "(bad)");
/// ```
pub fn disassemble(bytes: &[u8], registers: &Registers, names: Names) -> Disassembled {
    let instruction = decode(bytes, registers.ip as u16);
    let branch = is_branch(&instruction).then(|| names(registers.cs(), instruction.near_branch16()));
    let named =
        instruction.op_kinds().any(|kind| kind == OpKind::Memory) && instruction.memory_displ_size() > 1;
    let memory = named.then(|| {
        let segment = segment(registers, instruction.memory_segment());
        names(segment, instruction.memory_displacement32() as u16)
    });
    let found = Found { branch: branch.flatten(), memory: memory.flatten() };
    let mut formatter = MasmFormatter::with_options(Some(Box::new(found)), None);
    let options = formatter.options_mut();
    options.set_branch_leading_zeros(false);
    options.set_displacement_leading_zeros(false);
    options.set_show_branch_size(false);
    options.set_masm_symbol_displ_in_brackets(true);
    let mut text = String::new();
    formatter.format(&instruction, &mut text);
    Disassembled { text, length: instruction.len().max(1) }
}

/// Returns the bytes at CS:IP, as many as the longest instruction has.
pub(super) fn bytes_at(hw: &Hardware, cs: u16, ip: u16) -> [u8; LONGEST] {
    bytes_from(|address| hw.memory.read8(address), cs, ip)
}

/// Like [`bytes_at`], from memory that `read` returns by its linear address.
pub(super) fn bytes_from(read: impl Fn(u32) -> u8, cs: u16, ip: u16) -> [u8; LONGEST] {
    std::array::from_fn(|offset| read(linear(cs, ip.wrapping_add(offset as u16))))
}

pub(super) fn decode(bytes: &[u8], ip: u16) -> Instruction {
    Decoder::with_ip(16, bytes, u64::from(ip), DecoderOptions::NONE).decode()
}

pub(super) fn segment(registers: &Registers, register: Register) -> u16 {
    match register {
        Register::ES => registers.es(),
        Register::CS => registers.cs(),
        Register::SS => registers.ss(),
        Register::FS => registers.fs(),
        Register::GS => registers.gs(),
        _ => registers.ds(),
    }
}

fn is_branch(instruction: &Instruction) -> bool {
    instruction.op_kinds().any(|kind| kind == OpKind::NearBranch16)
}

struct Found {
    branch: Option<String>,
    memory: Option<String>,
}

impl SymbolResolver for Found {
    fn symbol(
        &mut self,
        instruction: &Instruction,
        _: u32,
        operand: Option<u32>,
        address: u64,
        _: u32,
    ) -> Option<SymbolResult<'_>> {
        let name = match instruction.op_kind(operand?) {
            OpKind::NearBranch16 => self.branch.as_deref(),
            OpKind::Memory => self.memory.as_deref(),
            _ => None,
        };
        name.map(|name| SymbolResult::with_str(address, name))
    }
}
