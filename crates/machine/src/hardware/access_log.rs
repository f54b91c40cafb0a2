//! Volatile state that the program has read, and what it has done outside the machine: a state search
//! uses the first to decide which states the program can tell apart, a proof reports the second.
//!
//! It describes the run and is not part of the machine's state.

use super::board::Hardware;
use std::ops::Range;

/// The address of the BIOS data area.
pub(super) const BIOS_DATA: u32 = 0x400;

/// An effect of a program that neither the screen nor the speaker, the files or memory show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideEffect {
    /// Data was sent to a parallel port, through DOS, the BIOS or the port.
    Printer,
    /// Data was sent to a serial port.
    SerialPort,
    /// Text was printed with INT 10h AH=0Eh or 13h, past the standard output of DOS.
    Text,
    /// The date or the time was set: of DOS, of the BIOS or of the real-time clock.
    Clock,
}

impl SideEffect {
    /// Returns the effect of writing to a port: those are the data registers of LPT1 to LPT3 and of
    /// COM1 to COM4.
    fn of_port(port: u16) -> Option<SideEffect> {
        match port {
            0x278 | 0x378 | 0x3BC => Some(SideEffect::Printer),
            0x2E8 | 0x2F8 | 0x3E8 | 0x3F8 => Some(SideEffect::SerialPort),
            _ => None,
        }
    }
}

/// Reads and side effects since [`Hardware::watch_reads`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AccessLog {
    /// A port that depends on the time within a tick was read: of the timer, or of the display's
    /// status (retrace).
    pub(super) timer: bool,
    /// The real-time clock or the time-stamp counter was read.
    pub(super) clock: bool,
    /// Port 60h was read with no new byte in it, or the keyboard was asked to send it again.
    pub(super) stale_key: bool,
    /// Video memory or the CRTC was read. Recorded only if requested.
    pub(super) screen: bool,
    /// DOS has used the column that it counts for tabs.
    column: bool,
    pub(super) speaker_port: SpeakerPort,
    /// Whether all reads of the BIOS data area are recorded. Otherwise translated code does them
    /// without a record.
    pub(super) of_bios_data: bool,
    /// One bit for each byte of the BIOS data area that was read.
    bios_data: [u64; 4],
    /// The first side effect.
    side_effect: Option<SideEffect>,
}

impl AccessLog {
    /// Records that a byte below 0000:0500 was read.
    pub(super) fn note_bios_data(&mut self, address: u32) {
        if let Some(at) = address.checked_sub(BIOS_DATA) {
            self.bios_data[at as usize / 64 % 4] |= 1 << (at % 64);
        }
    }
}

/// Whether reads of port 61h are watched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SpeakerPort {
    #[default]
    Unwatched,
    Watched,
    /// Watched, and just read.
    Read,
}

impl Hardware {
    /// Starts to record reads, if requested also of video memory. The processor returns after each
    /// read of port 61h.
    pub(crate) fn watch_reads(&mut self, of_screen: bool) {
        self.access_log =
            AccessLog { speaker_port: SpeakerPort::Watched, of_bios_data: true, ..AccessLog::default() };
        self.vga.watch_reads(of_screen);
    }

    /// Stops recording until [`Hardware::resume_watch`] receives the returned reads.
    pub(crate) fn pause_watch(&mut self) -> AccessLog {
        std::mem::take(&mut self.access_log)
    }

    pub(crate) fn resume_watch(&mut self, known: AccessLog) {
        self.access_log = known;
    }

    /// Whether the program has read anything that depends on the time.
    pub(crate) fn time_read(&self) -> bool {
        self.timer_read() || self.clock_read()
    }

    /// Whether the program has read a port that depends on the time within a tick.
    pub(crate) fn timer_read(&self) -> bool {
        self.access_log.timer
    }

    /// Whether the program has read the real-time clock or the time-stamp counter.
    pub(crate) fn clock_read(&self) -> bool {
        self.access_log.clock
    }

    /// Whether the program has read the keyboard's last byte again.
    pub(crate) fn stale_key_read(&self) -> bool {
        self.access_log.stale_key
    }

    /// Whether the program has read the screen's content or the cursor's position.
    pub(crate) fn screen_read(&self) -> bool {
        self.access_log.screen
    }

    /// Whether the program has read one of these bytes of the BIOS data area.
    pub(crate) fn bios_data_read(&self, bytes: &Range<u32>) -> bool {
        let read = &self.access_log.bios_data;
        bytes.clone().any(|address| {
            let at = (address - BIOS_DATA) as usize;
            read[at / 64 % 4] >> (at % 64) & 1 != 0
        })
    }

    /// Starts to record the reads of the BIOS data area.
    pub(crate) fn watch_bios_data(&mut self) {
        self.access_log.of_bios_data = true;
        self.access_log.bios_data = Default::default();
    }

    /// Returns the first side effect.
    pub(crate) fn side_effect(&self) -> Option<SideEffect> {
        self.access_log.side_effect
    }

    /// Records a side effect.
    pub(crate) fn note_side_effect(&mut self, effect: SideEffect) {
        self.access_log.side_effect.get_or_insert(effect);
    }

    /// Records a write to a port at which no device answers.
    pub(super) fn note_write_to_none(&mut self, port: u16) {
        self.missing_devices.note(port);
        SideEffect::of_port(port).into_iter().for_each(|effect| self.note_side_effect(effect));
    }

    /// Whether DOS has used the column that it counts for tabs.
    pub(crate) fn column_read(&self) -> bool {
        self.access_log.column
    }

    /// Records that DOS uses the column that it counts for tabs.
    pub(crate) fn note_column_read(&mut self) {
        self.access_log.column = true;
    }

    /// Records that a service has returned something about the screen.
    pub(crate) fn note_screen_read(&mut self) {
        self.access_log.screen = true;
    }

    pub(super) fn note_speaker_port_read(&mut self) {
        if self.access_log.speaker_port == SpeakerPort::Watched {
            self.access_log.speaker_port = SpeakerPort::Read;
            self.next_event = self.now;
        }
    }

    /// Whether the watched port 61h has been read. Clears the flag.
    pub(crate) fn take_speaker_port_read(&mut self) -> bool {
        let was_read = self.speaker_port_read();
        if was_read {
            self.access_log.speaker_port = SpeakerPort::Watched;
        }
        was_read
    }

    /// Whether the watched port 61h has just been read.
    pub(super) fn speaker_port_read(&self) -> bool {
        self.access_log.speaker_port == SpeakerPort::Read
    }
}
