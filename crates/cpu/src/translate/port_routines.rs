//! Subroutines for IN and OUT: calls of the bus, and OUT to the registers of a display adapter that programs
//! write for every pixel, which are the index of the sequencer and of the graphics controller, and map mask,
//! set/reset, read map and bit mask.

use std::mem::offset_of;

use iced_x86::{Code as C, Register as R};

use super::bus_calls::bus_routine;
use super::context::offset;
use super::emit::{Emitter, Label, at};
use super::registers::{CONTEXT, dword, word};
use super::video_routines::reach;
use crate::memory::{Data, PlanarMapping, PlanarRegisters};
use crate::registers::Reg;

/// The port of the sequencer's index. That of the register follows.
const SEQUENCER: i32 = 0x3C4;
/// The port of the graphics controller's index. That of the register follows.
const GRAPHICS: i32 = 0x3CE;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PortRoutines {
    /// Call the bus to read or write the port in EDI, ESI cycles before the end of the block. IN returns the
    /// value in EAX. CF is set if the run must check for events after the instruction. The index is the base-2
    /// logarithm of the width.
    pub(super) input: [u64; 3],
    pub(super) output: [u64; 3],
    /// Write AL, or AX as index and value, to the port in DX, if it is one of a few registers of the display
    /// adapter; otherwise CF is set.
    pub(super) pixels: [u64; 2],
}

impl PortRoutines {
    /// Writes the routines. `add` stores each one and returns its address.
    pub(super) fn write(mut add: impl FnMut(Emitter) -> Option<u64>) -> Option<PortRoutines> {
        let mut calls = |function| {
            let mut of = |bytes| add(bus_routine(function, bytes, dword(Reg::A)));
            Some([of(1)?, of(2)?, of(4)?])
        };
        let (input, output) = (calls(offset::INPUT)?, calls(offset::OUTPUT)?);
        Some(PortRoutines { input, output, pixels: [add(output_byte())?, add(output_word())?] })
    }
}

/// Labels of the parts of a routine that write a register with the value in ESI, and of its ends.
struct Values {
    map_mask: Label,
    set_reset: Label,
    read_map: Label,
    bit_mask: Label,
    done: Label,
    refused: Label,
}

/// Writes AL of the guest to the port in DX. Changes EAX, ESI, EDI and the flags; CF is set if it is not
/// one of these registers.
pub(super) fn output_byte() -> Emitter {
    let mut code = Emitter::default();
    let values = Values::new(&mut code);
    let [sequencer, sequencer_index, graphics, graphics_index] =
        [code.label(), code.label(), code.label(), code.label()];
    code.regs(C::Movzx_r32_rm8, R::ESI, R::BL);
    code.regs(C::Movzx_r32_rm16, R::EAX, word(Reg::D));
    for (port, label) in [
        (SEQUENCER + 1, sequencer),
        (GRAPHICS + 1, graphics),
        (SEQUENCER, sequencer_index),
        (GRAPHICS, graphics_index),
    ] {
        code.imm(C::Cmp_rm32_imm32, R::EAX, port);
        code.jump(C::Je_rel32_64, label);
    }
    code.jump(C::Jmp_rel32_64, values.refused);

    code.bind(sequencer);
    pointer(&mut code, offset::SEQUENCER_INDEX, values.refused);
    code.load(C::Movzx_r32_rm8, R::EAX, R::RDI, 0);
    values.sequencer(&mut code);
    code.bind(graphics);
    pointer(&mut code, offset::GRAPHICS_INDEX, values.refused);
    code.load(C::Movzx_r32_rm8, R::EAX, R::RDI, 0);
    values.graphics(&mut code);

    code.bind(sequencer_index);
    write_sequencer_index(&mut code, values.refused);
    code.jump(C::Jmp_rel32_64, values.done);
    code.bind(graphics_index);
    write_graphics_index(&mut code, values.refused);
    code.jump(C::Jmp_rel32_64, values.done);
    values.write(&mut code);
    code
}

/// Writes AL of the guest to the index port in DX, and AH to the register. Changes and returns the
/// same as [`output_byte`].
pub(super) fn output_word() -> Emitter {
    let mut code = Emitter::default();
    let values = Values::new(&mut code);
    let graphics = code.label();
    code.regs(C::Mov_r32_rm32, R::ESI, dword(Reg::A));
    code.imm(C::Shr_rm32_imm8, R::ESI, 8);
    code.regs(C::Movzx_r32_rm8, R::ESI, R::SIL);
    code.regs(C::Movzx_r32_rm16, R::EAX, word(Reg::D));
    code.imm(C::Cmp_rm32_imm32, R::EAX, GRAPHICS);
    code.jump(C::Je_rel32_64, graphics);
    code.imm(C::Cmp_rm32_imm32, R::EAX, SEQUENCER);
    code.jump(C::Jne_rel32_64, values.refused);
    // If a register is refused, the handler writes the same index.
    write_sequencer_index(&mut code, values.refused);
    values.sequencer(&mut code);
    code.bind(graphics);
    write_graphics_index(&mut code, values.refused);
    values.graphics(&mut code);
    values.write(&mut code);
    code
}

/// Writes the implemented bits of the guest's AL to the sequencer's index, and keeps them in EAX.
fn write_sequencer_index(code: &mut Emitter, refused: Label) {
    write_index(code, offset::SEQUENCER_INDEX, 0x07, refused);
}

/// Like [`write_sequencer_index`], for the graphics controller.
fn write_graphics_index(code: &mut Emitter, refused: Label) {
    write_index(code, offset::GRAPHICS_INDEX, 0x0F, refused);
}

fn write_index(code: &mut Emitter, cell: i64, bits: i32, refused: Label) {
    pointer(code, cell, refused);
    code.regs(C::Movzx_r32_rm8, R::EAX, R::BL);
    code.imm(C::And_rm32_imm8, R::EAX, bits);
    code.store(C::Mov_rm8_r8, R::RDI, 0, R::AL);
}

/// Loads a pointer of the context into RDI. It is 0 if the registers cannot be written.
fn pointer(code: &mut Emitter, cell: i64, refused: Label) {
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, cell);
    code.regs(C::Test_rm64_r64, R::RDI, R::RDI);
    code.jump(C::Je_rel32_64, refused);
}

impl Values {
    fn new(code: &mut Emitter) -> Values {
        Values {
            map_mask: code.label(),
            set_reset: code.label(),
            read_map: code.label(),
            bit_mask: code.label(),
            done: code.label(),
            refused: code.label(),
        }
    }

    /// Writes ESI to the sequencer's register with the index in EAX.
    fn sequencer(&self, code: &mut Emitter) {
        self.select(code, &[(PlanarRegisters::MAP_MASK, self.map_mask)]);
    }

    /// Writes ESI to the graphics controller's register with the index in EAX.
    fn graphics(&self, code: &mut Emitter) {
        self.select(
            code,
            &[
                (PlanarRegisters::READ_MAP, self.read_map),
                (PlanarRegisters::BIT_MASK, self.bit_mask),
                (PlanarRegisters::SET_RESET, self.set_reset),
            ],
        );
    }

    fn select(&self, code: &mut Emitter, labels: &[(u8, Label)]) {
        for &(index, label) in labels {
            code.imm(C::Cmp_rm32_imm8, R::EAX, index.into());
            code.jump(C::Je_rel32_64, label);
        }
        code.jump(C::Jmp_rel32_64, self.refused);
    }

    /// Emits the parts that write a register and the fields of the mapping that depend on it.
    fn write(&self, code: &mut Emitter) {
        let data = |field: usize| reach(offset_of!(PlanarMapping, data) + field);

        code.bind(self.map_mask);
        store_value(code, offset::MAP_MASK, 0, 0x0F);
        expand(code, R::ESI);
        for lane in 0..4 {
            let lanes = reach(offset_of!(PlanarMapping, lanes) + lane * size_of::<u32>());
            code.store(C::Mov_rm32_r32, R::RDI, lanes, R::ESI);
        }
        code.jump(C::Jmp_rel32_64, self.done);

        code.bind(self.read_map);
        store_value(code, offset::GRAPHICS, PlanarRegisters::READ_MAP, 0x03);
        code.imm(C::Shl_rm32_imm8, R::ESI, 3);
        code.regs_imm(C::Imul_r32_rm32_imm32, R::ESI, R::ESI, 0x0101_0101);
        code.store(C::Mov_rm32_r32, R::RDI, reach(offset_of!(PlanarMapping, shifts)), R::ESI);
        code.jump(C::Jmp_rel32_64, self.done);

        code.bind(self.set_reset);
        store_value(code, offset::GRAPHICS, PlanarRegisters::SET_RESET, 0x0F);
        code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::GRAPHICS);
        let enabled = PlanarRegisters::ENABLE_SET_RESET.into();
        code.load(C::Movzx_r32_rm8, R::EAX, R::RAX, enabled);
        code.regs(C::And_r32_rm32, R::ESI, R::EAX);
        expand(code, R::ESI);
        code.store(C::Mov_rm32_r32, R::RDI, data(offset_of!(Data, fixed)), R::ESI);
        code.jump(C::Jmp_rel32_64, self.done);

        code.bind(self.bit_mask);
        store_value(code, offset::GRAPHICS, PlanarRegisters::BIT_MASK, 0xFF);
        code.regs_imm(C::Imul_r32_rm32_imm32, R::ESI, R::ESI, 0x0101_0101);
        code.store(C::Mov_rm32_r32, R::RDI, data(offset_of!(Data, mask)), R::ESI);

        code.bind(self.done);
        code.end(&[], self.refused);
    }
}

/// Stores the implemented bits of ESI in the byte of a register, keeps them in ESI, and loads the
/// [`PlanarMapping`] into RDI.
fn store_value(code: &mut Emitter, pointer: i64, index: u8, bits: i32) {
    code.imm(C::And_rm32_imm32, R::ESI, bits);
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, pointer);
    code.store_at(C::Mov_rm8_r8, at(R::RDI, index.into()), R::SIL);
    code.load(C::Mov_r64_rm64, R::RDI, CONTEXT, offset::REACH);
}

/// Makes each of the low four bits a byte: FFh if it is set.
fn expand(code: &mut Emitter, register: R) {
    code.regs_imm(C::Imul_r32_rm32_imm32, register, register, 0x0020_4081);
    code.imm(C::And_rm32_imm32, register, 0x0101_0101);
    code.regs_imm(C::Imul_r32_rm32_imm32, register, register, 0xFF);
}
