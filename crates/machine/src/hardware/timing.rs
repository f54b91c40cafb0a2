//! How time passes on the board.
//!
//! The chips own no clock, and most of what they do is computed when somebody looks. Five verbs say all of it:
//! - [`Hardware::advance`]: the machine's turn. Time goes on, all that is due happens, INTR is what the processor has seen.
//! - `pass`: time goes on for a port access or a service in the middle of a run; only what is due happens.
//! - `catch_up`: every chip with an interrupt line does what it has to do by now, and its line reaches the controllers.
//! - `schedule`: works out until when nothing is due, and at which instant the processor has to look again.
//! - `settle`: after a port access, lines and schedule are right again.
//!
//! What nobody can see, such as timer edges behind a mask, is no event. Three counts hang on the timer's clock and are kept apart,
//! because each costs a division: the tick (`count_ticks`), the refresh requests and the speaker's wire.

use super::board::{Hardware, IRQ_AUX, IRQ_CLOCK, IRQ_KEYBOARD, IRQ_TIMER};

impl Hardware {
    /// The instant (in cycles) to which the board has been advanced.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Virtual time since power-on in nanoseconds.
    pub(crate) fn nanoseconds(&self) -> u64 {
        self.clock.nanoseconds(self.now)
    }

    /// Another speed (in cycles a millisecond) from now on.
    pub(crate) fn set_speed(&mut self, speed: u32) {
        self.clock.set_speed(speed, self.now);
        self.schedule();
    }

    /// The earliest instant (in cycles) at which an interrupt that is enabled may be raised, or at once when a
    /// port access has changed something that the processor must see; `u64::MAX` when nothing is to come.
    pub(crate) fn next_event(&self) -> u64 {
        self.next_event
    }

    /// Lets every chip catch up to `now` (in cycles): timer edges, keyboard bytes, what else is due. Instants
    /// that have passed change nothing.
    pub fn advance(&mut self, now: u64) {
        self.pass(now);
        self.count_ticks();
        self.intr_seen = self.intr();
    }

    /// Time goes on to `now` in the middle of a run. While nothing is due, the instant is all that moves: those who need the
    /// tick count it.
    pub(crate) fn pass(&mut self, now: u64) {
        self.now = self.now.max(now);
        // The clock's interrupts also note how far they have looked.
        if self.now >= self.quiet_until.min(self.next_event) || self.rtc.interrupts() {
            self.catch_up();
            self.schedule();
        }
    }

    /// The same for a port access, which [`settle`](Hardware::settle) ends. True when interrupt lines have been brought up to
    /// date: before the quiet ends, there is nothing to bring.
    pub(super) fn pass_to_port(&mut self, now: u64) -> bool {
        self.now = self.now.max(now);
        let due = self.now >= self.quiet_until;
        if due {
            self.catch_up();
        }
        due
    }

    /// Brings all interrupt lines to the present instant.
    pub(super) fn catch_up(&mut self) {
        let seen = self.tick;
        self.count_ticks();
        if self.pit.timer().next_rise(seen).is_some_and(|rise| rise <= self.tick) {
            // However many edges there were, the controller has latched one; the pulses between them are gone.
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

    /// Brings the tick alone to the present instant: right while IRQ 0 does not change.
    pub(super) fn count_ticks(&mut self) {
        self.tick = self.clock.pit_ticks(self.now).max(self.tick);
    }

    /// Counts the refresh requests up to the present tick: before the timer changes, and before port 61h shows them.
    pub(super) fn count_refresh(&mut self) {
        self.ppi.count_refresh(self.pit.refresh().rises(self.refresh_tick, self.tick));
        self.refresh_tick = self.tick;
    }

    /// Records what the speaker's wire did up to the present tick: before the timer or port 61h changes it.
    pub(super) fn record_sound(&mut self) {
        self.speaker.record(self.pit.sound(), self.ppi.speaker_data(), self.tick);
    }

    /// Works out when the chips will do something, and whether it will be seen.
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

    /// After a port access: the chips' outputs reach the interrupt controllers, and the processor is told to come
    /// back when there is something new for it.
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
