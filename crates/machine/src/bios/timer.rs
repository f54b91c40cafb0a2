//! INT 08h and INT 1Ah: the tick count, and the real-time clock through its ports 70h and 71h.

use super::chips::unmask;
use super::data::{MIDNIGHT, TICKS};
use super::state::{Bios, Handler, done, failed};
use crate::firmware::{Functions, Guest, Resume, row};
use crate::hardware::{Hardware, PIT_HZ, SideEffect};
use oxbox_cpu::{Bus, Width};

/// Ticks of 65536/1193182 s per day, as counted by the IBM BIOS.
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
    /// In status B: the alarm interrupt is enabled.
    pub(super) const ALARM_ENABLE: u8 = 0x20;
}

/// The trap within IRQ 0's routine.
pub(super) fn tick(_: &mut Bios, g: &mut Guest) -> Resume {
    let next = ticks(g.hw) + 1;
    if next >= TICKS_A_DAY {
        set_ticks(g.hw, 0);
        g.hw.memory.write8(MIDNIGHT, 1);
    } else {
        set_ticks(g.hw, next);
    }
    Resume::Return
}

/// Returns the ticks since midnight.
pub(crate) fn ticks(hw: &Hardware) -> u32 {
    u32::from(hw.memory.read16(TICKS)) | u32::from(hw.memory.read16(TICKS + 2)) << 16
}

/// Sets the ticks since midnight.
pub(crate) fn set_ticks(hw: &mut Hardware, ticks: u32) {
    hw.memory.write16(TICKS, ticks as u16);
    hw.memory.write16(TICKS + 2, (ticks >> 16) as u16);
}

/// Sets the tick count from the real-time clock, as the power-on test does: to the first tick of
/// its second, so that DOS, which counts ticks, shows the same second.
pub(super) fn init(hw: &mut Hardware) {
    let number = |bcd: u8| u32::from(bcd >> 4) * 10 + u32::from(bcd & 15);
    let hours = number(read(hw, cmos::HOURS));
    let minutes = number(read(hw, cmos::MINUTES));
    let seconds = number(read(hw, cmos::SECONDS));
    let since_midnight = u64::from((hours * 60 + minutes) * 60 + seconds);
    set_ticks(hw, (since_midnight * PIT_HZ).div_ceil(65_536) as u32);
}

/// IRQ 8's trap: reading status C clears the request. Returns in AH whether it was the alarm.
pub(super) fn rtc_interrupt(_: &mut Bios, g: &mut Guest) -> Resume {
    let alarm = read(g.hw, cmos::STATUS_C) & cmos::ALARM_ENABLE != 0;
    g.cpu.regs.set_ah(u8::from(alarm));
    Resume::Return
}

#[rustfmt::skip]
pub(super) static INT_1A: Functions<Handler> = Functions::new(&[
    row(0x00, "get system time",                get_tick_count),
    row(0x01, "set system time",                set_tick_count),
    row(0x02, "get real-time clock time",       get_clock_time),
    row(0x03, "set real-time clock time",       set_clock_time),
    row(0x04, "get real-time clock date",       get_clock_date),
    row(0x05, "set real-time clock date",       set_clock_date),
    row(0x06, "set alarm",                      set_alarm),
    row(0x07, "cancel alarm",                   cancel_alarm),
]);

/// AH=00h: the count in CX:DX; AL is set if midnight has passed.
fn get_tick_count(_: &mut Bios, g: &mut Guest) -> Resume {
    let count = ticks(g.hw);
    g.cpu.regs.set_cx((count >> 16) as u16);
    g.cpu.regs.set_dx(count as u16);
    g.cpu.regs.set_al(g.hw.memory.read8(MIDNIGHT));
    g.hw.memory.write8(MIDNIGHT, 0);
    done(g)
}

/// AH=01h.
fn set_tick_count(_: &mut Bios, g: &mut Guest) -> Resume {
    g.hw.note_side_effect(SideEffect::Clock);
    let regs = &g.cpu.regs;
    set_ticks(g.hw, u32::from(regs.cx()) << 16 | u32::from(regs.dx()));
    g.hw.memory.write8(MIDNIGHT, 0);
    done(g)
}

/// AH=02h: BCD hours CH, minutes CL, seconds DH; daylight saving DL.
fn get_clock_time(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ch(read(g.hw, cmos::HOURS));
    g.cpu.regs.set_cl(read(g.hw, cmos::MINUTES));
    g.cpu.regs.set_dh(read(g.hw, cmos::SECONDS));
    g.cpu.regs.set_dl(read(g.hw, cmos::STATUS_B) & 1);
    done(g)
}

/// AH=03h.
fn set_clock_time(_: &mut Bios, g: &mut Guest) -> Resume {
    write(g.hw, cmos::HOURS, g.cpu.regs.ch());
    write(g.hw, cmos::MINUTES, g.cpu.regs.cl());
    write(g.hw, cmos::SECONDS, g.cpu.regs.dh());
    done(g)
}

/// AH=04h: BCD century CH, year CL, month DH, day DL.
fn get_clock_date(_: &mut Bios, g: &mut Guest) -> Resume {
    g.cpu.regs.set_ch(read(g.hw, cmos::CENTURY));
    g.cpu.regs.set_cl(read(g.hw, cmos::YEAR));
    g.cpu.regs.set_dh(read(g.hw, cmos::MONTH));
    g.cpu.regs.set_dl(read(g.hw, cmos::DAY));
    done(g)
}

/// AH=05h.
fn set_clock_date(_: &mut Bios, g: &mut Guest) -> Resume {
    write(g.hw, cmos::CENTURY, g.cpu.regs.ch());
    write(g.hw, cmos::YEAR, g.cpu.regs.cl());
    write(g.hw, cmos::MONTH, g.cpu.regs.dh());
    write(g.hw, cmos::DAY, g.cpu.regs.dl());
    done(g)
}

/// AH=06h: sets the alarm and unmasks IRQ 8. Fails if an alarm is already set.
fn set_alarm(_: &mut Bios, g: &mut Guest) -> Resume {
    let status = read(g.hw, cmos::STATUS_B);
    if status & cmos::ALARM_ENABLE != 0 {
        return failed(g);
    }
    write(g.hw, cmos::ALARM_HOURS, g.cpu.regs.ch());
    write(g.hw, cmos::ALARM_MINUTES, g.cpu.regs.cl());
    write(g.hw, cmos::ALARM_SECONDS, g.cpu.regs.dh());
    write(g.hw, cmos::STATUS_B, status | cmos::ALARM_ENABLE);
    unmask(g.hw, 8);
    done(g)
}

/// AH=07h.
fn cancel_alarm(_: &mut Bios, g: &mut Guest) -> Resume {
    let status = read(g.hw, cmos::STATUS_B);
    write(g.hw, cmos::STATUS_B, status & !cmos::ALARM_ENABLE);
    done(g)
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
