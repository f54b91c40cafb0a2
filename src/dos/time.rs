//! Date and time: functions 2Ah to 2Dh.
//!
//! The time is the BIOS's count of timer ticks since midnight (0040:006C), the date a count of days that goes on when the BIOS reports
//! midnight (0040:0070): so both run on the virtual clock, and setting them sets the machine.

use super::{
    Dos,
    guest::{Far, Guest, GuestMemory},
};
use crate::hardware::{Hardware, clock::PIT_HZ};
use serde::{Deserialize, Serialize};

const TICKS: Far = Far::new(0x40, 0x6C);
const MIDNIGHT: Far = Far::new(0x40, 0x70);

/// A day of the calendar that DOS knows: 1980-01-01 to 2099-12-31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Date {
    /// 1980 to 2099.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl Date {
    pub(crate) const DAYS_1970_TO_1980: u32 = 3652;

    /// The day `days` days after 1980-01-01; after 2099 the last day stays.
    pub(crate) fn from_days(days: u32) -> Self {
        let mut rest = days;
        for year in 1980..=2099 {
            for month in 1..=12 {
                let length = u32::from(days_in(year, month));
                if rest < length {
                    return Date { year, month, day: rest as u8 + 1 };
                }
                rest -= length;
            }
        }
        Date { year: 2099, month: 12, day: 31 }
    }

    /// Days since 1980-01-01, when it is a day of the calendar.
    pub(crate) fn to_days(self) -> Option<u32> {
        let valid = (1980..=2099).contains(&self.year)
            && (1..=12).contains(&self.month)
            && (1..=days_in(self.year, self.month)).contains(&self.day);
        valid.then(|| {
            let years: u32 = (1980..self.year).map(|y| if y % 4 == 0 { 366 } else { 365 }).sum();
            let months: u32 = (1..self.month).map(|m| u32::from(days_in(self.year, m))).sum();
            years + months + u32::from(self.day) - 1
        })
    }
}

/// Between 1980 and 2099 each fourth year is a leap year.
fn days_in(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Hundredths of a second for ticks of the BIOS (65536 periods of the timer's clock), and back; the tick is the first that is not
/// before the hundredth.
fn hundredths(ticks: u32) -> u64 {
    u64::from(ticks) * 65536 * 100 / PIT_HZ
}

fn ticks(hundredths: u64) -> u32 {
    (hundredths * PIT_HZ).div_ceil(65536 * 100) as u32
}

impl Dos {
    /// Sets the date, for the machine's start.
    ///
    /// Returns false, and changes nothing, when there is no such day.
    pub fn set_date(&mut self, date: Date) -> bool {
        date.to_days().map(|days| self.days = days).is_some()
    }

    /// Today; takes note of midnights that the BIOS has reported.
    fn today(&mut self, hw: &mut Hardware) -> u32 {
        let passed = hw.byte(MIDNIGHT);
        if passed > 0 {
            hw.set_byte(MIDNIGHT, 0);
            self.days = self.days.saturating_add(u32::from(passed));
        }
        self.days
    }

    /// Date, and hundredths of a second since midnight.
    pub(crate) fn now(&mut self, hw: &mut Hardware) -> (Date, u64) {
        let days = self.today(hw);
        (Date::from_days(days), hundredths(hw.dword(TICKS)))
    }

    /// The stamp for a file written now.
    pub(crate) fn stamp_now(&mut self, hw: &mut Hardware) -> super::drive::Stamp {
        let (date, time) = self.now(hw);
        super::drive::Stamp::new(date, (time / 100) as u32)
    }

    /// 2Ah: CX year, DH month, DL day, AL day of the week from Sunday.
    pub(crate) fn get_date(&mut self, g: &mut Guest) {
        let days = self.today(g.hw);
        let date = Date::from_days(days);
        g.cpu.regs.set_cx(date.year);
        g.cpu.regs.set_dh(date.month);
        g.cpu.regs.set_dl(date.day);
        // 1980-01-01 was a Tuesday.
        g.cpu.regs.set_al(((days + 2) % 7) as u8);
    }

    /// 2Bh: AL 0 or FFh when there is no such day.
    pub(crate) fn set_date_call(&mut self, g: &mut Guest) {
        self.today(g.hw);
        let regs = &mut g.cpu.regs;
        let done = self.set_date(Date { year: regs.cx(), month: regs.dh(), day: regs.dl() });
        regs.set_al(if done { 0 } else { 0xFF });
    }

    /// 2Ch: CH hour, CL minute, DH second, DL hundredth.
    pub(crate) fn get_time(&mut self, g: &mut Guest) {
        let (_, time) = self.now(g.hw);
        let regs = &mut g.cpu.regs;
        regs.set_ch((time / 360_000 % 24) as u8);
        regs.set_cl((time / 6000 % 60) as u8);
        regs.set_dh((time / 100 % 60) as u8);
        regs.set_dl((time % 100) as u8);
    }

    /// 2Dh: AL 0 or FFh when there is no such time.
    pub(crate) fn set_time(&mut self, g: &mut Guest) {
        let regs = &mut g.cpu.regs;
        let (hour, minute, second, hundredth) = (regs.ch(), regs.cl(), regs.dh(), regs.dl());
        if hour > 23 || minute > 59 || second > 59 || hundredth > 99 {
            regs.set_al(0xFF);
            return;
        }
        regs.set_al(0);
        self.today(g.hw);
        let seconds = (u64::from(hour) * 60 + u64::from(minute)) * 60 + u64::from(second);
        g.hw.set_dword(TICKS, ticks(seconds * 100 + u64::from(hundredth)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_come_back() {
        for days in 0..43_830 {
            assert_eq!(Date::from_days(days).to_days(), Some(days));
        }
        for (year, month, day) in [
            (1979, 1, 1),
            (2100, 1, 1),
            (1990, 0, 1),
            (1990, 13, 1),
            (1990, 2, 29),
            (1990, 4, 31),
            (1990, 1, 0),
        ] {
            assert_eq!(Date { year, month, day }.to_days(), None, "{year}-{month}-{day}");
        }
    }

    #[test]
    fn a_second_set_is_the_second_read() {
        for seconds in 0..86400u64 {
            assert_eq!(hundredths(ticks(seconds * 100)) / 100, seconds);
        }
    }
}
