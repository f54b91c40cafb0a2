//! The passing of time on the board.
//!
//! The chips have no clock of their own, and most of their state is computed when it is accessed.
//! There are five operations:
//! - [`Hardware::advance`]: called by the machine. Time advances, everything due happens, and INTR
//!   is what the processor has seen.
//! - `pass`: advances the time for a port access or a service in the middle of a run. Only
//!   due events happen.
//! - `catch_up`: updates every chip with an interrupt line, and the line's level at the
//!   controllers.
//! - `schedule`: computes the time until which nothing is due, and the time at which the processor
//!   has to check again.
//! - `settle`: brings lines and schedule up to date after a port access.
//!
//! Invisible changes, such as timer edges that are masked, are not events. Three counts depend on
//! the timer's clock and are updated separately, because each costs a division: the tick
//! (`count_ticks`), the refresh requests and the speaker's recording.

use super::board::{Hardware, IRQ_AUX, IRQ_CLOCK, IRQ_KEYBOARD, IRQ_TIMER};
use serde::Serialize;

impl Hardware {
    /// Returns the time (in cycles) to which the board has been advanced.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Returns the virtual time since power-on in nanoseconds.
    pub(crate) fn nanoseconds(&self) -> u64 {
        self.clock.nanoseconds(self.now)
    }

    /// Changes the speed (in cycles per millisecond).
    pub(crate) fn set_speed(&mut self, speed: u32) {
        self.clock.set_speed(speed, self.now);
        self.schedule();
    }

    /// Returns the earliest time (in cycles) at which an enabled interrupt may be raised; the
    /// current time if a port access has changed something that the processor must see; `u64::MAX`
    /// if nothing is due.
    pub(crate) fn next_event(&self) -> u64 {
        self.next_event
    }

    /// Updates every chip to `now` (in cycles): timer edges, keyboard bytes and everything else
    /// that is due. An earlier time changes nothing.
    pub fn advance(&mut self, now: u64) {
        self.pass(now);
        self.count_ticks();
        self.intr_seen = self.intr();
    }

    /// Advances the time to `now` in the middle of a run. While nothing is due, only the time
    /// changes: users of the tick compute it.
    pub(crate) fn pass(&mut self, now: u64) {
        self.now = self.now.max(now);
        // The clock's interrupts also record the time up to which flags were computed.
        if self.now >= self.quiet_until.min(self.next_event) || self.rtc.interrupts() {
            self.catch_up();
            self.schedule();
        }
    }

    /// Like [`pass`](Hardware::pass), for a port access, which [`settle`](Hardware::settle) ends.
    /// Returns whether
    /// interrupt lines have been updated; while nothing is due they need no update.
    pub(super) fn pass_to_port(&mut self, now: u64) -> bool {
        self.now = self.now.max(now);
        let due = self.now >= self.quiet_until;
        if due {
            self.catch_up();
        }
        due
    }

    /// Updates all interrupt lines to the current time.
    pub(super) fn catch_up(&mut self) {
        let seen = self.tick;
        self.count_ticks();
        if self.pit.timer().next_rise(seen).is_some_and(|rise| rise <= self.tick) {
            // However many edges there were, the controller has latched one; the pulses between
            // them have ended.
            self.pic.set_irq(IRQ_TIMER, false);
            self.pic.set_irq(IRQ_TIMER, true);
        }
        let ns = self.nanoseconds();
        self.keyboard.advance(ns);
        if self.rtc.interrupts() {
            self.rtc.advance(ns);
        }
        self.drive_lines();
    }

    /// Makes a tick of the system timer begin now, without a request. Nothing changes if a request
    /// is waiting, or the timer does not tick regularly.
    pub(crate) fn begin_tick(&mut self) {
        self.clock.drop_fractions(self.now);
        self.catch_up();
        if !self.pic.requests(IRQ_TIMER) && self.pit.begin_tick(self.tick) {
            self.pic.set_served(IRQ_TIMER);
        }
        self.schedule();
    }

    /// Makes a period of each counter and a frame of the display begin now, as well as a tick of
    /// the system timer, and frees the keyboard's line. Sound, the refresh bit of port 61h, the
    /// retrace and the arrival of keys then depend only on the time since.
    pub(crate) fn begin_periods(&mut self) {
        self.begin_tick();
        self.count_refresh();
        self.record_sound();
        self.pit.begin_periods(self.tick);
        self.ppi.end_refresh();
        self.vga.begin_frame(self.nanoseconds());
        self.keyboard.free_line();
        self.schedule();
    }

    /// Returns the state of each counter of the timer, relative to the current tick.
    pub(crate) fn timer_phases(&self) -> [impl Serialize + use<>; 3] {
        self.pit.phases(self.tick)
    }

    /// Takes the codes of released keys that are on their way to port 60h. Returns nothing if any
    /// other code is.
    pub(crate) fn take_key_releases(&mut self) -> Vec<u8> {
        let codes = self.keyboard.take_releases();
        self.schedule();
        codes
    }

    /// Updates only the tick to the current time. This is correct while IRQ 0 does not change.
    pub(super) fn count_ticks(&mut self) {
        self.tick = self.clock.pit_ticks(self.now).max(self.tick);
    }

    /// Counts the refresh requests up to the current tick. Must be called before the timer changes
    /// and before port 61h is read.
    pub(super) fn count_refresh(&mut self) {
        self.ppi.count_refresh(self.pit.refresh().rises(self.refresh_tick, self.tick));
        self.refresh_tick = self.tick;
    }

    /// Records the speaker up to now. Must be called before the timer or port 61h changes.
    pub(super) fn record_sound(&mut self) {
        self.speaker.record(self.pit.sound(), self.ppi.speaker_data(), self.tick);
    }

    /// Computes when a chip will do something, and whether the processor will notice.
    pub(super) fn schedule(&mut self) {
        let mut quiet_until = self.clock.cycle_at_pit_tick(self.pit.timer().steady_until(self.tick));
        let mut next_event = u64::MAX;
        let mut expect = |cycle: u64, enabled: bool| {
            quiet_until = quiet_until.min(cycle);
            if enabled {
                next_event = next_event.min(cycle);
            }
        };
        if self.pic.enabled(IRQ_TIMER)
            && let Some(tick) = self.pit.timer().next_rise(self.tick)
        {
            expect(self.clock.cycle_at_pit_tick(tick), true);
        }
        if let Some(ns) = self.keyboard.due() {
            expect(self.clock.cycle_at_nanoseconds(ns), self.pic.enabled(IRQ_KEYBOARD));
        }
        if self.rtc.interrupts()
            && let Some(ns) = self.rtc.due(self.nanoseconds())
        {
            expect(self.clock.cycle_at_nanoseconds(ns), self.pic.enabled(IRQ_CLOCK));
        }
        self.quiet_until = quiet_until;
        self.next_event = next_event;
    }

    /// Ends a port access: passes the chips' outputs to the interrupt controllers, and makes the
    /// processor check if something has changed for it.
    pub(super) fn settle(&mut self) {
        self.drive_lines();
        self.schedule();
        let reset = self.reset_requested || self.coprocessor_reset_requested;
        if self.intr() && !self.intr_seen || reset || self.speaker_port_read() {
            self.next_event = self.now;
        }
    }

    fn drive_lines(&mut self) {
        self.pic.set_irq(IRQ_TIMER, self.pit.timer().out(self.tick));
        self.pic.set_irq(IRQ_CLOCK, self.rtc.irq());
        self.pic.set_irq(IRQ_KEYBOARD, self.keyboard.irq());
        self.pic.set_irq(IRQ_AUX, self.keyboard.aux_irq() || self.mouse.irq());
    }
}
