//! Applies fixups, and collects the words that hold a segment's paragraph.
//!
//! An offset counts from the frame of the fixup and must be within 64 KiB of it. The old value at
//! the location is added. Sources: TIS OMF 1.1, "FIXUPP", and the errors of the linkers of the
//! time.

use super::layout::{Layout, Spot};
use super::symbols::{Program, fold};
use crate::diagnostic::Diagnostic;
use crate::omf::{Fixup, Location, Module, Target};

/// Applies all fixups. Returns the addresses of the words that the loader relocates, in order.
pub(super) fn apply(
    program: &Program,
    layout: &Layout,
    memory: &mut [u8],
    translate_far_calls: bool,
) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let mut fixer = Fixer { program, layout, memory, relocations: Vec::new(), translate_far_calls };
    let mut errors = Vec::new();
    for (number, module) in program.modules.iter().enumerate() {
        for fixup in &module.fixups {
            if let Err(text) = fixer.apply(number, fixup) {
                let text = format!("{} at {}+{:04X}h", text, module.segments[fixup.segment].name, fixup.at);
                errors.push(module.error_at(fixup.segment, fixup.at, fixup.record, text));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    fixer.relocations.sort_unstable();
    fixer.relocations.dedup();
    Ok(fixer.relocations)
}

struct Fixer<'a> {
    program: &'a Program,
    layout: &'a Layout,
    memory: &'a mut [u8],
    relocations: Vec<u32>,
    translate_far_calls: bool,
}

impl Fixer<'_> {
    fn apply(&mut self, number: usize, fixup: &Fixup) -> Result<(), String> {
        let (program, layout) = (self.program, self.layout);
        let Some(part) = layout.part(number, fixup.segment) else { return Ok(()) };
        if !part.relocatable {
            // A segment at a fixed address has no bytes in the file.
            return Ok(());
        }
        let location = Spot { address: part.address + fixup.at, ..part };
        let name = || target_name(&program.modules[number], fixup.target);
        let lost = || format!("{} has no address", name());
        let target = layout.target(program, number, fixup.target).ok_or_else(lost)?;
        let frame = layout.frame(program, number, fixup.frame, Some(location), target);
        let (frame, frame_moves) = frame.ok_or_else(lost)?;
        if fixup.self_relative {
            return self.self_relative(fixup, location, target, frame).map_err(|text| text + &name());
        }
        if self.translate_far_calls && self.far_transfer(fixup, location, target, frame) {
            return Ok(());
        }
        // The offset of a constant counts from its own frame, whatever the fixup says.
        let seen_from = if target.relocatable == frame_moves { frame } else { target.frame };
        let offset = i64::from(target.address) - i64::from(seen_from) * 16;
        if !(0..=0xFFFF).contains(&offset) && needs_offset(fixup.location) && target.relocatable {
            return Err(format!("fixup overflow: {} is not within 64 KiB of its frame", name()));
        }
        let offset = (offset as u32).wrapping_add(fixup.displacement);
        let at = location.address;
        match fixup.location {
            Location::LowByte => self.add(at, 1, offset),
            Location::HighByte => self.add(at, 1, offset >> 8),
            Location::Offset16 => self.add(at, 2, offset),
            Location::Offset32 => self.add(at, 4, offset),
            Location::Base => self.base(at, frame, frame_moves),
            Location::Pointer16 => {
                self.add(at, 2, offset);
                self.base(at + 2, frame, frame_moves);
            }
            Location::Pointer32 => {
                self.add(at, 4, offset);
                self.base(at + 4, frame, frame_moves);
            }
        }
        Ok(())
    }

    /// Applies a near call or jump: the distance from the end of the location to the target.
    fn self_relative(
        &mut self,
        fixup: &Fixup,
        location: Spot,
        target: Spot,
        frame: u32,
    ) -> Result<(), String> {
        self.check_code_segment(location, target, frame)?;
        let width = fixup.location.width();
        let from = location.address.wrapping_add(width);
        let distance = target.address.wrapping_add(fixup.displacement).wrapping_sub(from);
        match fixup.location {
            Location::LowByte => {
                let held = self.memory[location.address as usize] as i8;
                let distance = (distance as i32).saturating_add(held.into());
                if i8::try_from(distance).is_err() {
                    return Err(format!("a short jump that is {distance} bytes long, to "));
                }
                self.memory[location.address as usize] = distance as u8;
            }
            Location::Offset16 => self.add(location.address, 2, distance),
            Location::Offset32 => self.add(location.address, 4, distance),
            _ => return Err("a self-relative fixup of a segment or pointer, to ".into()),
        }
        Ok(())
    }

    /// Rejects a jump to a target with a different CS, or one that IP cannot reach.
    fn check_code_segment(&self, location: Spot, target: Spot, frame: u32) -> Result<(), String> {
        let other = || "a near jump or call to a different segment, to ".to_owned();
        let here = location.section.ok_or_else(other)?;
        let mut groups = self.layout.groups.values().filter(|group| group.sections.contains(&here));
        let in_one_group = |there| groups.clone().any(|group| group.sections.contains(&there));
        if !target.relocatable || target.section == Some(here) || target.section.is_some_and(in_one_group) {
            return Ok(());
        }
        // The fixup specifies CS itself: the target may be anywhere.
        if frame != location.frame && !groups.any(|group| group.frame == frame) {
            return Err(other());
        }
        let seen = i64::from(target.address) - i64::from(frame) * 16;
        if !(0..=0xFFFF).contains(&seen) {
            return Err("a near jump or call over more than 64 KiB, to ".into());
        }
        Ok(())
    }

    /// Makes `call far` and `jmp far` within a segment near. Returns whether it did.
    fn far_transfer(&mut self, fixup: &Fixup, location: Spot, target: Spot, frame: u32) -> bool {
        const CALL_FAR: u8 = 0x9A;
        const JMP_FAR: u8 = 0xEA;
        const PUSH_CS: u8 = 0x0E;
        const CALL_NEAR: u8 = 0xE8;
        const JMP_NEAR: u8 = 0xE9;
        const NOP: u8 = 0x90;
        let at = location.address as usize;
        let (Location::Pointer16, true, Some(opcode_at)) =
            (fixup.location, target.section.is_some(), at.checked_sub(1))
        else {
            return false;
        };
        if fixup.at == 0 || target.section != location.section || frame != location.frame {
            return false;
        }
        let held = u32::from(u16::from_le_bytes([self.memory[at], self.memory[at + 1]]));
        if self.memory[at + 2] != 0 || self.memory[at + 3] != 0 {
            return false;
        }
        let target = target.address.wrapping_add(fixup.displacement).wrapping_add(held);
        // The bytes are those of Microsoft LINK: the call ends where the far one did.
        let (opcodes, distance_at): (&[u8], usize) = match self.memory[opcode_at] {
            CALL_FAR => (&[NOP, PUSH_CS, CALL_NEAR, 0, 0], at + 2),
            JMP_FAR => (&[JMP_NEAR, 0, 0, NOP, NOP], at),
            _ => return false,
        };
        let distance = (target as u16).wrapping_sub((distance_at + 2) as u16);
        self.memory[opcode_at..opcode_at + 5].copy_from_slice(opcodes);
        self.memory[distance_at..distance_at + 2].copy_from_slice(&distance.to_le_bytes());
        true
    }

    fn base(&mut self, at: u32, frame: u32, moves: bool) {
        self.add(at, 2, frame);
        if moves {
            self.relocations.push(at);
        }
    }

    /// Adds a number to the `width` bytes at an address.
    fn add(&mut self, at: u32, width: usize, value: u32) {
        let place = &mut self.memory[at as usize..at as usize + width];
        let held = place.iter().rev().fold(0u32, |held, &byte| held << 8 | u32::from(byte));
        place.copy_from_slice(&held.wrapping_add(value).to_le_bytes()[..width]);
    }
}

/// Returns whether the location holds an offset. Its low byte alone may be taken from any value.
fn needs_offset(location: Location) -> bool {
    !matches!(location, Location::Base | Location::LowByte)
}

fn target_name(module: &Module, target: Target) -> String {
    match target {
        Target::Segment(segment) => format!("segment {}", module.segments[segment].name),
        Target::Group(group) => format!("group {}", fold(&module.groups[group].name)),
        Target::External(external) => module.externals[external].name.clone(),
        Target::Absolute(frame) => format!("paragraph {frame:04X}h"),
    }
}
