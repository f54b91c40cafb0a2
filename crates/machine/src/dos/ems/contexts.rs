//! The frame as a whole: saved, restored, read and set, and changed for a jump or a call.

use super::board::{Context, Mapping, SLOTS, error, mapping, slot_at};
use super::pages::map_pair;
use crate::dos::{pending::Call, state::Dos};
use crate::firmware::{EMS_RETURN, Far, GuestMemory};
use oxbox_cpu::Flags;

/// Size of a context in memory in bytes: handle and page of each slot, FFFFh if it is empty.
const CONTEXT_BYTES: u8 = SLOTS as u8 * 4;
/// Size of a partial context in bytes: the number of slots, then slot, handle and page of each.
const PARTIAL_BYTES: u16 = 6;

/// 47h: saves the frame with handle DX.
pub(super) fn save(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let mapped = dos.ems.mapped;
    let saved = &mut dos.ems.handle_mut(g.cpu.regs.dx())?.saved;
    if saved.is_some() {
        return Err(error::SAVED_ALREADY);
    }
    *saved = Some(mapped);
    Ok(())
}

/// 48h: restores the frame that was saved with handle DX.
pub(super) fn restore(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let saved = dos.ems.handle_mut(g.cpu.regs.dx())?.saved.take();
    let context = saved.ok_or(error::NOTHING_SAVED)?;
    // Slots whose pages no longer exist become empty.
    let context = context.map(|mapping| mapping.filter(|mapping| dos.ems.address(*mapping).is_ok()));
    dos.ems.map_all(g.hw, context)
}

fn give(g: &mut Call, at: Far, mapping: Option<Mapping>) {
    let Mapping { handle, page } = mapping.unwrap_or(Mapping { handle: 0xFFFF, page: 0xFFFF });
    g.hw.set_word(at, handle);
    g.hw.set_word(at.plus(2), page);
}

fn take(g: &mut Call, at: Far) -> Option<Mapping> {
    let (handle, page) = (g.hw.word(at), g.hw.word(at.plus(2)));
    mapping(handle, page)
}

fn give_all(dos: &Dos, g: &mut Call, at: Far) {
    for (slot, mapping) in (0..).zip(dos.ems.mapped) {
        give(g, at.plus(slot * 4), mapping);
    }
}

fn take_all(dos: &mut Dos, g: &mut Call, at: Far) -> Result<(), u8> {
    let context: Context = std::array::from_fn(|slot| take(g, at.plus(slot as u16 * 4)));
    dos.ems.map_all(g.hw, context).map_err(|_| error::DAMAGED)
}

/// 4Eh: stores the frame at ES:DI (AL 0), sets it from DS:SI (1), both (2), or returns its size
/// (3).
pub(super) fn page_map(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (from, to) = (g.ds_si(), g.es_di());
    match g.cpu.regs.al() {
        0 => give_all(dos, g, to),
        1 => take_all(dos, g, from)?,
        2 => {
            give_all(dos, g, to);
            take_all(dos, g, from)?;
        }
        3 => g.cpu.regs.set_al(CONTEXT_BYTES),
        _ => return Err(error::BAD_SUBFUNCTION),
    }
    Ok(())
}

/// 4Fh: stores the slots listed at DS:SI (their count, then their segments) at ES:DI (AL 0),
/// restores them from DS:SI (1), or returns the size for BX slots (2).
pub(super) fn partial_page_map(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (from, to) = (g.ds_si(), g.es_di());
    match g.cpu.regs.al() {
        0 => {
            let count = usize::from(g.hw.word(from));
            if count > SLOTS {
                return Err(error::DAMAGED);
            }
            g.hw.set_word(to, count as u16);
            for number in 0..count as u16 {
                let slot = slot_at(g.hw.word(from.plus(2 + number * 2)))?;
                let at = to.plus(2 + number * PARTIAL_BYTES);
                g.hw.set_word(at, slot as u16);
                give(g, at.plus(2), dos.ems.mapped[slot]);
            }
        }
        1 => {
            let count = usize::from(g.hw.word(from));
            if count > SLOTS {
                return Err(error::DAMAGED);
            }
            for number in 0..count as u16 {
                let at = from.plus(2 + number * PARTIAL_BYTES);
                let slot = usize::from(g.hw.word(at));
                let mapping = take(g, at.plus(2));
                if slot >= SLOTS || dos.ems.map(g.hw, slot, mapping).is_err() {
                    return Err(error::DAMAGED);
                }
            }
        }
        2 => {
            let count = g.cpu.regs.bx();
            if usize::from(count) > SLOTS {
                return Err(error::BAD_SLOT);
            }
            g.cpu.regs.set_al((2 + count * PARTIAL_BYTES) as u8);
        }
        _ => return Err(error::BAD_SUBFUNCTION),
    }
    Ok(())
}

/// 55h: jumps to the address at DS:SI. After the address are the number of pairs of page and slot
/// (AL 0: number, 1: segment) of handle DX to map before the jump, and their address.
pub(super) fn alter_and_jump(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (by_segment, handle, at) = (g.cpu.regs.al(), g.cpu.regs.dx(), g.ds_si());
    if by_segment > 1 {
        return Err(error::BAD_SUBFUNCTION);
    }
    dos.ems.handle(handle)?;
    let (target, count, pairs) = (g.hw.far(at), g.hw.byte(at.plus(4)), g.hw.far(at.plus(5)));
    for pair in 0..u16::from(count) {
        map_pair(dos, g, handle, pairs.plus(pair * 4), by_segment == 1)?;
    }
    // The INT's frame is removed from the stack; its flags become active.
    let stack = g.stack();
    let flags = u32::from(g.hw.word(stack.plus(4)));
    let sp = g.cpu.regs.sp().wrapping_add(6);
    g.cpu.regs.set_sp(sp);
    g.cpu.regs.set_flag(Flags::IF, flags & Flags::IF != 0);
    g.jump(target);
    dos.ems.jumped = true;
    Ok(())
}

/// Words that 56h leaves on the stack below the INT's frame: the pages to map afterwards.
const CALL_WORDS: u16 = 4;
/// Bytes of the stack that 56h uses: the INT's frame, those words, and the far return address.
const CALL_BYTES: u16 = 6 + CALL_WORDS * 2 + 4;

/// 56h: like 55h, but with a far call. After the data of 55h, DS:SI has the number of pairs to map
/// when the routine returns, and their address. AL 2 returns the bytes of stack in BX.
pub(super) fn alter_and_call(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let (by_segment, handle, at) = (g.cpu.regs.al(), g.cpu.regs.dx(), g.ds_si());
    match by_segment {
        0 | 1 => {}
        2 => {
            g.cpu.regs.set_bx(CALL_BYTES);
            return Ok(());
        }
        _ => return Err(error::BAD_SUBFUNCTION),
    }
    dos.ems.handle(handle)?;
    let (target, count, pairs) = (g.hw.far(at), g.hw.byte(at.plus(4)), g.hw.far(at.plus(5)));
    let (old_count, old_pairs) = (g.hw.byte(at.plus(9)), g.hw.far(at.plus(10)));
    for pair in 0..u16::from(count) {
        map_pair(dos, g, handle, pairs.plus(pair * 4), by_segment == 1)?;
    }
    let flags = u32::from(g.hw.word(g.stack().plus(4)));
    for word in [handle, u16::from_le_bytes([old_count, by_segment]), old_pairs.segment, old_pairs.offset] {
        g.push(word);
    }
    g.push(EMS_RETURN.segment);
    g.push(EMS_RETURN.offset);
    g.cpu.regs.set_flag(Flags::IF, flags & Flags::IF != 0);
    g.jump(target);
    dos.ems.jumped = true;
    Ok(())
}

/// Ends 56h when the routine has returned: maps the other pairs, and returns from the INT.
pub(super) fn return_from_call(dos: &mut Dos, g: &mut Call) -> Result<(), u8> {
    let stack = g.stack();
    let pairs = g.hw.far(stack);
    let [count, by_segment] = g.hw.word(stack.plus(4)).to_le_bytes();
    let handle = g.hw.word(stack.plus(6));
    let sp = g.cpu.regs.sp().wrapping_add(CALL_WORDS * 2);
    g.cpu.regs.set_sp(sp);
    dos.ems.handle(handle)?;
    (0..u16::from(count)).try_for_each(|pair| map_pair(dos, g, handle, pairs.plus(pair * 4), by_segment == 1))
}

/// 5Bh: there is one set of registers, 0, which is the frame. Its context area is the program's.
pub(super) fn alternate_set(_: &mut Dos, g: &mut Call) -> Result<(), u8> {
    match g.cpu.regs.al() {
        0 => {
            g.cpu.regs.set_bx(g.cpu.regs.bx() & 0xFF00);
            g.cpu.regs.set_es(0);
            g.cpu.regs.set_di(0);
            Ok(())
        }
        1 | 4 if g.cpu.regs.bl() == 0 => Ok(()),
        2 => {
            g.cpu.regs.set_dx(u16::from(CONTEXT_BYTES));
            Ok(())
        }
        3 | 5 => {
            g.cpu.regs.set_bx(g.cpu.regs.bx() & 0xFF00);
            Ok(())
        }
        1 | 4 | 6..=8 => Err(error::NO_ALTERNATE_SET),
        _ => Err(error::BAD_SUBFUNCTION),
    }
}
