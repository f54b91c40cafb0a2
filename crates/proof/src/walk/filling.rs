//! The initial contents of memory that the loader does not write.

use oxbox_machine::machine::Machine;

/// Size in bytes of the PSP before each program.
const PSP_BYTES: u32 = 0x100;
/// The offset in the PSP of the segment after the program's memory.
const MEMORY_END: u32 = 2;

/// A fill pattern for unwritten memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filling {
    /// A constant byte.
    Byte(u8),
    /// Pseudo-random bytes, the same in each run.
    Noise,
}

impl Filling {
    /// Fills the memory between the loaded program and the end of its memory block. The top word of
    /// a COM program's stack keeps the zero from DOS.
    pub(super) fn fill(self, machine: &mut Machine, program: &[u8]) {
        let psp = u32::from(machine.psp()) * 16;
        let end = machine.read_memory(psp + MEMORY_END, 2);
        let end = u32::from(u16::from_le_bytes([end[0], end[1]])) * 16;
        let from = psp + PSP_BYTES + loaded_bytes(program);
        let stack = u32::from(machine.cpu().regs.ss()) * 16 + u32::from(machine.cpu().regs.sp());
        let mut state: u32 = 1;
        let mut next = || match self {
            Filling::Byte(byte) => byte,
            Filling::Noise => {
                // The generator of Numerical Recipes.
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            }
        };
        let mut fill = |from: u32, to: u32| {
            let bytes: Vec<u8> = (from..to.max(from)).map(|_| next()).collect();
            machine.write_memory(from, &bytes);
        };
        if is_exe(program) {
            fill(from, end);
        } else {
            fill(from, stack.min(end));
            fill((stack + 2).max(from), end);
        }
    }
}

fn is_exe(program: &[u8]) -> bool {
    program.starts_with(b"MZ") || program.starts_with(b"ZM")
}

/// Returns the number of bytes that loading writes after the PSP: a whole COM file, or the image of
/// an EXE file by its header.
fn loaded_bytes(program: &[u8]) -> u32 {
    let word = |at: usize| {
        program.get(at..at + 2).map_or(0, |word| u32::from(u16::from_le_bytes([word[0], word[1]])))
    };
    if !is_exe(program) {
        return program.len() as u32;
    }
    let (last, pages, header) = (word(2), word(4), word(8) * 16);
    let file = if last == 0 { pages * 512 } else { pages.saturating_sub(1) * 512 + last };
    file.saturating_sub(header)
}
