//! What the program has looked at of what changes by itself or is only shown: for whoever asks which states it can tell apart.
//!
//! All of it is about the run, none of it state.

use super::board::Hardware;

/// Reads since [`Hardware::watch_reads`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Noted {
    /// Of a port that tells the time: of the timer, of the real-time clock, the display's status (retrace).
    pub(super) clock: bool,
    /// Of a port of the real-time clock.
    pub(super) calendar: bool,
    /// Of port 60h with nothing new in it; or it was written.
    pub(super) stale_key: bool,
    /// Of video memory or of the CRTC, noted only while that is watched.
    pub(super) screen: bool,
    pub(super) speaker_port: SpeakerPort,
}

/// Whether somebody watches port 61h.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SpeakerPort {
    #[default]
    Unwatched,
    Watched,
    /// Watched, and just read.
    Read,
}

impl Hardware {
    /// From here on reads are noted, those of video memory if asked for, and the processor comes back after each read of port 61h.
    pub(crate) fn watch_reads(&mut self, of_screen: bool) {
        self.noted = Noted { speaker_port: SpeakerPort::Watched, ..Noted::default() };
        self.vga.watch_reads(of_screen);
    }

    /// Watches port 61h no more until [`Hardware::resume_watch`] is given what was known by then.
    pub(crate) fn pause_watch(&mut self) -> Noted {
        std::mem::take(&mut self.noted)
    }

    /// Goes on watching.
    pub(crate) fn resume_watch(&mut self, known: Noted) {
        self.noted = known;
    }

    /// True when the program has read a port that tells the time.
    pub(crate) fn clock_read(&self) -> bool {
        self.noted.clock
    }

    /// True when the program has read the real-time clock.
    pub(crate) fn calendar_read(&self) -> bool {
        self.noted.calendar
    }

    /// True when the program has read the keyboard's last byte again.
    pub(crate) fn stale_key_read(&self) -> bool {
        self.noted.stale_key
    }

    /// True when the program has read what is on the screen, or where the cursor is.
    pub(crate) fn screen_read(&self) -> bool {
        self.noted.screen
    }

    /// A service has told the program something of the screen.
    pub(crate) fn note_screen_read(&mut self) {
        self.noted.screen = true;
    }

    /// Port 61h is being read: whoever watches it looks at once.
    pub(super) fn note_speaker_port_read(&mut self) {
        if self.noted.speaker_port == SpeakerPort::Watched {
            self.noted.speaker_port = SpeakerPort::Read;
            self.next_event = self.now;
        }
    }

    /// True once when the watched port 61h has been read.
    pub(crate) fn take_speaker_port_read(&mut self) -> bool {
        let was_read = self.speaker_port_read();
        if was_read {
            self.noted.speaker_port = SpeakerPort::Watched;
        }
        was_read
    }

    /// The watched port 61h has just been read.
    pub(super) fn speaker_port_read(&self) -> bool {
        self.noted.speaker_port == SpeakerPort::Read
    }
}
