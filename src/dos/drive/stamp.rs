//! Date and time of a file, as a directory entry holds them.
//!
//! Date: bits 15-9 year - 1980, 8-5 month, 4-0 day. Time: bits 15-11 hour, 10-5 minute, 4-0 second / 2.

use crate::dos::time::Date;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// Date and time in the form of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    /// Year - 1980, month, day.
    pub date: u16,
    /// Hour, minute, second / 2.
    pub time: u16,
}

impl Stamp {
    /// A date and the seconds since midnight.
    pub(crate) fn new(date: Date, seconds: u32) -> Self {
        let year = date.year.clamp(1980, 2107) - 1980;
        Stamp {
            date: year << 9 | u16::from(date.month) << 5 | u16::from(date.day),
            time: ((seconds / 3600) << 11 | (seconds / 60 % 60) << 5 | (seconds % 60 / 2)) as u16,
        }
    }

    /// The host's time, in UTC so that it does not depend on where the host stands. Before 1980 it is 1980.
    pub(crate) fn from_host(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let days = (seconds / 86400).saturating_sub(u64::from(Date::DAYS_1970_TO_1980));
        Stamp::new(Date::from_days(u32::try_from(days).unwrap_or(u32::MAX)), (seconds % 86400) as u32)
    }
}
