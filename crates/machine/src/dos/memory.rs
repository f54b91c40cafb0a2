//! Memory blocks: functions 48h, 49h, 4Ah and 58h.
//!
//! The chain is only in guest memory: a program's changes to it are respected, and a broken chain
//! is error 7. Each block is a paragraph with 'M' ('Z' for the last), owner, size in paragraphs,
//! and name; the memory follows.

use super::{
    error::{Answer, ErrorCode, Pause},
    pending::Call,
    state::{Dos, Handler},
    sysvars,
};
use crate::firmware::{Far, Functions, GuestMemory, row};
use crate::hardware::{Hardware, Memory};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// Segment of the control block; the memory begins one paragraph later.
    pub(crate) at: u16,
    pub(crate) last: bool,
    /// PSP of the owner; 0: free, 8: DOS.
    pub(crate) owner: u16,
    /// Paragraphs.
    pub(crate) size: u16,
}

impl Block {
    pub(crate) fn memory(self) -> u16 {
        self.at.wrapping_add(1)
    }

    fn next(self) -> u16 {
        self.at.wrapping_add(1).wrapping_add(self.size)
    }

    fn free(self) -> bool {
        self.owner == 0
    }

    /// Writes signature, owner and size; the name does not change.
    pub(crate) fn write(self, hw: &mut Hardware) {
        let at = Far::new(self.at, 0);
        hw.set_byte(at, if self.last { b'Z' } else { b'M' });
        hw.set_word(at.plus(1), self.owner);
        hw.set_word(at.plus(3), self.size);
    }

    fn set_name(self, hw: &mut Hardware, name: &[u8]) {
        let mut field = [0; 8];
        let len = name.len().min(8);
        field[..len].copy_from_slice(&name[..len]);
        hw.set_bytes(Far::new(self.at, 8), &field);
    }
}

/// The maximum number of blocks. A longer chain must have been faked by a program.
const MOST_BLOCKS: usize = 4096;

/// Owner of blocks that belong to DOS.
pub(crate) const OWNER_DOS: u16 = 8;

/// The reason that a block cannot be allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    Broken,
    NoBlock,
    /// The size of the largest free block, in paragraphs.
    Room(u16),
}

impl From<Lack> for ErrorCode {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Broken => ErrorCode::ChainDestroyed,
            Lack::NoBlock => ErrorCode::InvalidBlock,
            Lack::Room(_) => ErrorCode::InsufficientMemory,
        }
    }
}

fn read(hw: &mut Hardware, segment: u16) -> Result<Block, Lack> {
    let at = Far::new(segment, 0);
    let last = match hw.byte(at) {
        b'M' => false,
        b'Z' => true,
        _ => return Err(Lack::Broken),
    };
    Ok(Block { at: segment, last, owner: hw.word(at.plus(1)), size: hw.word(at.plus(3)) })
}

/// Returns the whole chain, from low to high.
pub(crate) fn chain(hw: &mut Hardware) -> Result<Vec<Block>, Lack> {
    let mut blocks = Vec::new();
    let mut at = hw.word(sysvars::FIRST_BLOCK);
    loop {
        let block = read(hw, at)?;
        blocks.push(block);
        if block.last {
            return Ok(blocks);
        }
        // Otherwise a circular chain would be followed indefinitely, and one of many empty blocks for
        // too long.
        if blocks.len() >= MOST_BLOCKS {
            return Err(Lack::Broken);
        }
        let next = u32::from(at) + 1 + u32::from(block.size);
        at = u16::try_from(next).map_err(|_| Lack::Broken)?;
    }
}

/// Returns the linear address of an owner's first block. A broken chain ends where it is broken.
pub(crate) fn first_block_of(memory: &Memory, owner: u16) -> Option<u32> {
    let mut at = memory.read16(sysvars::FIRST_BLOCK.linear());
    for _ in 0..MOST_BLOCKS {
        let block = Far::new(at, 0).linear();
        let signature = memory.read8(block);
        if matches!(signature, b'M' | b'Z') && memory.read16(block + 1) == owner {
            return Some(block);
        }
        if signature != b'M' {
            return None;
        }
        at = at.wrapping_add(1).wrapping_add(memory.read16(block + 3));
    }
    None
}

/// Joins neighbouring free blocks, as DOS does at every allocation.
fn joined(hw: &mut Hardware) -> Result<Vec<Block>, Lack> {
    let mut blocks: Vec<Block> = Vec::new();
    for block in chain(hw)? {
        match blocks.last_mut() {
            Some(before) if before.free() && block.free() => {
                before.size += block.size + 1;
                before.last = block.last;
                before.write(hw);
            }
            _ => blocks.push(block),
        }
    }
    Ok(blocks)
}

/// Initialises the chain: the system's block, the shell with its environment, and a free block up
/// to `top` (a segment).
///
/// The last paragraph is reserved. If drivers are loaded into upper memory blocks, MS-DOS 5 keeps
/// the control block there that links to them: so programs see 9FFFh as their top of memory.
pub(crate) fn init(hw: &mut Hardware, top: u16, environment_bytes: usize) {
    let system = sysvars::SYSTEM_BLOCK;
    let shell = sysvars::SHELL - 1;
    let environment = sysvars::SHELL_ENVIRONMENT - 1;
    // Room for variables that are set later. A longer environment moves the first program up.
    let paragraphs = environment_bytes.div_ceil(16).max(0x20) as u16;
    let free = sysvars::SHELL_ENVIRONMENT + paragraphs + 1;
    let part = |at: u16, next: u16, owner| Block { at, last: false, owner, size: next - at - 1 };
    let system = part(system, shell, OWNER_DOS);
    system.write(hw);
    system.set_name(hw, b"SD");
    let shell = part(shell, environment, sysvars::SHELL);
    shell.write(hw);
    shell.set_name(hw, b"COMMAND");
    part(environment, free, sysvars::SHELL).write(hw);
    let link = top - 1;
    Block { at: free, last: true, owner: 0, size: link.saturating_sub(free + 1) }.write(hw);
    let link = Block { at: link, last: true, owner: OWNER_DOS, size: 0 };
    link.write(hw);
    link.set_name(hw, b"SC");
}

/// Allocates a block of `size` paragraphs for `owner`. `strategy` is 0 first fit, 1 best fit, 2
/// last fit. Fails with `Broken`, or `Room` with the largest free block.
pub(crate) fn allocate(hw: &mut Hardware, size: u16, owner: u16, strategy: u8) -> Result<Block, Lack> {
    let blocks = joined(hw)?;
    let mut fitting = blocks.iter().copied().filter(|b| b.free() && b.size >= size);
    let chosen = match strategy & 3 {
        0 => fitting.next(),
        1 => fitting.min_by_key(|b| b.size),
        _ => fitting.next_back(),
    };
    let Some(block) = chosen else {
        return Err(Lack::Room(largest(&blocks)));
    };
    let at_end = strategy & 3 >= 2;
    let taken = if block.size == size {
        Block { owner, ..block }
    } else if at_end {
        let rest = block.size - size - 1;
        Block { size: rest, last: false, ..block }.write(hw);
        Block { at: after(block, rest), last: block.last, owner, size }
    } else {
        let rest = Block { at: after(block, size), size: block.size - size - 1, ..block };
        rest.write(hw);
        Block { size, owner, last: false, ..block }
    };
    taken.write(hw);
    taken.set_name(hw, b"");
    Ok(taken)
}

/// Returns the segment of the next control block if `block` gets `size` paragraphs.
fn after(block: Block, size: u16) -> u16 {
    block.at.wrapping_add(size).wrapping_add(1)
}

fn largest(blocks: &[Block]) -> u16 {
    blocks.iter().filter(|b| b.free()).map(|b| b.size).max().unwrap_or(0)
}

/// Returns the paragraphs of the largest free block.
pub(crate) fn largest_free(hw: &mut Hardware) -> Result<u16, Lack> {
    Ok(largest(&joined(hw)?))
}

/// Returns the block whose memory begins at `segment`.
pub(crate) fn block_at(hw: &mut Hardware, segment: u16) -> Result<Block, Lack> {
    read(hw, segment.wrapping_sub(1)).map_err(|_| Lack::NoBlock)
}

/// Frees the block whose memory begins at `segment`.
pub(crate) fn free(hw: &mut Hardware, segment: u16) -> Result<(), Lack> {
    let block = block_at(hw, segment)?;
    Block { owner: 0, ..block }.write(hw);
    Ok(())
}

/// Resizes a block. If it cannot grow as requested it takes all there is, as in DOS, and the error
/// contains the size.
pub(crate) fn resize(hw: &mut Hardware, segment: u16, size: u16, owner: u16) -> Result<(), Lack> {
    let mut block = block_at(hw, segment)?;
    // First the free blocks after it become part of it.
    chain(hw)?;
    while !block.last {
        let next = read(hw, block.next())?;
        if !next.free() || size <= block.size {
            break;
        }
        // In a chain faked by a program the sizes may overflow.
        block.size = block.size.checked_add(next.size).and_then(|s| s.checked_add(1)).ok_or(Lack::Broken)?;
        block.last = next.last;
    }
    block.owner = owner;
    if block.size < size {
        block.write(hw);
        return Err(Lack::Room(block.size));
    }
    if block.size > size {
        let rest = Block { at: after(block, size), last: block.last, owner: 0, size: block.size - size - 1 };
        rest.write(hw);
        block.size = size;
        block.last = false;
    }
    block.write(hw);
    joined(hw)?;
    Ok(())
}

pub(crate) fn free_owned(hw: &mut Hardware, owner: u16) {
    for block in chain(hw).unwrap_or_default() {
        if block.owner == owner {
            Block { owner: 0, ..block }.write(hw);
        }
    }
}

/// Sets a block's owner and the program's name, as DOS 4 and later do.
pub(crate) fn set_owner(hw: &mut Hardware, segment: u16, owner: u16, name: &[u8]) {
    if let Ok(block) = block_at(hw, segment) {
        let block = Block { owner, ..block };
        block.write(hw);
        block.set_name(hw, name);
    }
}

#[rustfmt::skip]
pub(super) static STRATEGY: Functions<Handler> = Functions::new(&[
    row(0x00, "get allocation strategy", Dos::get_strategy),
    row(0x01, "set allocation strategy", Dos::set_strategy),
    row(0x02, "get UMB link state",      |_, g| { g.cpu.regs.set_al(0); Ok(()) }),
    row(0x03, "set UMB link state",      Dos::set_upper_memory_link),
]);

impl Dos {
    /// 48h: allocates BX paragraphs. Returns the segment in AX, or the largest block in BX.
    pub(super) fn allocate_memory(&mut self, g: &mut Call) -> Answer {
        let owner = self.psp(g);
        let size = g.cpu.regs.bx();
        match allocate(g.hw, size, owner, self.settings.strategy) {
            Ok(block) => {
                g.cpu.regs.set_ax(block.memory());
                Ok(())
            }
            Err(lack) => Err(self.lacking(g, lack)),
        }
    }

    /// 49h: frees the block at ES.
    pub(super) fn free_memory(&mut self, g: &mut Call) -> Answer {
        let segment = g.cpu.regs.es();
        free(g.hw, segment).map_err(|lack| self.lacking(g, lack))
    }

    /// 4Ah: resizes the block at ES to BX paragraphs.
    pub(super) fn resize_memory(&mut self, g: &mut Call) -> Answer {
        let (segment, size) = (g.cpu.regs.es(), g.cpu.regs.bx());
        let owner = self.psp(g);
        resize(g.hw, segment, size, owner).map_err(|lack| self.lacking(g, lack))
    }

    fn lacking(&self, g: &mut Call, lack: Lack) -> Pause {
        if let Lack::Room(size) = lack {
            g.cpu.regs.set_bx(size);
        }
        ErrorCode::from(lack).into()
    }

    /// 5800h: returns the allocation strategy in AX.
    fn get_strategy(&mut self, g: &mut Call) -> Answer {
        g.cpu.regs.set_ax(u16::from(self.settings.strategy));
        Ok(())
    }

    /// 5801h: sets the allocation strategy BX: 0 to 2 low memory, 40h to 42h high only, 80h to 82h
    /// high first.
    fn set_strategy(&mut self, g: &mut Call) -> Answer {
        match g.cpu.regs.bx() {
            wanted @ (0..=2 | 0x40..=0x42 | 0x80..=0x82) => self.settings.strategy = wanted as u8,
            _ => return Err(ErrorCode::InvalidFunction.into()),
        }
        Ok(())
    }

    /// 5803h: the link to upper memory, which this machine does not have, can only be removed.
    fn set_upper_memory_link(&mut self, g: &mut Call) -> Answer {
        if g.cpu.regs.bx() == 0 { Ok(()) } else { Err(ErrorCode::InvalidFunction.into()) }
    }
}
