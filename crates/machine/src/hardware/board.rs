//! The board: its chips, the interrupt lines between them, and its signals to the processor.
//!
//! [`Hardware`] holds only state. `map` decides which device answers at an address or port,
//! `timing` how time passes.

use super::access_log::AccessLog;
use super::clock::Clock;
use super::disk::Disks;
use super::dma::Dma;
use super::expansion::Expansion;
use super::keyboard::{Effect, Keyboard};
use super::memory::Memory;
use super::missing_devices::MissingDevices;
use super::mouse::{Mouse, Report as MouseReport};
use super::pic::Pic;
use super::pit::Pit;
use super::ppi::Ppi;
use super::rtc::{DateTime, Rtc};
use super::speaker::{self, Speaker};
use super::teletype_log::TeletypeLog;
use super::vga::{Adapter, Vga};
use crate::notice::Notice;
use oxbox_cpu::{Blocks, Cpu, Exit};
use serde::Serialize;

/// Address line 20, which has a gate.
pub(super) const A20: u32 = 0x10_0000;

/// Interrupt request lines.
pub(crate) const IRQ_TIMER: u8 = 0;
pub(crate) const IRQ_KEYBOARD: u8 = 1;
pub(super) const IRQ_CLOCK: u8 = 8;
pub(crate) const IRQ_AUX: u8 = 12;
pub(crate) const IRQ_COPROCESSOR: u8 = 13;

/// Date and time of day at power-on by default. In the afternoon, so that a program that seeds from
/// the tick count gets a number of more than 16 bits: at midnight the high word stays 0 for an
/// hour.
pub(crate) const DEFAULT_START: DateTime =
    DateTime { year: 1990, month: 6, day: 15, hour: 13, minute: 45, second: 10 };

/// For each quarter of the page frame, the quarter whose memory it shows.
pub(crate) type FrameSlots = [u8; 4];
/// Each quarter shows its own memory.
pub(crate) const OWN_SLOTS: FrameSlots = [0, 1, 2, 3];

/// Everything on the board except the processor. Serialised for the state hash.
#[derive(Debug, Clone, Serialize)]
pub struct Hardware {
    /// RAM, ROM and the A20 gate.
    pub memory: Memory,
    pub(crate) clock: Clock,
    /// Interrupt controllers.
    pub(crate) pic: Pic,
    /// Interval timer.
    pub(crate) pit: Pit,
    /// Port 61h.
    pub(crate) ppi: Ppi,
    /// Keyboard controller and keyboard.
    pub(crate) keyboard: Keyboard,
    pub(crate) mouse: Mouse,
    /// Real-time clock and CMOS memory.
    pub(crate) rtc: Rtc,
    pub(crate) dma: Dma,
    pub(crate) disks: Disks,
    /// Extended memory, and that of an expanded memory board.
    pub(crate) expansion: Expansion,
    /// Whether there is memory in the page frame of the expanded memory board.
    pub(super) page_frame: bool,
    /// The quarter of the frame that each quarter shows, where a page is mapped twice. Derived from
    /// the mappings of the driver.
    #[serde(skip)]
    pub(super) frame_slots: FrameSlots,
    /// Recorded signal of the speaker: output, not state.
    #[serde(skip)]
    pub(crate) speaker: Speaker,
    /// Text printed by teletype output: output, not state.
    #[serde(skip)]
    pub(crate) teletype_log: TeletypeLog,
    /// Missing devices that programs have used: not state.
    #[serde(skip)]
    pub(super) missing_devices: MissingDevices,
    /// Display adapter.
    pub vga: Vga,
    /// The last byte written to port 80h, which a BIOS uses for progress codes.
    pub(crate) post_code: u8,
    pub(super) now: u64,
    /// The tick of the timer at `now`.
    pub(super) tick: u64,
    /// The tick up to which refresh requests have been counted.
    pub(super) refresh_tick: u64,
    /// The cycle before which no chip changes an interrupt line by itself. Derived, as the next.
    #[serde(skip)]
    pub(super) quiet_until: u64,
    #[serde(skip)]
    pub(super) next_event: u64,
    /// Whether INTR was high at the machine's last turn.
    #[serde(skip)]
    pub(super) intr_seen: bool,
    pub(super) reset_requested: bool,
    /// Valid until the machine's next turn.
    #[serde(skip)]
    pub(super) coprocessor_reset_requested: bool,
    /// The volatile state that the program has read. About the run, not state.
    #[serde(skip)]
    pub(super) access_log: AccessLog,
    /// Address lines that the processor has.
    pub(super) processor_mask: u32,
    /// Address lines that reach memory: the processor's, without line 20 while its gate is closed.
    pub(super) address_mask: u32,
}

impl Hardware {
    /// Runs a processor over this board, like [`Cpu::run`]. Other crates call this function, so
    /// that the processor is compiled only once.
    #[inline(never)]
    pub fn run(&mut self, cpu: &mut Cpu, blocks: &mut Blocks<Hardware>, deadline: u64) -> Exit {
        cpu.run(blocks, self, deadline)
    }

    /// Returns the board after power-on, before the BIOS; `speed` in cycles per millisecond.
    pub fn new(speed: u32) -> Self {
        Hardware {
            memory: Memory::new(),
            clock: Clock::new(speed),
            pic: Pic::new(),
            pit: Pit::new(),
            ppi: Ppi::new(),
            keyboard: Keyboard::new(),
            mouse: Mouse::default(),
            rtc: Rtc::new(DEFAULT_START),
            dma: Dma::new(),
            disks: Disks::default(),
            expansion: Expansion::default(),
            page_frame: false,
            frame_slots: OWN_SLOTS,
            speaker: Speaker::new(),
            teletype_log: TeletypeLog::default(),
            missing_devices: MissingDevices::default(),
            vga: Vga::new(),
            post_code: 0,
            now: 0,
            tick: 0,
            refresh_tick: 0,
            quiet_until: 0,
            next_event: u64::MAX,
            intr_seen: false,
            reset_requested: false,
            coprocessor_reset_requested: false,
            access_log: AccessLog::default(),
            processor_mask: u32::MAX,
            address_mask: !A20,
        }
    }

    /// Level of INTR: whether the interrupt controllers have an unmasked request.
    pub(crate) fn intr(&self) -> bool {
        self.pic.intr()
    }

    /// Interrupt requests in service, IRQ 0 in the lowest bit: acknowledged, and no EOI yet.
    pub fn interrupts_in_service(&self) -> u16 {
        self.pic.in_service()
    }

    /// Acknowledges an interrupt and returns its vector.
    pub(crate) fn acknowledge(&mut self) -> u8 {
        self.pic.acknowledge()
    }

    /// Returns true once after the guest has pulsed the processor's reset line.
    pub(crate) fn take_reset_request(&mut self) -> bool {
        std::mem::take(&mut self.reset_requested)
    }

    /// Whether the program uses a CGA and the adapter is a different one.
    pub(crate) fn wants_cga(&self) -> bool {
        self.missing_devices.wants_cga() && self.vga.kind() != Adapter::Cga
    }

    /// Returns a notice for each missing device used since the last call, once per machine.
    pub(crate) fn take_absent(&mut self) -> Vec<Notice> {
        self.missing_devices.take()
    }

    /// Returns true once after the guest has pulsed the coprocessor's reset line.
    pub(crate) fn take_coprocessor_reset_request(&mut self) -> bool {
        std::mem::take(&mut self.coprocessor_reset_requested)
    }

    /// Sends scan codes of set 1 for pressed and released keys, see [`Keyboard::send`].
    pub(crate) fn send_scan_codes(&mut self, codes: &[u8]) -> bool {
        let taken = self.keyboard.send(codes, self.nanoseconds());
        self.catch_up();
        self.schedule();
        self.intr_seen = self.intr();
        taken
    }

    pub(crate) fn report_mouse(&mut self, report: MouseReport) {
        self.mouse.report(report);
        self.catch_up();
        self.schedule();
        self.intr_seen = self.intr();
    }

    /// Takes the oldest report for the driver. The next report raises the interrupt line again.
    pub(crate) fn take_mouse_report(&mut self) -> Option<MouseReport> {
        let report = self.mouse.take();
        self.pic.set_irq(IRQ_AUX, false);
        self.settle();
        report
    }

    pub(crate) fn forget_mouse(&mut self) {
        self.mouse.forget();
        self.settle();
    }

    /// Returns the speaker segments since the last call, up to the last access or advance.
    pub fn take_sound(&mut self) -> Vec<speaker::Segment> {
        self.catch_up();
        self.record_sound();
        self.speaker.take()
    }

    /// Adds expanded memory: its page frame can be written.
    pub(crate) fn fit_page_frame(&mut self) {
        self.page_frame = true;
    }

    /// Sets the quarter of the page frame that each of the four quarters shows.
    pub(crate) fn set_frame_slots(&mut self, slots: FrameSlots) {
        if std::mem::replace(&mut self.frame_slots, slots) != slots {
            self.memory.report_all_code();
        }
    }

    /// Whether the gate of address line 20 is open.
    pub(crate) fn a20(&self) -> bool {
        self.keyboard.a20()
    }

    /// Opens or closes the gate of address line 20. Closed, the second megabyte shows the first.
    pub(crate) fn set_a20(&mut self, open: bool) {
        self.keyboard.set_a20(open);
        self.map_addresses();
    }

    /// Sets the number of the processor's address lines: 20 on an 8086 and 80186, whose addresses
    /// wrap at 1 MiB, 24 on an 80286, 32 on an 80386.
    pub(crate) fn set_address_lines(&mut self, lines: u32) {
        self.processor_mask = u32::MAX.checked_shr(32_u32.saturating_sub(lines)).unwrap_or(0);
        self.map_addresses();
    }

    fn map_addresses(&mut self) {
        let gate = if self.keyboard.a20() { u32::MAX } else { !A20 };
        let mask = gate & self.processor_mask;
        if mask != self.address_mask {
            self.address_mask = mask;
            self.memory.report_all_code();
        }
    }

    /// Carries out the effect of a keyboard-controller write on the rest of the board.
    pub(super) fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::None => {}
            Effect::A20(open) => self.set_a20(open),
            Effect::Reset => self.reset_requested = true,
        }
    }
}
