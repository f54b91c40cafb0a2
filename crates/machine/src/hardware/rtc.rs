//! The MC146818 real-time clock and its CMOS memory at ports 70h and 71h.
//!
//! The time is stored as of the last update (one per second) and brought up to date when the chip
//! is accessed. Times are nanoseconds of virtual time. Sources: Motorola's data sheet of the
//! MC146818, IBM AT Technical Reference and Ralf Brown's CMOS list for the memory.

mod calendar;

#[cfg(test)]
mod tests;

pub use calendar::{DateTime, ParseDateTimeError};

use serde::{Deserialize, Serialize};

const SECOND_NS: u64 = 1_000_000_000;

/// The update-in-progress bit is set this early: 244 us of warning and 1,984 us of update.
const UPDATE_NS: u64 = 2_228_000;

/// The crystal's frequency: all rates are fractions of it.
const CRYSTAL_HZ: u128 = 32_768;

/// Bits of register B: updates stopped; periodic, alarm and update-ended interrupts; binary; 24
/// hours.
const SET: u8 = 0x80;
const PERIODIC: u8 = 0x40;
const ALARM: u8 = 0x20;
const UPDATE_ENDED: u8 = 0x10;
const BINARY: u8 = 0x04;
const HOURS_24: u8 = 0x02;

/// Bit 7 of an hour in 12-hour mode.
const PM: u8 = 0x80;

/// The address of the century, in BCD.
const CENTURY: u8 = 0x32;

/// The clock and 128 bytes of memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rtc {
    time: DateTime,
    /// 1 (Sunday) to 7. The chip counts it independently of the date.
    weekday: u8,
    /// The time of the last update. While updates are stopped, the phase of the divider chain.
    updated_at: u64,
    /// The time up to which periodic ticks have been counted.
    seen_to: u64,
    index: u8,
    /// Registers 0Ah to 0Dh, alarms and memory. Time and date are computed.
    #[serde(with = "serde_bytes")]
    memory: [u8; 128],
}

impl Rtc {
    /// Returns a clock that shows `start` at virtual time 0, initialised by the BIOS: BCD, 24
    /// hours, 1024 Hz, no interrupts; 640 KiB of base memory, the 64 KiB of the high memory area
    /// above 1 MiB, no diskette drives.
    pub(crate) fn new(start: DateTime) -> Self {
        let mut memory = [0; 128];
        memory[0x0A] = 0x26;
        memory[0x0B] = HOURS_24;
        memory[0x0D] = 0x80;
        memory[0x15..0x19].copy_from_slice(&[0x80, 0x02, 0x40, 0x00]);
        memory[0x30..0x32].copy_from_slice(&[0x40, 0x00]);
        let mut rtc =
            Rtc { time: start, weekday: start.weekday(), updated_at: 0, seen_to: 0, index: 0x0D, memory };
        rtc.store_century();
        rtc.store_checksum();
        rtc
    }

    /// Sets date and time at `ns`. A new second begins.
    pub(crate) fn set_date_time(&mut self, time: DateTime, ns: u64) {
        self.advance(ns);
        self.time = time;
        self.weekday = time.weekday();
        self.updated_at = ns;
        self.store_century();
    }

    /// Sets the size of base memory in KiB, as the set-up program does.
    pub(crate) fn set_base_memory(&mut self, kib: u16) {
        self.memory[0x15..0x17].copy_from_slice(&kib.to_le_bytes());
        self.store_checksum();
    }

    /// Records a CGA with 80 columns in the equipment byte. Other displays have their own BIOS.
    pub(crate) fn find_cga(&mut self) {
        self.memory[0x14] |= 0x20;
        self.store_checksum();
    }

    /// Records a coprocessor in the equipment byte.
    pub(crate) fn add_coprocessor(&mut self) {
        self.memory[0x14] |= 0x02;
        self.store_checksum();
    }

    /// Records the drives: the types of two floppy drives (0: none) and the number of hard disks.
    pub(crate) fn add_drives(&mut self, floppies: [u8; 2], fixed: usize) {
        let count = floppies.iter().filter(|kind| **kind != 0).count() as u8;
        self.memory[0x10] = floppies[0] << 4 | floppies[1];
        // Type 15: the drive is described elsewhere.
        self.memory[0x12] = [0x00, 0xF0, 0xFF][fixed.min(2)];
        if let Some(others) = count.checked_sub(1) {
            self.memory[0x14] |= others << 6 | 0x01;
        }
        self.store_checksum();
    }

    /// Returns the level of IRQ 8.
    pub(crate) fn irq(&self) -> bool {
        self.memory[0x0C] & 0x80 != 0
    }

    /// Whether an interrupt is enabled. Then the clock must be advanced with time; otherwise it
    /// catches up when it is read.
    pub(crate) fn interrupts(&self) -> bool {
        self.memory[0x0B] & (PERIODIC | ALARM | UPDATE_ENDED) != 0
    }

    /// Returns the next time after `ns` at which IRQ 8 rises if nothing is written.
    pub(crate) fn due(&self, ns: u64) -> Option<u64> {
        if self.irq() {
            return None;
        }
        let enabled = self.memory[0x0B];
        let periodic = self.next_periodic(ns).filter(|_| enabled & PERIODIC != 0);
        let update = self.next_update(ns).filter(|_| enabled & UPDATE_ENDED != 0);
        let alarm = self.next_alarm(ns).filter(|_| enabled & ALARM != 0);
        [periodic, update, alarm].into_iter().flatten().min()
    }

    pub(crate) fn advance(&mut self, ns: u64) {
        let mut flags = 0;
        if self.next_periodic(self.seen_to).is_some_and(|tick| tick <= ns) {
            flags |= PERIODIC;
        }
        self.seen_to = self.seen_to.max(ns);
        let updates = self.updates_until(ns);
        if updates > 0 {
            flags |= UPDATE_ENDED;
            if self.next_alarm(self.updated_at).is_some_and(|alarm| alarm <= ns) {
                flags |= ALARM;
            }
            self.update(updates);
        }
        self.raise(flags);
    }

    /// OUT to 70h: selects the register for the next access to 71h. Bit 7 masks the NMI, which no
    /// device here raises.
    pub(crate) fn select(&mut self, value: u8) {
        self.index = value & 0x7F;
    }

    /// IN from 71h.
    pub(crate) fn read(&mut self, ns: u64) -> u8 {
        self.advance(ns);
        match self.index {
            0 => self.encode(self.time.second),
            2 => self.encode(self.time.minute),
            4 => self.encode_hour(self.time.hour),
            6 => self.encode(self.weekday),
            7 => self.encode(self.time.day),
            8 => self.encode(self.time.month),
            9 => self.encode((self.time.year % 100) as u8),
            0x0A => self.memory[0x0A] & 0x7F | u8::from(self.is_updating(ns)) << 7,
            0x0C => std::mem::take(&mut self.memory[0x0C]),
            index => self.memory[usize::from(index)],
        }
    }

    /// Whether the selected register is one of the date or the time.
    pub(crate) fn selects_time(&self) -> bool {
        matches!(self.index, 0 | 2 | 4 | 6..=9 | CENTURY)
    }

    /// OUT to 71h.
    pub(crate) fn write(&mut self, value: u8, ns: u64) {
        self.advance(ns);
        match self.index {
            0 => self.time.second = self.decode(value & 0x7F),
            2 => self.time.minute = self.decode(value & 0x7F),
            4 => self.time.hour = self.decode_hour(value),
            6 => self.weekday = self.decode(value),
            7 => self.time.day = self.decode(value),
            8 => self.time.month = self.decode(value),
            9 => self.time.year = self.time.year / 100 * 100 + u16::from(self.decode(value) % 100),
            0x0A => self.write_a(value & 0x7F, ns),
            0x0B => self.write_b(value, ns),
            0x0C | 0x0D => {}
            CENTURY => {
                self.memory[usize::from(CENTURY)] = value;
                self.time.year = self.time.year % 100 + u16::from(from_bcd(value) % 100) * 100;
            }
            index => self.memory[usize::from(index)] = value,
        }
    }

    /// Writes register A: divider (bits 4 to 6) and periodic rate. After a reset of the divider the
    /// first update follows after half a second.
    fn write_a(&mut self, value: u8, ns: u64) {
        let was_running = self.divider_runs();
        self.memory[0x0A] = value;
        if self.divider_runs() && !was_running {
            self.updated_at = ns.saturating_sub(SECOND_NS / 2);
        }
    }

    /// Writes register B. A set SET bit stops updates and clears the update-ended enable.
    fn write_b(&mut self, value: u8, ns: u64) {
        let was_set = self.memory[0x0B] & SET != 0;
        self.memory[0x0B] = if value & SET != 0 { value & !UPDATE_ENDED } else { value };
        if was_set && value & SET == 0 {
            // The divider has continued: the next update follows its phase.
            self.updated_at = ns - ns.saturating_sub(self.updated_at) % SECOND_NS;
        }
        self.raise(0);
    }

    /// Sets flags in register C, and IRQF if one of them is enabled.
    fn raise(&mut self, flags: u8) {
        let all = self.memory[0x0C] & 0x70 | flags;
        let request = all & self.memory[0x0B] & 0x70 != 0;
        self.memory[0x0C] = all | u8::from(request) << 7;
    }

    fn update(&mut self, seconds: u64) {
        let before = self.time;
        self.time = before.later(seconds);
        let midnights = (before.second_of_day() + seconds) / calendar::DAY;
        self.weekday = ((u64::from(self.weekday.max(1)) - 1 + midnights) % 7) as u8 + 1;
        self.updated_at += seconds * SECOND_NS;
        if self.time.year != before.year {
            self.store_century();
        }
    }

    fn divider_runs(&self) -> bool {
        self.memory[0x0A] & 0x70 == 0x20
    }

    fn is_counting(&self) -> bool {
        self.divider_runs() && self.memory[0x0B] & SET == 0
    }

    fn updates_until(&self, ns: u64) -> u64 {
        if self.is_counting() { ns.saturating_sub(self.updated_at) / SECOND_NS } else { 0 }
    }

    fn is_updating(&self, ns: u64) -> bool {
        self.is_counting() && ns.saturating_sub(self.updated_at) % SECOND_NS >= SECOND_NS - UPDATE_NS
    }

    fn next_update(&self, ns: u64) -> Option<u64> {
        self.is_counting().then(|| self.updated_at + (self.updates_until(ns) + 1) * SECOND_NS)
    }

    /// Returns the first periodic tick after `ns`: ticks keep the phase of the divider.
    fn next_periodic(&self, ns: u64) -> Option<u64> {
        let cycles: u128 = match self.memory[0x0A] & 0xF {
            0 => return None,
            // The two slow rates are at the start of the series: 256 and 128 Hz.
            rate @ 1..=2 => 64 << rate,
            rate => 1 << (rate - 1),
        };
        if !self.divider_runs() {
            return None;
        }
        // A second contains a whole number of periods of every rate: the phase may be counted from
        // any update.
        let origin = self.updated_at % SECOND_NS;
        let elapsed = u128::from(ns + SECOND_NS - origin);
        let ticks = elapsed * CRYSTAL_HZ / (cycles * u128::from(SECOND_NS)) + 1;
        let at = (ticks * cycles * u128::from(SECOND_NS)).div_ceil(CRYSTAL_HZ) as u64;
        Some(at + origin - SECOND_NS)
    }

    /// Returns the first update after `ns` at which the time equals the alarm.
    fn next_alarm(&self, ns: u64) -> Option<u64> {
        let first = self.next_update(ns)?;
        let mut time = self.time.later(self.updates_until(ns) + 1);
        let mut seconds = 0;
        while seconds <= calendar::DAY {
            let skip = if !self.alarm_matches(5, self.encode_hour(time.hour)) {
                3600 - time.second_of_day() % 3600
            } else if !self.alarm_matches(3, self.encode(time.minute)) {
                60 - time.second_of_day() % 60
            } else if !self.alarm_matches(1, self.encode(time.second)) {
                1
            } else {
                return Some(first + seconds * SECOND_NS);
            };
            seconds += skip;
            time = time.later(skip);
        }
        None
    }

    /// Whether an alarm byte matches. A byte from C0h matches everything.
    fn alarm_matches(&self, register: usize, value: u8) -> bool {
        self.memory[register] >= 0xC0 || self.memory[register] == value
    }

    fn encode(&self, value: u8) -> u8 {
        if self.memory[0x0B] & BINARY != 0 { value } else { to_bcd(value) }
    }

    fn decode(&self, value: u8) -> u8 {
        if self.memory[0x0B] & BINARY != 0 { value } else { from_bcd(value) }
    }

    fn encode_hour(&self, hour: u8) -> u8 {
        if self.memory[0x0B] & HOURS_24 != 0 {
            return self.encode(hour);
        }
        let pm = if hour >= 12 { PM } else { 0 };
        self.encode((hour + 11) % 12 + 1) | pm
    }

    fn decode_hour(&self, value: u8) -> u8 {
        if self.memory[0x0B] & HOURS_24 != 0 {
            return self.decode(value & 0x3F) % 24;
        }
        self.decode(value & 0x1F) % 12 + if value & PM != 0 { 12 } else { 0 }
    }

    fn store_century(&mut self) {
        self.memory[usize::from(CENTURY)] = to_bcd((self.time.year / 100 % 100) as u8);
    }

    fn store_checksum(&mut self) {
        let sum: u16 = self.memory[0x10..0x2E].iter().map(|&byte| u16::from(byte)).sum();
        self.memory[0x2E..0x30].copy_from_slice(&sum.to_be_bytes());
    }
}

fn to_bcd(value: u8) -> u8 {
    value / 10 % 10 * 16 + value % 10
}

fn from_bcd(value: u8) -> u8 {
    (value >> 4) * 10 + (value & 0xF)
}
