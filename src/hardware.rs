//! The chips of the PC and how the processor reaches them.
//!
//! The chips own no clock: the board tells them the time, in their own units, and wires their outputs to the
//! interrupt controllers. Time is `u64` cycles of the processor; [`Hardware::now`] never runs backwards.
//!
//! ```
//! use oxbox::cpu::{Bus, Width};
//! use oxbox::hardware::{Hardware, speaker};
//!
//! // A board at 3000 cycles a millisecond; counter 2 of the timer divides by 1193, and the speaker is on for 100 ms.
//! let mut board = Hardware::new(3000);
//! for (port, value) in [(0x43, 0xB6), (0x42, 0xA9), (0x42, 0x04), (0x61, 0x03)] {
//!     board.output(port, Width::Byte, value, 0);
//! }
//! board.output(0x61, Width::Byte, 0x00, 300_000);
//!
//! let segments = board.take_sound();
//! let notes = speaker::notes(&segments);
//! assert_eq!(format!("{:.1} Hz, {:.1} ms", notes[0].hertz(), notes[0].length_ms()), "1000.2 Hz, 100.0 ms");
//! let samples = speaker::Synth::new(48_000).render(&segments);
//! assert!(samples.iter().any(|&sample| sample > 0.2));
//! ```

pub mod clock;
pub mod dma;
pub mod keyboard;
mod map;
pub mod memory;
pub mod pic;
pub mod pit;
pub mod ppi;
pub mod printout;
pub mod rtc;
pub mod speaker;
pub mod vga;

pub use clock::Clock;
pub use dma::Dma;
pub use keyboard::Keyboard;
pub use memory::{Memory, linear};
pub use pic::Pic;
pub use pit::Pit;
pub use ppi::Ppi;
pub use printout::Printout;
pub use rtc::{DateTime, Rtc};
pub use speaker::Speaker;
pub use vga::Vga;

use serde::{Deserialize, Serialize};

use keyboard::Effect;

#[cfg(test)]
mod tests;

/// Interrupt request lines.
const IRQ_TIMER: u8 = 0;
pub(crate) const IRQ_KEYBOARD: u8 = 1;
const IRQ_CLOCK: u8 = 8;
const IRQ_AUX: u8 = 12;

/// What the real-time clock shows at power-on unless it is set: the day on which DOS counts its first.
const DEFAULT_START: DateTime = DateTime { year: 1980, month: 1, day: 1, hour: 0, minute: 0, second: 0 };

/// Everything on the board but the processor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hardware {
    /// RAM, ROM and the A20 gate.
    pub memory: Memory,
    /// Relation of cycles to time.
    pub clock: Clock,
    /// Interrupt controllers.
    pub pic: Pic,
    /// Interval timer.
    pub pit: Pit,
    /// Port 61h.
    pub ppi: Ppi,
    /// Keyboard controller and keyboard.
    pub keyboard: Keyboard,
    /// Real-time clock and CMOS memory.
    pub rtc: Rtc,
    /// DMA controllers.
    pub dma: Dma,
    /// What the speaker's wire has done; output, which is not part of a serialised snapshot.
    #[serde(skip)]
    pub speaker: Speaker,
    /// What teletype output has printed; output, which is not part of a serialised snapshot.
    #[serde(skip)]
    pub printout: Printout,
    /// Display adapter.
    pub vga: Vga,
    /// The last byte written to port 80h, where a BIOS shows how far it has come.
    pub post_code: u8,
    now: u64,
    /// The tick of the timer at `now`.
    tick: u64,
    /// The tick up to which refresh requests have been counted.
    refresh_tick: u64,
    /// Before this cycle no chip changes an interrupt line by itself. Derived, as the next.
    #[serde(skip)]
    quiet_until: u64,
    /// Derived; "at once" after a snapshot was read.
    #[serde(skip)]
    next_event: u64,
    /// INTR was high when the machine last looked.
    #[serde(skip)]
    intr_seen: bool,
    reset_requested: bool,
    /// Address lines that the processor has.
    processor_mask: u32,
    /// Address lines that reach memory: those of the processor, without line 20 while its gate is shut.
    address_mask: u32,
}

impl Hardware {
    /// The board after power-on, before the BIOS has set it up; `speed` in cycles a millisecond.
    pub fn new(speed: u32) -> Self {
        Hardware {
            memory: Memory::new(),
            clock: Clock::new(speed),
            pic: Pic::new(),
            pit: Pit::new(),
            ppi: Ppi::new(),
            keyboard: Keyboard::new(),
            rtc: Rtc::new(DEFAULT_START),
            dma: Dma::new(),
            speaker: Speaker::new(),
            printout: Printout::default(),
            vga: Vga::new(),
            post_code: 0,
            now: 0,
            tick: 0,
            refresh_tick: 0,
            quiet_until: 0,
            next_event: u64::MAX,
            intr_seen: false,
            reset_requested: false,
            processor_mask: u32::MAX,
            address_mask: !map::A20,
        }
    }

    /// The instant (in cycles) to which the board has been advanced.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Virtual time since power-on in nanoseconds.
    pub fn nanoseconds(&self) -> u64 {
        self.clock.nanoseconds(self.now)
    }

    /// Lets every chip catch up to `now` (in cycles): timer edges, keyboard bytes, what else is due. Earlier
    /// instants than [`Hardware::now`] change nothing.
    pub fn advance(&mut self, now: u64) {
        self.advance_for_service(now);
        self.catch_up_tick();
        self.intr_seen = self.intr();
    }

    /// As [`Hardware::advance`] for a service that is called in the middle of a run. While nothing is due, the instant is
    /// all that moves: those who need the tick work it out.
    pub(crate) fn advance_for_service(&mut self, now: u64) {
        self.now = self.now.max(now);
        // The clock's interrupts also note how far they have looked.
        if self.now >= self.quiet_until.min(self.next_event) || self.rtc.interrupts() {
            self.catch_up();
            self.schedule();
        }
    }

    /// Another speed (in cycles a millisecond) from now on.
    pub fn set_speed(&mut self, speed: u32) {
        self.clock.set_speed(speed, self.now);
        self.schedule();
    }

    /// Keys are pressed or released: scan codes of set 1, see [`Keyboard::send`].
    pub fn send_scan_codes(&mut self, codes: &[u8]) -> bool {
        let taken = self.keyboard.send(codes);
        self.catch_up();
        self.schedule();
        self.intr_seen = self.intr();
        taken
    }

    /// The earliest instant (in cycles) at which an interrupt that is enabled may be raised, or at once when a
    /// port access has changed something that the processor must see; `u64::MAX` when nothing is to come. What
    /// nobody can see, such as timer edges behind a mask, needs no event: it is computed when it is asked for.
    pub fn next_event(&self) -> u64 {
        self.next_event
    }

    /// This board takes the place of another one, whose code has been decoded: what is different here counts as written.
    pub(crate) fn keep_decoded(&mut self, before: Hardware) {
        self.memory.keep_decoded(before.memory);
        if self.address_mask != before.address_mask {
            self.memory.report_all_code();
        }
    }

    /// Level of INTR: the interrupt controllers have a request that is not masked.
    pub fn intr(&self) -> bool {
        self.pic.intr()
    }

    /// Interrupt acknowledge: the vector to take.
    pub fn acknowledge(&mut self) -> u8 {
        self.pic.acknowledge()
    }

    /// True once after the guest has pulsed the processor's reset line.
    pub fn take_reset_request(&mut self) -> bool {
        std::mem::take(&mut self.reset_requested)
    }

    /// What the speaker has done since the last call, up to [`Hardware::now`].
    pub fn take_sound(&mut self) -> Vec<speaker::Segment> {
        self.catch_up();
        self.catch_up_speaker();
        self.speaker.take()
    }

    /// Brings all interrupt lines to the present instant.
    fn catch_up(&mut self) {
        self.catch_up_timer();
        let ns = self.nanoseconds();
        self.keyboard.advance(ns);
        if self.rtc.interrupts() {
            self.rtc.advance(ns);
        }
        self.drive_irqs();
    }

    /// Brings IRQ 0 from the tick last seen to the present one.
    fn catch_up_timer(&mut self) {
        let seen = self.tick;
        self.catch_up_tick();
        if self.pit.timer().next_rise(seen).is_some_and(|rise| rise <= self.tick) {
            // However many edges there were, the controller has latched one; the pulses between them are gone.
            self.pic.set_irq(IRQ_TIMER, false);
            self.pic.set_irq(IRQ_TIMER, true);
        }
        self.drive_timer_irq();
    }

    /// Brings the tick alone to the present instant: right while IRQ 0 does not change.
    fn catch_up_tick(&mut self) {
        self.tick = self.clock.pit_ticks(self.now).max(self.tick);
    }

    fn drive_timer_irq(&mut self) {
        self.pic.set_irq(IRQ_TIMER, self.pit.timer().out(self.tick));
    }

    fn drive_irqs(&mut self) {
        self.pic.set_irq(IRQ_CLOCK, self.rtc.irq());
        self.pic.set_irq(IRQ_KEYBOARD, self.keyboard.irq());
        self.pic.set_irq(IRQ_AUX, self.keyboard.aux_irq());
    }

    /// Counts the refresh requests up to the present tick.
    fn catch_up_refresh(&mut self) {
        self.ppi.count_refresh(self.pit.refresh().rises(self.refresh_tick, self.tick));
        self.refresh_tick = self.tick;
    }

    /// Records what the speaker's wire did up to the present tick.
    fn catch_up_speaker(&mut self) {
        self.speaker.record(self.pit.sound(), self.ppi.speaker_data(), self.tick);
    }

    /// What hangs on the timer's outputs and is computed late: to be done before the timer changes.
    fn catch_up_outputs(&mut self) {
        self.catch_up_refresh();
        self.catch_up_speaker();
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::None => {}
            Effect::A20(open) => self.set_a20(open),
            Effect::Reset => self.reset_requested = true,
        }
    }

    /// Works out when the chips will do something, and whether it will be seen.
    fn schedule(&mut self) {
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
    fn settle(&mut self) {
        self.drive_timer_irq();
        self.drive_irqs();
        self.schedule();
        if self.intr() && !self.intr_seen || self.reset_requested {
            self.next_event = self.now;
        }
    }
}
