//! INT 11h to INT 15h, INT 17h: equipment, memory size, the drives and ports that are not there, system services.

use super::Bios;
use super::data::{EQUIPMENT, MEMORY_SIZE};
use crate::cpu::{Bus, Cpu, Width};
use crate::firmware::{Outcome, ROM_SEGMENT, set_caller_carry};
use crate::hardware::{Hardware, linear};

/// Where INT 15h AH=C0h points to in the ROM.
pub(super) const CONFIGURATION: u16 = 0x2200;

/// The configuration table: its length, model FCh (AT), submodel 01h, revision 0; second 8259, real-time clock and INT 15h/4Fh are there.
pub(super) const CONFIGURATION_TABLE: [u8; 10] = [8, 0, 0xFC, 0x01, 0x00, 0x70, 0, 0, 0, 0];

/// INT 11h: the equipment word.
pub fn equipment(cpu: &mut Cpu, hw: &Hardware) -> Outcome {
    cpu.regs.set_ax(hw.memory.read16(EQUIPMENT));
    Outcome::Return
}

/// INT 12h: conventional memory in KiB.
pub fn memory_size(cpu: &mut Cpu, hw: &Hardware) -> Outcome {
    cpu.regs.set_ax(hw.memory.read16(MEMORY_SIZE));
    Outcome::Return
}

/// INT 13h: there is no drive behind the BIOS (drive C: is a folder, known to DOS alone), so a reset works and all else
/// fails with "timeout: drive not ready".
pub fn disk(cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
    let failed = cpu.regs.ah() != 0x00;
    cpu.regs.set_ah(if failed { 0x80 } else { 0x00 });
    set_caller_carry(cpu, hw, failed);
    Outcome::Return
}

/// INT 14h: no serial port; every call times out.
pub fn serial(cpu: &mut Cpu) -> Outcome {
    cpu.regs.set_ah(0x80);
    Outcome::Return
}

/// INT 17h: no printer; every call times out.
pub fn printer(cpu: &mut Cpu) -> Outcome {
    cpu.regs.set_ah(0x01);
    Outcome::Return
}

impl Bios {
    /// INT 15h.
    pub fn system(&mut self, cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
        let mut failed = false;
        match cpu.regs.ah() {
            0x24 => failed = !a20(cpu, hw),
            // The keyboard intercept leaves the scan code and says by CF that it is to be used.
            0x4F => failed = true,
            // Device open, close, end; key SysRq; device busy and ready: nothing to do, and no error.
            0x80..=0x82 | 0x85 | 0x90 | 0x91 => cpu.regs.set_ah(0),
            0x86 => return self.wait(cpu, hw),
            0x88 => cpu.regs.set_ax(0), // KiB of extended memory
            0xC0 => {
                cpu.regs.set_es(ROM_SEGMENT);
                cpu.regs.set_bx(CONFIGURATION);
                cpu.regs.set_ah(0);
            }
            _ => {
                cpu.regs.set_ah(0x86);
                failed = true;
            }
        }
        set_caller_carry(cpu, hw, failed);
        Outcome::Return
    }

    /// AH=86h: wait for CX:DX microseconds. The machine wakes the halted stub at that instant.
    fn wait(&mut self, cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
        let now = cpu.cycles;
        let end = *self.wait_until.get_or_insert_with(|| {
            let microseconds = u64::from(cpu.regs.cx()) << 16 | u64::from(cpu.regs.dx());
            hw.clock.cycle_at_nanoseconds(hw.clock.nanoseconds(now) + microseconds * 1000)
        });
        if now < end {
            return Outcome::Wait;
        }
        self.wait_until = None;
        set_caller_carry(cpu, hw, false);
        Outcome::Return
    }
}

/// AH=24h: the A20 gate, through port 92h. False for an unknown subfunction.
fn a20(cpu: &mut Cpu, hw: &mut Hardware) -> bool {
    let now = hw.now();
    let port = hw.input(0x92, Width::Byte, now) as u8;
    match cpu.regs.al() {
        0x00 => hw.output(0x92, Width::Byte, u32::from(port & !0x03), now),
        0x01 => hw.output(0x92, Width::Byte, u32::from(port & !0x01 | 0x02), now),
        0x02 => cpu.regs.set_al(port >> 1 & 1),
        0x03 => cpu.regs.set_bx(0x0003), // by the keyboard controller and by port 92h
        _ => {
            cpu.regs.set_ah(0x86);
            return false;
        }
    }
    cpu.regs.set_ah(0);
    true
}

/// Writes the tables that services point to.
pub(super) fn init(hw: &mut Hardware) {
    hw.memory.write_bytes(linear(ROM_SEGMENT, CONFIGURATION), &CONFIGURATION_TABLE);
}
