//! Date and time of a file, in the format of a directory entry.
//!
//! Date: bits 15-9 year - 1980, 8-5 month, 4-0 day. Time: bits 15-11 hour, 10-5 minute, 4-0 second / 2.

use crate::hardware::DateTime;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// Date and time in the format of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Timestamp {
    /// Year - 1980, month, day.
    pub date: u16,
    /// Hour, minute, second / 2.
    pub time: u16,
}

impl Timestamp {
    /// Returns the stamp of a date from 1980 to 2107 and a time of day.
    pub(crate) fn new(at: DateTime) -> Self {
        let year = at.year.clamp(1980, 2107) - 1980;
        Timestamp {
            date: year << 9 | u16::from(at.month) << 5 | u16::from(at.day),
            time: u16::from(at.hour) << 11 | u16::from(at.minute) << 5 | u16::from(at.second / 2),
        }
    }

    /// Converts the host's time, in UTC so that it does not depend on the host's location. Limited
    /// to the years 1980 to 2099.
    pub(crate) fn from_host(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let at = DateTime::date(1970, 1, 1).later(seconds);
        let day = match at.year {
            1980..=2099 => at,
            ..1980 => DateTime::date(1980, 1, 1),
            _ => DateTime::date(2099, 12, 31),
        };
        Timestamp::new(day.at_time_of(&at))
    }
}
