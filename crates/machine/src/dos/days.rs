//! The days that DOS knows, counted from 1980-01-01.

use crate::hardware::DateTime;

/// Days from 1980-01-01 to 2099-12-31, the last day that DOS knows.
const LAST_DAY: u32 = 43_829;

/// The first day that DOS knows.
fn first_day() -> DateTime {
    DateTime::date(1980, 1, 1)
}

/// The day `days` days after 1980-01-01; after 2099 the last day stays.
pub(super) fn day(days: u32) -> DateTime {
    first_day().days_later(days.min(LAST_DAY).into())
}

/// Days since 1980-01-01, when it is a day that DOS knows.
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
