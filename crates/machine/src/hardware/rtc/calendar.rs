//! Dates and times, and calculations with days.
//!
//! The Gregorian calendar, years 0 to 9999. Day numbers count from 1 March of the year 0, so that a
//! leap day is the last day of its year.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A date and a time of day. Fields may contain values that a program has written to the chip, even
/// if there is no such day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DateTime {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
}

/// Seconds in a day.
pub(super) const DAY: u64 = 86_400;

impl DateTime {
    /// Returns the start of a day.
    pub fn date(year: u16, month: u8, day: u8) -> Self {
        DateTime { year, month, day, hour: 0, minute: 0, second: 0 }
    }

    /// Returns 1 for Sunday to 7 for Saturday.
    pub fn weekday(&self) -> u8 {
        // Day 0, 1 March of the year 0, was a Wednesday.
        ((self.day_number() + 3) % 7) as u8 + 1
    }

    /// Returns the seconds since midnight.
    pub fn second_of_day(&self) -> u64 {
        u64::from(self.hour) * 3600 + u64::from(self.minute) * 60 + u64::from(self.second)
    }

    /// Returns the time `seconds` later. The date changes only if midnight passes.
    pub fn later(&self, seconds: u64) -> Self {
        let total = self.second_of_day().saturating_add(seconds);
        let (days, second) = (total / DAY, total % DAY);
        let date = if days == 0 { *self } else { from_day_number(self.day_number().saturating_add(days)) };
        DateTime {
            hour: (second / 3600) as u8,
            minute: (second / 60 % 60) as u8,
            second: (second % 60) as u8,
            ..date
        }
    }

    pub(crate) fn days_later(&self, days: u64) -> Self {
        from_day_number(self.day_number().saturating_add(days)).at_time_of(self)
    }

    /// Returns the days from another date; `None` for an impossible day or one before the other.
    pub(crate) fn days_since(&self, other: &DateTime) -> Option<u64> {
        let number = self.day_number();
        let there_is = from_day_number(number).at_time_of(self) == *self;
        there_is.then(|| number.checked_sub(other.day_number()))?
    }

    /// Returns this date with the other's time of day.
    pub(crate) fn at_time_of(&self, other: &DateTime) -> Self {
        DateTime { year: self.year, month: self.month, day: self.day, ..*other }
    }

    /// Returns the days since 1 March of the year 0 (January and February count as following it).
    fn day_number(&self) -> u64 {
        let month = u64::from(self.month.max(1)) + 9;
        // Adds and subtracts a cycle of 400 years, so that January of the year 0 has a number.
        let year = u64::from(self.year) + month / 12 + 399;
        let month = month % 12;
        let before_year = year * 365 + year / 4 - year / 100 + year / 400;
        (before_year + before_month(month) + u64::from(self.day.max(1)) - 1).saturating_sub(CYCLE)
    }
}

/// The text is not a date and time at which a PC with DOS can be switched on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot parse '{0}' as a date and time of 1980 to 2099; use 1990-06-15 13:45:10")]
pub struct ParseDateTimeError(String);

/// Parses `1990-06-15 13:45:10`. Seconds may be left out, and so may the time of day (midnight). A
/// `T` may separate the two.
impl FromStr for DateTime {
    type Err = ParseDateTimeError;

    fn from_str(text: &str) -> Result<Self, ParseDateTimeError> {
        let wrong = || ParseDateTimeError(text.to_owned());
        let (date, time) = text.trim().split_once([' ', 'T']).unwrap_or((text.trim(), "0:0"));
        let numbers = |text: &str, sign| {
            let digits = |part: &str| {
                let number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
                if number { part.parse::<u16>().ok() } else { None }
            };
            text.split(sign).map(digits).collect::<Option<Vec<u16>>>().ok_or_else(wrong)
        };
        let (date, time) = (numbers(date, '-')?, numbers(time.trim(), ':')?);
        let (&[year @ 1980..=2099, month, day], &([hour, minute] | [hour, minute, _])) = (&*date, &*time)
        else {
            return Err(wrong());
        };
        let second = time.get(2).copied().unwrap_or(0);
        if hour > 23 || minute > 59 || second > 59 || month > 12 || day > 31 {
            return Err(wrong());
        }
        let date = DateTime::date(year, month as u8, day as u8);
        date.days_since(&DateTime::date(1980, 1, 1)).ok_or_else(wrong)?;
        Ok(DateTime { hour: hour as u8, minute: minute as u8, second: second as u8, ..date })
    }
}

/// Formats as [`DateTime::from_str`] parses.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DateTime { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

/// Days in 400 years.
const CYCLE: u64 = 146_097;

/// Returns the days from 1 March to the first of a month (March is 0), of 30.6 days on average.
fn before_month(month: u64) -> u64 {
    (month * 153 + 2) / 5
}

fn from_day_number(number: u64) -> DateTime {
    // The leap days of a century and of four years are their last days.
    let (cycles, rest) = (number / CYCLE, number % CYCLE);
    let century = (rest / 36_524).min(3);
    let rest = rest - century * 36_524;
    let (fours, rest) = (rest / 1461, rest % 1461);
    let one = (rest / 365).min(3);
    let day_of_year = rest - one * 365;
    let month = (day_of_year * 5 + 2) / 153;
    let year = cycles * 400 + century * 100 + fours * 4 + one + u64::from(month >= 10);
    DateTime::date(
        (year % 10_000) as u16,
        if month >= 10 { month - 9 } else { month + 3 } as u8,
        (day_of_year - before_month(month) + 1) as u8,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_each_other() {
        // A date, seconds, and the date after them; weekdays from Sunday 1 to Saturday 7.
        let rows = [
            ((1980, 1, 1), 3, DAY, (1980, 1, 2)),
            ((1980, 2, 28), 5, DAY, (1980, 2, 29)),
            ((1980, 2, 29), 6, DAY, (1980, 3, 1)),
            ((1900, 2, 28), 4, DAY, (1900, 3, 1)),
            ((2000, 2, 28), 2, DAY, (2000, 2, 29)),
            ((1999, 12, 31), 6, DAY, (2000, 1, 1)),
            ((2007, 4, 20), 6, 365 * DAY, (2008, 4, 19)),
            ((1952, 1, 1), 3, 26_000 * DAY, (2023, 3, 9)),
            ((2099, 12, 31), 5, DAY, (2100, 1, 1)),
            ((2024, 7, 4), 5, DAY - 1, (2024, 7, 4)),
        ];
        for ((y, m, d), weekday, seconds, (y2, m2, d2)) in rows {
            let date = DateTime::date(y, m, d);
            assert_eq!(date.weekday(), weekday, "{y}-{m}-{d}");
            let later = date.later(seconds);
            assert_eq!((later.year, later.month, later.day), (y2, m2, d2), "{y}-{m}-{d} + {seconds}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_the_day_after_the_one_before() {
        let mut date = DateTime::date(1800, 1, 1);
        let lengths = |year: u16| {
            let divides = |n: u16| year.is_multiple_of(n);
            let leap = divides(4) && !divides(100) || divides(400);
            [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        };
        for year in 1800..2200 {
            for (month, &length) in lengths(year).iter().enumerate() {
                for day in 1..=length {
                    assert_eq!((date.year, date.month, date.day), (year, month as u8 + 1, day));
                    date = date.later(DAY);
                }
            }
        }
    }

    #[test]
    fn times_carry() {
        let start = DateTime { hour: 23, minute: 59, second: 58, ..DateTime::date(1999, 12, 31) };
        assert_eq!(start.later(1), DateTime { second: 59, ..start });
        assert_eq!(start.later(2), DateTime::date(2000, 1, 1));
        assert_eq!(
            start.later(3723),
            DateTime { hour: 1, minute: 2, second: 1, ..DateTime::date(2000, 1, 1) }
        );
    }

    #[test]
    fn a_clock_is_read_as_it_is_written() {
        // The text and its value; none where it is refused.
        let rows = [
            ("1990-06-15 13:45:10", "1990-06-15 13:45:10"),
            ("1990-06-15T13:45:10", "1990-06-15 13:45:10"),
            (" 2000-02-29 23:59 ", "2000-02-29 23:59:00"),
            ("1980-1-2 3:4:5", "1980-01-02 03:04:05"),
            ("2099-12-31", "2099-12-31 00:00:00"),
            ("1979-12-31", ""),
            ("2100-01-01", ""),
            ("1990-02-29", ""),
            ("1990-13-01", ""),
            ("1990-00-01", ""),
            ("1990-06-00", ""),
            ("1990-06-15 24:00", ""),
            ("1990-06-15 13:60", ""),
            ("1990-06-15 13:45:60", ""),
            ("1990-06-15 13", ""),
            ("1990-06-15 13:45:10:1", ""),
            ("1990-06-15 +1:45", ""),
            ("1990-06", ""),
            ("13:45", ""),
            ("now", ""),
            ("", ""),
        ];
        for (text, expected) in rows {
            let read = text.parse::<DateTime>().map_or(String::new(), |date| date.to_string());
            assert_eq!(read, expected, "{text:?}");
        }
    }

    #[test]
    fn nonsense_does_not_panic() {
        for byte in [0, 77, 255] {
            let date =
                DateTime { year: 65_535, month: byte, day: byte, hour: byte, minute: byte, second: byte };
            date.later(0);
            date.later(u64::MAX);
            date.weekday();
        }
    }
}
