//! Date and time: functions 2Ah to 2Dh.
//!
//! The time is the BIOS's count of timer ticks since midnight. The date is a count of days that
//! advances when the BIOS reports midnight. So both follow the virtual clock, and setting them sets
//! the machine.

use super::{
    days::{day, day_number},
    drive::Timestamp,
    error::Answer,
    pending::Call,
    state::Dos,
};
use crate::{
    bios::{data, timer},
    hardware::{DateTime, Hardware, SideEffect, clock::PIT_HZ},
};

/// Converts ticks of the BIOS (65536 periods of the timer's clock) to hundredths of a second, and
/// back. The tick is the first that is not before the hundredth.
fn hundredths(ticks: u32) -> u64 {
    u64::from(ticks) * 65536 * 100 / PIT_HZ
}

fn ticks(hundredths: u64) -> u32 {
    (hundredths * PIT_HZ).div_ceil(65536 * 100) as u32
}

impl Dos {
    /// Adds the midnights that the BIOS has reported to the date.
    pub(crate) fn process_midnight(&mut self, hw: &mut Hardware) {
        let passed = hw.memory.read8(data::MIDNIGHT);
        if passed > 0 {
            hw.memory.write8(data::MIDNIGHT, 0);
            self.clock.days = self.clock.days.saturating_add(u32::from(passed));
        }
    }

    /// Returns the current day.
    fn today(&mut self, hw: &mut Hardware) -> u32 {
        self.process_midnight(hw);
        self.clock.days
    }

    pub(super) fn stamp_now(&mut self, hw: &mut Hardware) -> Timestamp {
        let today = day(self.today(hw));
        Timestamp::new(today.later(hundredths(timer::ticks(hw)) / 100))
    }

    /// 2Ah: returns CX year, DH month, DL day, AL day of the week from Sunday.
    pub(super) fn get_date(&mut self, g: &mut Call) -> Answer {
        let today = day(self.today(g.hw));
        g.cpu.regs.set_cx(today.year);
        g.cpu.regs.set_dh(today.month);
        g.cpu.regs.set_dl(today.day);
        g.cpu.regs.set_al(today.weekday() - 1);
        Ok(())
    }

    /// 2Bh: AL is 0, or FFh if the date is invalid.
    pub(super) fn set_date(&mut self, g: &mut Call) -> Answer {
        self.process_midnight(g.hw);
        g.hw.note_side_effect(SideEffect::Clock);
        let regs = &mut g.cpu.regs;
        let days = day_number(DateTime::date(regs.cx(), regs.dh(), regs.dl()));
        self.clock.days = days.unwrap_or(self.clock.days);
        regs.set_al(if days.is_some() { 0 } else { 0xFF });
        Ok(())
    }

    /// 2Ch: returns CH hour, CL minute, DH second, DL hundredth.
    pub(super) fn get_time(&mut self, g: &mut Call) -> Answer {
        self.today(g.hw);
        let time = hundredths(timer::ticks(g.hw));
        let regs = &mut g.cpu.regs;
        regs.set_ch((time / 360_000 % 24) as u8);
        regs.set_cl((time / 6000 % 60) as u8);
        regs.set_dh((time / 100 % 60) as u8);
        regs.set_dl((time % 100) as u8);
        Ok(())
    }

    /// 2Dh: AL is 0, or FFh if the time is invalid.
    pub(super) fn set_time(&mut self, g: &mut Call) -> Answer {
        let regs = &mut g.cpu.regs;
        let (hour, minute, second, hundredth) = (regs.ch(), regs.cl(), regs.dh(), regs.dl());
        if hour > 23 || minute > 59 || second > 59 || hundredth > 99 {
            regs.set_al(0xFF);
            return Ok(());
        }
        regs.set_al(0);
        g.hw.note_side_effect(SideEffect::Clock);
        self.today(g.hw);
        let seconds = (u64::from(hour) * 60 + u64::from(minute)) * 60 + u64::from(second);
        timer::set_ticks(g.hw, ticks(seconds * 100 + u64::from(hundredth)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_set_is_the_second_read() {
        for seconds in 0..86400u64 {
            assert_eq!(hundredths(ticks(seconds * 100)) / 100, seconds);
        }
    }
}
