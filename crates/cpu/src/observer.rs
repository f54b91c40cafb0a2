//! The observer of a run by blocks, see [`Cpu::run_observed`].

use super::state::Cpu;
use iced_x86::Instruction;

/// An observer's description of a block, which means nothing to the processor.
pub type Note = [u32; 5];

/// The part of a block that has been executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEnd {
    /// All instructions.
    Whole,
    /// Some: the last one has changed decoded code, or the run ends after it.
    Stopped,
    /// Some: the last one has raised an exception.
    Interrupted,
}

/// Permits blocks and follows their execution, see [`Cpu::run_observed`].
pub trait BlockObserver<B> {
    /// Whether this instruction of the code segment may be part of a block. The block ends before
    /// one that may not.
    fn admits(&self, cpu: &Cpu, instruction: &Instruction) -> bool;

    /// Describes a block of these instructions; of none if its first one is not admitted.
    fn describe(&mut self, cpu: &Cpu, instructions: &[Instruction]) -> Note;

    /// Whether the block at CS:IP is executed. The run ends before one that is not.
    fn enters(&mut self, note: &Note, cpu: &Cpu, bus: &B) -> bool;

    /// The block has been executed.
    fn left(&mut self, note: &Note, end: BlockEnd, cpu: &Cpu);
}
