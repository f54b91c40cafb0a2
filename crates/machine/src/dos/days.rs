//! The range of days in DOS, counted from 1980-01-01.

use crate::hardware::DateTime;

/// The number of days from 1980-01-01 to 2099-12-31, the last day of DOS's calendar.
const LAST_DAY: u32 = 43_829;

/// Returns the first day of DOS's calendar.
fn first_day() -> DateTime {
    DateTime::date(1980, 1, 1)
}

/// Returns the day `days` days after 1980-01-01, at most the last day.
pub(super) fn day(days: u32) -> DateTime {
    first_day().days_later(days.min(LAST_DAY).into())
}

/// Returns the days since 1980-01-01 if the date is in DOS's calendar.
pub(super) fn day_number(date: DateTime) -> Option<u32> {
    let days = date.days_since(&first_day())?;
    u32::try_from(days).ok().filter(|&days| days <= LAST_DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_come_back() {
        for days in 0..=LAST_DAY {
            assert_eq!(day_number(day(days)), Some(days));
        }
        assert_eq!(day(LAST_DAY + 1), DateTime::date(2099, 12, 31));
        for (year, month, day) in [
            (1979, 12, 31),
            (2100, 1, 1),
            (1990, 0, 1),
            (1990, 13, 1),
            (1990, 2, 29),
            (1990, 4, 31),
            (1990, 1, 0),
        ] {
            assert_eq!(day_number(DateTime::date(year, month, day)), None, "{year}-{month}-{day}");
        }
    }
}
