//! A list of host instructions with labels, and its encoding by iced-x86.

use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, IcedError, Instruction, InstructionBlock, MemoryOperand,
    Register as R,
};

/// A position in the list. iced-x86 uses the address of an instruction as its label, so labels are
/// small addresses below all mapped memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label(u64);

/// Instructions to encode. One that cannot be built poisons the list, which then yields no code.
#[derive(Debug, Default)]
pub(super) struct Emitter {
    list: Vec<Instruction>,
    labels: u64,
    pending: Option<Label>,
    poisoned: bool,
}

/// Machine code for one address, and the offset of each label.
#[derive(Debug)]
pub(super) struct Encoded {
    address: u64,
    bytes: Vec<u8>,
    labels: Vec<u32>,
}

impl Encoded {
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn offset(&self, label: Label) -> usize {
        self.labels[label.0 as usize] as usize
    }
}

impl Emitter {
    pub(super) fn put(&mut self, instruction: Instruction) {
        let mut instruction = instruction;
        instruction.set_ip(self.pending.take().map_or(0, |label| label.0));
        self.list.push(instruction);
    }

    /// Emits an instruction, unless it could not be built.
    pub(super) fn try_put(&mut self, instruction: Result<Instruction, IcedError>) {
        match instruction.ok() {
            Some(instruction) => self.put(instruction),
            None => self.poison(),
        }
    }

    /// Marks the list as untranslatable.
    pub(super) fn poison(&mut self) {
        self.poisoned = true;
    }

    /// Emits an instruction with two register operands.
    pub(super) fn regs(&mut self, code: Code, first: R, second: R) {
        self.try_put(Instruction::with2(code, first, second));
    }

    pub(super) fn reg(&mut self, code: Code, register: R) {
        self.try_put(Instruction::with1(code, register));
    }

    pub(super) fn imm(&mut self, code: Code, register: R, value: i32) {
        self.try_put(Instruction::with2(code, register, value));
    }

    /// Emits an instruction with two registers and an immediate.
    pub(super) fn regs_imm(&mut self, code: Code, first: R, second: R, value: i32) {
        self.try_put(Instruction::with3(code, first, second, value));
    }

    /// Emits a load of a 64-bit immediate.
    pub(super) fn imm64(&mut self, register: R, value: u64) {
        self.try_put(Instruction::with2(Code::Mov_r64_imm64, register, value));
    }

    pub(super) fn load(&mut self, code: Code, register: R, base: R, displacement: i64) {
        self.try_put(Instruction::with2(code, register, at(base, displacement)));
    }

    pub(super) fn store(&mut self, code: Code, base: R, displacement: i64, register: R) {
        self.try_put(Instruction::with2(code, at(base, displacement), register));
    }

    pub(super) fn load_at(&mut self, code: Code, register: R, memory: MemoryOperand) {
        self.try_put(Instruction::with2(code, register, memory));
    }

    pub(super) fn store_at(&mut self, code: Code, memory: MemoryOperand, register: R) {
        self.try_put(Instruction::with2(code, memory, register));
    }

    pub(super) fn memory_imm(&mut self, code: Code, memory: MemoryOperand, value: i32) {
        self.try_put(Instruction::with2(code, memory, value));
    }

    /// Emits an instruction with one operand, in memory.
    pub(super) fn memory(&mut self, code: Code, memory: MemoryOperand) {
        self.try_put(Instruction::with1(code, memory));
    }

    /// Emits an instruction without operands.
    pub(super) fn plain(&mut self, code: Code) {
        self.put(Instruction::with(code));
    }

    /// Emits a jump through memory at `base + displacement`.
    pub(super) fn jump_through(&mut self, base: R, displacement: i64) {
        self.try_put(Instruction::with1(Code::Jmp_rm64, at(base, displacement)));
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    pub(super) fn bind(&mut self, label: Label) {
        if self.pending.is_some() {
            self.plain(Code::Nopd);
        }
        self.pending = Some(label);
    }

    pub(super) fn jump(&mut self, code: Code, to: Label) {
        self.jump_to(code, to.0);
    }

    pub(super) fn jump_to(&mut self, code: Code, to: u64) {
        self.try_put(Instruction::with_branch(code, to));
    }

    /// Pushes 64-bit registers.
    pub(super) fn keep(&mut self, registers: &[R]) {
        registers.iter().for_each(|register| self.reg(Code::Push_r64, *register));
    }

    /// Pops the registers in reverse order. Keeps the flags.
    pub(super) fn bring_back(&mut self, registers: &[R]) {
        registers.iter().rev().for_each(|register| self.reg(Code::Pop_r64, *register));
    }

    /// Emits the return of a routine, with CF clear on the normal path and set at the label.
    pub(super) fn end(&mut self, kept: &[R], refused: Label) {
        self.bring_back(kept);
        self.plain(Code::Clc);
        self.plain(Code::Retnq);
        self.bind(refused);
        self.bring_back(kept);
        self.plain(Code::Stc);
        self.plain(Code::Retnq);
    }

    /// Encodes the list for an address; `None` if an instruction cannot be encoded.
    pub(super) fn encode(self, address: u64) -> Option<Encoded> {
        if self.poisoned || self.pending.is_some() {
            return None;
        }
        let block = InstructionBlock::new(&self.list, address);
        let options = BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS;
        let result = BlockEncoder::encode(64, block, options).ok()?;
        let mut labels = vec![u32::MAX; self.labels as usize + 1];
        for (instruction, offset) in self.list.iter().zip(result.new_instruction_offsets) {
            labels[instruction.ip() as usize] = offset;
        }
        // The first offset belongs to instructions without a label. An unbound label would be taken
        // for an address.
        let all_bound = labels.iter().skip(1).all(|offset| *offset != u32::MAX);
        all_bound.then_some(Encoded { address, bytes: result.code_buffer, labels })
    }
}

/// Returns the operand `base + displacement`.
pub(super) fn at(base: R, displacement: i64) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, displacement)
}

/// Returns the operand `base + index * scale + displacement`.
pub(super) fn scaled(base: R, index: R, scale: u32, displacement: i64) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(base, index, scale, displacement, 1)
}

/// Returns the operand `base + index`.
pub(super) fn indexed(base: R, index: R) -> MemoryOperand {
    MemoryOperand::with_base_index(base, index)
}
