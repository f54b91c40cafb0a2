//! INT 08h and INT 1Ah: the tick count, and the real-time clock through its ports 70h and 71h.

use super::data::{MIDNIGHT, TICKS};
use crate::cpu::{Bus, Cpu, Width};
use crate::firmware::{Outcome, set_caller_carry};
use crate::hardware::Hardware;

/// Ticks of 65536/1193182 s in a day, as the IBM BIOS counts them.
const TICKS_A_DAY: u32 = 0x1800B0;

/// Registers of the real-time clock (MC146818).
mod cmos {
    pub(super) const SECONDS: u8 = 0x00;
    pub(super) const ALARM_SECONDS: u8 = 0x01;
    pub(super) const MINUTES: u8 = 0x02;
    pub(super) const ALARM_MINUTES: u8 = 0x03;
    pub(super) const HOURS: u8 = 0x04;
    pub(super) const ALARM_HOURS: u8 = 0x05;
    pub(super) const DAY: u8 = 0x07;
    pub(super) const MONTH: u8 = 0x08;
    pub(super) const YEAR: u8 = 0x09;
    pub(super) const STATUS_B: u8 = 0x0B;
    pub(super) const STATUS_C: u8 = 0x0C;
    pub(super) const CENTURY: u8 = 0x32;
    /// In status B: the alarm interrupt is on.
    pub(super) const ALARM_ENABLE: u8 = 0x20;
}

/// The trap within IRQ 0's routine.
pub fn tick(hw: &mut Hardware) -> Outcome {
    let next = ticks(hw) + 1;
    if next >= TICKS_A_DAY {
        set_ticks(hw, 0);
        hw.memory.write8(MIDNIGHT, 1);
    } else {
        set_ticks(hw, next);
    }
    Outcome::Return
}

/// Ticks since midnight.
pub fn ticks(hw: &Hardware) -> u32 {
    u32::from(hw.memory.read16(TICKS)) | u32::from(hw.memory.read16(TICKS + 2)) << 16
}

/// Sets the ticks since midnight.
pub fn set_ticks(hw: &mut Hardware, ticks: u32) {
    hw.memory.write16(TICKS, ticks as u16);
    hw.memory.write16(TICKS + 2, (ticks >> 16) as u16);
}

/// Sets the tick count from the real-time clock, as the power-on test does.
pub(super) fn init(hw: &mut Hardware) {
    let number = |bcd: u8| u32::from(bcd >> 4) * 10 + u32::from(bcd & 15);
    let hours = number(read(hw, cmos::HOURS));
    let minutes = number(read(hw, cmos::MINUTES));
    let seconds = number(read(hw, cmos::SECONDS));
    let since_midnight = u64::from((hours * 60 + minutes) * 60 + seconds);
    set_ticks(hw, (since_midnight * 1_193_182 / 65_536) as u32);
}

/// The trap within IRQ 8's routine: reading status C clears the request. AH answers whether it was the alarm.
pub fn rtc_interrupt(cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
    let alarm = read(hw, cmos::STATUS_C) & cmos::ALARM_ENABLE != 0;
    cpu.regs.set_ah(u8::from(alarm));
    Outcome::Return
}

/// INT 1Ah.
pub fn service(cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
    let mut failed = false;
    match cpu.regs.ah() {
        0x00 => {
            let count = ticks(hw);
            cpu.regs.set_cx((count >> 16) as u16);
            cpu.regs.set_dx(count as u16);
            cpu.regs.set_al(hw.memory.read8(MIDNIGHT));
            hw.memory.write8(MIDNIGHT, 0);
        }
        0x01 => {
            set_ticks(hw, u32::from(cpu.regs.cx()) << 16 | u32::from(cpu.regs.dx()));
            hw.memory.write8(MIDNIGHT, 0);
        }
        0x02 => {
            cpu.regs.set_ch(read(hw, cmos::HOURS));
            cpu.regs.set_cl(read(hw, cmos::MINUTES));
            cpu.regs.set_dh(read(hw, cmos::SECONDS));
            let daylight = read(hw, cmos::STATUS_B) & 1;
            cpu.regs.set_dl(daylight);
        }
        0x03 => {
            write(hw, cmos::HOURS, cpu.regs.ch());
            write(hw, cmos::MINUTES, cpu.regs.cl());
            write(hw, cmos::SECONDS, cpu.regs.dh());
        }
        0x04 => {
            cpu.regs.set_ch(read(hw, cmos::CENTURY));
            cpu.regs.set_cl(read(hw, cmos::YEAR));
            cpu.regs.set_dh(read(hw, cmos::MONTH));
            cpu.regs.set_dl(read(hw, cmos::DAY));
        }
        0x05 => {
            write(hw, cmos::CENTURY, cpu.regs.ch());
            write(hw, cmos::YEAR, cpu.regs.cl());
            write(hw, cmos::MONTH, cpu.regs.dh());
            write(hw, cmos::DAY, cpu.regs.dl());
        }
        0x06 => failed = !set_alarm(cpu, hw),
        0x07 => {
            let status = read(hw, cmos::STATUS_B);
            write(hw, cmos::STATUS_B, status & !cmos::ALARM_ENABLE);
        }
        _ => failed = true,
    }
    set_caller_carry(cpu, hw, failed);
    Outcome::Return
}

/// Sets the alarm and opens IRQ 8. False when one is set already.
fn set_alarm(cpu: &Cpu, hw: &mut Hardware) -> bool {
    let status = read(hw, cmos::STATUS_B);
    if status & cmos::ALARM_ENABLE != 0 {
        return false;
    }
    write(hw, cmos::ALARM_HOURS, cpu.regs.ch());
    write(hw, cmos::ALARM_MINUTES, cpu.regs.cl());
    write(hw, cmos::ALARM_SECONDS, cpu.regs.dh());
    write(hw, cmos::STATUS_B, status | cmos::ALARM_ENABLE);
    super::unmask(hw, 8);
    true
}

fn read(hw: &mut Hardware, register: u8) -> u8 {
    let now = hw.now();
    hw.output(0x70, Width::Byte, u32::from(register), now);
    hw.input(0x71, Width::Byte, now) as u8
}

fn write(hw: &mut Hardware, register: u8, value: u8) {
    let now = hw.now();
    hw.output(0x70, Width::Byte, u32::from(register), now);
    hw.output(0x71, Width::Byte, u32::from(value), now);
}
