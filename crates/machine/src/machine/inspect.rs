//! Access to a machine's state between two runs, for embedders.

use super::{pc::Machine, record::Input, wait};
use crate::bios::keyboard;
use crate::hardware::{Hardware, speaker, vga};
use oxbox_cpu::{Bus, Cpu, Registers};

impl Machine {
    /// Returns the processor: its registers and counters.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// Returns the board: memory and chips.
    pub fn hardware(&self) -> &Hardware {
        &self.hardware
    }

    /// Returns the segment of the running program's PSP.
    pub fn psp(&self) -> u16 {
        crate::dos::current_psp(&self.hardware)
    }

    /// Returns the number of instructions executed since power-on.
    pub fn instructions(&self) -> u64 {
        self.cpu.retired
    }

    /// Returns the guest's speed in cycles per millisecond.
    pub fn speed(&self) -> u32 {
        self.hardware.clock.speed()
    }

    /// Returns the current time in cycles since power-on.
    pub fn now(&self) -> u64 {
        self.cpu.cycles
    }

    /// Returns the current time in nanoseconds of virtual time since power-on.
    pub fn nanoseconds(&self) -> u64 {
        self.hardware.clock.nanoseconds(self.cpu.cycles)
    }

    /// Returns the current time in ticks of the timer (1,193,182 Hz) since power-on: the unit of
    /// [`speaker::Segment`].
    pub fn timer_ticks(&self) -> u64 {
        self.hardware.clock.pit_ticks(self.cpu.cycles)
    }

    /// Returns the first cycle at which `ms` milliseconds of virtual time since power-on are over.
    pub fn cycle_at_ms(&self, ms: u64) -> u64 {
        self.cycle_at_nanoseconds(ms.saturating_mul(1_000_000))
    }

    /// Returns the first cycle at which these nanoseconds of virtual time since power-on are over.
    pub fn cycle_at_nanoseconds(&self, nanoseconds: u64) -> u64 {
        self.hardware.clock.cycle_at_nanoseconds(nanoseconds)
    }

    /// Returns bytes of memory from a linear address, including ROM and video memory. Changes
    /// nothing, not even the VGA's latches.
    pub fn read_memory(&mut self, address: u32, len: u32) -> Vec<u8> {
        (0..len).map(|offset| self.hardware.fetch8(address.wrapping_add(offset))).collect()
    }

    /// Writes memory from a linear address, like the processor. Code there is decoded again.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) {
        self.note(|| Input::Memory(address, bytes.to_vec()));
        (0..).zip(bytes).for_each(|(offset, &byte)| self.hardware.write8(address.wrapping_add(offset), byte));
    }

    /// Sets the registers. The program continues with them; HLT ends.
    pub fn set_registers(&mut self, registers: &Registers) {
        self.note(|| Input::Registers(Box::new(registers.clone())));
        self.cpu.regs.clone_from(registers);
        self.halted = false;
    }

    /// Sets breakpoints: runs whose observer has [`Observer::STOPS`](super::Observer::STOPS) stop
    /// before the instructions at these linear addresses, even if the run starts at one.
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine, Observer, Stop, Until};
    ///
    /// struct Stops;
    /// impl Observer for Stops {
    ///     const STOPS: bool = true;
    /// }
    ///
    /// let mut machine = Machine::new(&Config::default())?;
    /// machine.load(&[0x90, 0x40, 0xCD, 0x20], "NOP.COM", "")?; // nop; inc ax; int 20h
    /// let (cs, ip) = machine.position();
    /// machine.set_stops(&[u32::from(cs) * 16 + u32::from(ip) + 1]);
    /// assert_eq!(machine.run(&Until::KEY_WAIT, &mut Stops), Stop::Breakpoint);
    /// assert_eq!(machine.instructions(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_stops(&mut self, addresses: &[u32]) {
        let hardware = &self.hardware;
        self.blocks.set_stops(addresses.iter().map(|&address| hardware.physical(address)));
    }

    /// Starts to count the writes to these bytes (linear addresses below A0000h) by the program or
    /// the host; see [`Machine::watched_writes`]. Writes near them become slower.
    pub fn watch_writes(&mut self, bytes: &[std::ops::Range<u32>]) {
        self.hardware.memory.watch_writes(bytes);
    }

    /// Returns the number of writes to the bytes of [`Machine::watch_writes`] since it was called.
    pub fn watched_writes(&self) -> u64 {
        self.hardware.memory.watched_writes()
    }

    /// Whether a key has not reached the program yet: it is in the keyboard or the BIOS's buffer.
    pub fn has_unread_keys(&self) -> bool {
        !wait::quiet(&self.hardware)
    }

    /// Whether the program has polled for a key within the last 3 s without getting one.
    pub fn polls_for_key(&self) -> bool {
        self.keys.has_polled(&self.hardware)
    }

    /// Whether the program is in a service that waits for a key or for input.
    pub fn is_waiting_for_key(&self) -> bool {
        self.keys.is_waiting()
    }

    /// Whether the Pause key holds the machine: then the next key ends the pause, and no program
    /// receives it.
    pub fn is_paused(&self) -> bool {
        keyboard::paused(&self.hardware)
    }

    /// Returns the text screen; `None` in a graphics mode.
    pub fn text(&self) -> Option<vga::TextScreen> {
        self.hardware.vga.text()
    }

    /// Returns the picture as the monitor shows it now. Registers that the program changes while it
    /// is drawn take effect at their scan lines.
    pub fn frame(&self) -> vga::Frame {
        self.hardware.vga.shown_frame(self.nanoseconds())
    }

    /// Returns all that the current picture depends on, to find out later whether it has changed.
    pub fn picture_source(&mut self) -> vga::Source {
        let now = self.nanoseconds();
        self.hardware.vga.source(now)
    }

    /// Returns the picture of the current registers, blinking parts visible, whatever the time.
    pub fn still_frame(&self) -> vga::Frame {
        self.hardware.vga.frame(0)
    }

    /// Returns and clears the speaker's record since the last call.
    pub fn take_sound(&mut self) -> Vec<speaker::Segment> {
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.hardware.take_sound()
    }
}
