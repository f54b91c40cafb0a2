//! Extended memory: XMS 3.0, with the entry point returned by INT 2Fh AX=4310h.
//!
//! AX is 1 on success, otherwise 0 with the error in BL. Blocks are consecutive in extended memory;
//! the first gap that is large enough is used. Upper memory blocks are not supported.
//! Source: the Extended Memory Specification 3.0 of Microsoft, Lotus, Intel and AST.

pub(super) mod blocks;

use super::{error::Answer, pending::Call, state::Dos};
use crate::firmware::{Far, Functions, GuestMemory, row};
use crate::hardware::{Bank, EXTENDED, EXTENDED_START};
use crate::notice::NoticeKind;
use blocks::{Block, error};

/// Bytes that are copied at once, and per cycle of virtual time.
const CHUNK: u32 = 4096;
const BYTES_A_CYCLE: u32 = 8;

/// The end of the addresses that segment and offset can express.
const END_OF_REAL_MODE: u32 = 0x10_FFF0;

/// A function. Fails with the error for BL.
type Handler = fn(&mut Dos, &mut Call) -> Result<(), u8>;

#[rustfmt::skip]
static FUNCTIONS: Functions<Handler> = Functions::new(&[
    row(0x00, "get XMS version number",               version),
    row(0x01, "request high memory area",             request_hma),
    row(0x02, "release high memory area",             release_hma),
    row(0x03, "global enable A20",                    |dos, g| { dos.xms.a20_global = true; dos.set_a20(g) }),
    row(0x04, "global disable A20",                   |dos, g| { dos.xms.a20_global = false; dos.set_a20(g) }),
    row(0x05, "local enable A20",                     |dos, g| { dos.xms.a20_local = dos.xms.a20_local.saturating_add(1); dos.set_a20(g) }),
    row(0x06, "local disable A20",                    |dos, g| { dos.xms.a20_local = dos.xms.a20_local.saturating_sub(1); dos.set_a20(g) }),
    row(0x07, "query A20",                            query_a20),
    row(0x08, "query free extended memory",           query_free),
    row(0x09, "allocate extended memory block",       |dos, g| { let kib = u32::from(g.cpu.regs.dx()); dos.allocate_extended(g, kib) }),
    row(0x0A, "free extended memory block",           free),
    row(0x0B, "move extended memory block",           Dos::move_extended),
    row(0x0C, "lock extended memory block",           lock),
    row(0x0D, "unlock extended memory block",         unlock),
    row(0x0E, "get handle information",               handle_information),
    row(0x0F, "reallocate extended memory block",     |dos, g| { let kib = u32::from(g.cpu.regs.bx()); dos.reallocate_extended(g, kib) }),
    row(0x10, "request upper memory block",           |_, g| { g.cpu.regs.set_dx(0); Err(error::NO_UPPER_MEMORY) }),
    row(0x11, "release upper memory block",           |_, _| Err(error::BAD_UPPER_SEGMENT)),
    row(0x12, "reallocate upper memory block",        |_, _| Err(error::BAD_UPPER_SEGMENT)),
    row(0x88, "query any free extended memory",       query_any_free),
    row(0x89, "allocate any extended memory",         |dos, g| { let kib = g.cpu.regs.gpr[DX]; dos.allocate_extended(g, kib) }),
    row(0x8E, "get extended EMB handle information",  extended_handle_information),
    row(0x8F, "reallocate any extended memory block", |dos, g| { let kib = g.cpu.regs.gpr[BX]; dos.reallocate_extended(g, kib) }),
]);

/// Indices of 32-bit registers.
const AX: usize = 0;
const CX: usize = 1;
const DX: usize = 2;
const BX: usize = 3;

pub(super) fn name_of(ah: u8) -> Option<&'static str> {
    FUNCTIONS.get(ah).map(|row| row.name)
}

fn version(_: &mut Dos, g: &mut Call) -> Result<(), u8> {
    g.cpu.regs.set_bx(0x0300);
    g.cpu.regs.set_dx(1);
    Ok(())
}

fn request_hma(dos: &mut Dos, _: &mut Call) -> Result<(), u8> {
    if std::mem::replace(&mut dos.xms.hma_taken, true) { Err(error::HMA_IN_USE) } else { Ok(()) }
}

fn release_hma(dos: &mut Dos, _: &mut Call) -> Result<(), u8> {
    if std::mem::take(&mut dos.xms.hma_taken) { Ok(()) } else { Err(error::HMA_NOT_ALLOCATED) }
}

fn query_a20(_: &mut Dos, g: &mut Call) -> Result<(), u8> {
    g.cpu.regs.set_bx(g.cpu.regs.bx() & 0xFF00);
    if g.hw.a20() { Ok(()) } else { Err(0) }
}

/// 08h: a value that does not fit into 16 bits is returned as the maximum.
fn query_free(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (largest, all) = dos.xms.free();
    if all == 0 {
        g.cpu.regs.set_dx(0);
        return Err(error::NO_MEMORY);
    }
    g.cpu.regs.set_ax(largest.min(0xFFFF) as u16);
    g.cpu.regs.set_dx(all.min(0xFFFF) as u16);
    g.cpu.regs.set_bx(g.cpu.regs.bx() & 0xFF00);
    Ok(())
}

/// 88h: also returns the highest address in ECX.
fn query_any_free(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (largest, all) = dos.xms.free();
    let r = &mut g.cpu.regs;
    r.gpr[AX] = largest;
    r.gpr[DX] = all;
    r.gpr[CX] = EXTENDED_START + EXTENDED - 1;
    r.set_bx(r.bx() & 0xFF00 | if all == 0 { u16::from(error::NO_MEMORY) } else { 0 });
    Ok(())
}

fn free(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let handle = g.cpu.regs.dx();
    let block = *dos.xms.block(handle)?;
    if block.locks > 0 {
        return Err(error::LOCKED);
    }
    dos.xms.blocks[usize::from(handle) - 1] = None;
    g.hw.expansion.clear(Bank::Extended, block.start * 1024, block.kib * 1024);
    Ok(())
}

fn lock(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let block = dos.xms.block_mut(g.cpu.regs.dx())?;
    block.locks = block.locks.checked_add(1).ok_or(error::LOCK_OVERFLOW)?;
    let address = EXTENDED_START + block.start * 1024;
    g.cpu.regs.set_dx((address >> 16) as u16);
    g.cpu.regs.set_bx(address as u16);
    Ok(())
}

fn unlock(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let block = dos.xms.block_mut(g.cpu.regs.dx())?;
    block.locks = block.locks.checked_sub(1).ok_or(error::NOT_LOCKED)?;
    Ok(())
}

fn handle_information(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let block = *dos.xms.block(g.cpu.regs.dx())?;
    let free = dos.xms.free_handles();
    g.cpu.regs.set_bx(u16::from(block.locks) << 8 | free as u16);
    g.cpu.regs.set_dx(block.kib as u16);
    Ok(())
}

fn extended_handle_information(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let block = *dos.xms.block(g.cpu.regs.dx())?;
    g.cpu.regs.gpr[CX] = dos.xms.free_handles() as u32;
    g.cpu.regs.gpr[DX] = block.kib;
    g.cpu.regs.set_bx(u16::from(block.locks) << 8 | g.cpu.regs.bx() & 0xFF);
    Ok(())
}

#[derive(Debug, Clone, Copy)]
enum Side {
    Conventional(u32),
    Extended(u32),
}

impl Side {
    fn plus(self, offset: u32) -> Side {
        match self {
            Side::Conventional(at) => Side::Conventional(at + offset),
            Side::Extended(at) => Side::Extended(at + offset),
        }
    }

    fn read(self, g: &mut Call, len: usize) -> Vec<u8> {
        match self {
            Side::Conventional(at) => g.hw.bytes(Far::of_linear(at), len),
            Side::Extended(at) => {
                let mut bytes = vec![0; len];
                g.hw.expansion.read(Bank::Extended, at, &mut bytes);
                bytes
            }
        }
    }

    fn write(self, g: &mut Call, bytes: &[u8]) {
        match self {
            Side::Conventional(at) => g.hw.set_bytes(Far::of_linear(at), bytes),
            Side::Extended(at) => g.hw.expansion.write(Bank::Extended, at, bytes),
        }
    }

    /// Whether a copy from here to `other` moves upwards onto itself.
    fn is_below(self, other: Side) -> bool {
        match (self, other) {
            (Side::Conventional(a), Side::Conventional(b)) | (Side::Extended(a), Side::Extended(b)) => a < b,
            _ => false,
        }
    }
}

impl Dos {
    pub(super) fn extended_memory(&mut self, g: &mut Call) -> Answer {
        let ah = g.cpu.regs.ah();
        let Some(row) = FUNCTIONS.get(ah) else {
            self.notice(g, NoticeKind::ExtendedMemory(ah));
            g.cpu.regs.set_ax(0);
            g.cpu.regs.set_bx(g.cpu.regs.bx() & 0xFF00 | u16::from(error::NOT_IMPLEMENTED));
            return Ok(());
        };
        match (row.handler)(self, g) {
            // These return their result in AX.
            Ok(()) if ah == 0x00 => g.cpu.regs.set_ax(0x0300),
            Ok(()) if matches!(ah, 0x08 | 0x88) => {}
            Ok(()) => g.cpu.regs.set_ax(1),
            Err(error) => {
                g.cpu.regs.set_ax(0);
                g.cpu.regs.set_bx(g.cpu.regs.bx() & 0xFF00 | u16::from(error));
            }
        }
        Ok(())
    }

    /// Opens or closes the A20 gate. It is open while any request is active.
    fn set_a20(&mut self, g: &mut Call) -> Result<(), u8> {
        let wanted = self.xms.a20_global || self.xms.a20_local > 0;
        g.hw.set_a20(wanted);
        let disables = matches!(g.cpu.regs.ah(), 0x04 | 0x06);
        if disables && wanted { Err(error::A20_STILL_ENABLED) } else { Ok(()) }
    }

    fn allocate_extended(&mut self, g: &mut Call, kib: u32) -> Result<(), u8> {
        g.cpu.regs.set_dx(0);
        if self.xms.free_handles() == 0 {
            return Err(error::NO_HANDLES);
        }
        let start = self.xms.place(kib).ok_or(error::NO_MEMORY)?;
        let place = self.xms.blocks.iter().position(Option::is_none).unwrap_or(self.xms.blocks.len());
        if place == self.xms.blocks.len() {
            self.xms.blocks.push(None);
        }
        self.xms.blocks[place] = Some(Block { start, kib, locks: 0 });
        g.cpu.regs.set_dx(place as u16 + 1);
        Ok(())
    }

    /// 0Fh and 8Fh: a block that has no room to grow moves.
    fn reallocate_extended(&mut self, g: &mut Call, kib: u32) -> Result<(), u8> {
        let handle = g.cpu.regs.dx();
        let old = *self.xms.block(handle)?;
        if old.locks > 0 {
            return Err(error::LOCKED);
        }
        let place = usize::from(handle) - 1;
        if kib <= old.kib {
            self.xms.blocks[place] = Some(Block { kib, ..old });
            g.hw.expansion.clear(Bank::Extended, (old.start + kib) * 1024, (old.kib - kib) * 1024);
            return Ok(());
        }
        // Its own memory counts as free, so that it can stay.
        self.xms.blocks[place] = None;
        let stays = self.xms.gaps().into_iter().any(|(start, free)| {
            (start..=start + free).contains(&old.start) && start + free >= old.start + kib
        });
        let start = if stays && old.kib > 0 { Some(old.start) } else { self.xms.place(kib) };
        let Some(start) = start else {
            self.xms.blocks[place] = Some(old);
            return Err(error::NO_MEMORY);
        };
        self.xms.blocks[place] = Some(Block { start, kib, ..old });
        if start != old.start {
            let bytes = Side::Extended(old.start * 1024).read(g, old.kib as usize * 1024);
            g.hw.expansion.clear(Bank::Extended, old.start * 1024, old.kib * 1024);
            g.hw.expansion.write(Bank::Extended, start * 1024, &bytes);
            self.clock.deferred_cycles += u64::from(old.kib * 1024 / BYTES_A_CYCLE);
        }
        Ok(())
    }

    /// 0Bh: DS:SI contains the length, then handle and offset of source and target. Handle 0 is
    /// conventional memory; the offset is then a segment and an offset.
    fn move_extended(&mut self, g: &mut Call) -> Result<(), u8> {
        let packet = g.ds_si();
        let len = g.hw.dword(packet);
        let [source, target] = [(4, error::BAD_SOURCE), (0x0A, error::BAD_TARGET)].map(|(at, errors)| {
            let (handle, offset) = (g.hw.word(packet.plus(at)), g.hw.dword(packet.plus(at + 2)));
            self.side(handle, offset, len, errors)
        });
        let (source, target) = (source?, target?);
        if !len.is_multiple_of(2) {
            return Err(error::BAD_LENGTH);
        }
        self.clock.deferred_cycles += u64::from(len / BYTES_A_CYCLE);
        let backwards = source.is_below(target);
        for done in (0..len).step_by(CHUNK as usize) {
            let part = (len - done).min(CHUNK);
            let at = if backwards { len - done - part } else { done };
            let bytes = source.plus(at).read(g, part as usize);
            target.plus(at).write(g, &bytes);
        }
        Ok(())
    }

    fn side(
        &self,
        handle: u16,
        offset: u32,
        len: u32,
        [bad_handle, bad_offset]: [u8; 2],
    ) -> Result<Side, u8> {
        if handle == 0 {
            let at = Far::from_dword(offset).linear();
            let fits = at.checked_add(len).is_some_and(|end| end <= END_OF_REAL_MODE);
            return if fits { Ok(Side::Conventional(at)) } else { Err(bad_offset) };
        }
        let block = self.xms.block(handle).map_err(|_| bad_handle)?;
        let fits = offset.checked_add(len).is_some_and(|end| end <= block.kib * 1024);
        if fits { Ok(Side::Extended(block.start * 1024 + offset)) } else { Err(bad_offset) }
    }
}
