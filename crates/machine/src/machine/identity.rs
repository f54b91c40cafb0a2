//! The identity of a wait: a hash of the state that the program can still observe.
//!
//! At a wait for a key the machine is made canonical ([`Machine::make_canonical`]). Then two waits
//! of one program are the same state if their [identities](Machine::identity) are equal. The
//! following is left out or made equal, for these reasons:
//! - **Bytes below the stack pointer.** Any interrupt may overwrite them at any time, so no program
//!   can rely on them.
//! - **Volatile state** that the program does not read: the time ([`StateCategory::Clock`],
//!   [`StateCategory::Ticks`]), and the empty keyboard buffer's position and stale bytes
//!   ([`StateCategory::Keyboard`]), only these if the position is read ([`StateCategory::Position`]); the
//!   last byte from the keyboard, and codes of released keys that are on their way
//!   ([`StateCategory::LastByte`]). Interrupts still arrive at different times in the two machines, but
//!   their routines change only state that is left out here, unless the program has hooked them, which
//!   counts as reading. Every run is watched for reads, see
//!   [`Machine::watch`].
//! - **Whether Insert is on** ([`StateCategory::Insert`]), which the BIOS records and does not use,
//!   until the program reads the shift flags.
//! - **The numbers of the mouse's button presses and releases** ([`StateCategory::Presses`],
//!   [`StateCategory::Releases`]), until the program reads them.
//! - **The content of the screen** ([`StateCategory::Screen`]), if the caller does not need it and the
//!   program does not read it. What a program writes to the screen has no other effect unless it is
//!   read back, and each run is watched for that: reads of video memory and of the CRTC, services
//!   that return a character or a pixel. Two runs that differ only in the screen therefore execute
//!   the same instructions, print the same, and end in the same way.
//! - **The position of the cursor** ([`StateCategory::Cursor`]), if it is not read either: by a
//!   service, or in the BIOS data area. It does not depend on the content of the screen. The column
//!   that DOS counts for tabs ([`StateCategory::Column`]) changes only the screen and the cursor: it
//!   is left out until DOS uses it and one of them is kept.
//! - **Registers that the program overwrites before it reads them.** Every run from a canonical
//!   wait is followed until each cleared register has been overwritten. If in the runs from one wait,
//!   for all choices, nothing depends on a register, then the runs from another wait that differs
//!   only in that register execute the same instructions on the same values, one after the other, and
//!   end in the same state.
//!
//! All these arguments concern the runs that a search has made itself, so a search proves its own
//! assumptions. If one is violated, [`Machine::read_set`] reports the state read, and the search starts
//! again with that included. The set of included state only grows and is finite, so this ends.

mod addresses;
mod block_effect;
mod block_reads;
pub(super) mod decodings;
mod differences;
pub(super) mod followed;
mod hashing;
pub(super) mod key_class;
mod operands;
pub(super) mod other_key;
mod read_set;
pub(super) mod parts;
mod returned_key;
pub(super) mod round;
mod stack;
mod system_state;
pub(super) mod watch;

pub use read_set::{CategorySet, Question, ReadSet, StateCategory};
pub use stack::Stack;
pub use system_state::SystemState;

use super::hash::BufferedHash;
use super::pc::Machine;
use crate::bios::data::{ALL_CURSORS, CLOCK};
use crate::bios::keyboard;
use crate::firmware;
use crate::hardware::linear;
use followed::Site;
use hashing::{Hashing, Skip};
use parts::Parts;
use serde::Serialize;
use std::ops::Range;

/// Fields that depend on the time, by their struct.
const CLOCK_FIELDS: &[Skip] = &[
    Skip::new("Cpu", &["cycles", "intr"]),
    Skip::new("Hardware", &["clock", "now", "tick", "refresh_tick"]),
    Skip::new("Counter", &["present", "next"]),
    Skip::new("Ppi", &["refresh"]),
    Skip::new("Controller", &["inputs", "edges"]),
    Skip::new("Device", &["free_at"]),
    Skip::new("Rtc", &["time", "weekday", "updated_at", "seen_to"]),
    Skip::new("Bios", &["beep_until", "wait_until"]),
    Skip::new("Clock", &["deferred_cycles"]),
    Skip::new("KeyWaitDetector", &["polls"]),
];
/// Interrupts through which a program sees that a key is released.
const OF_RELEASES: [u8; 2] = [0x09, 0x15];

/// Fields that depend on the date.
const DATE_FIELDS: &[Skip] = &[Skip::new("Clock", &["days"])];
/// Fields that depend on the last key.
const LAST_BYTE_FIELDS: &[Skip] = &[Skip::new("Keyboard", &["output"]), Skip::new("Device", &["last_sent"])];
/// Fields that a program cannot observe.
const OTHER_FIELDS: &[Skip] = &[
    Skip::new("Cpu", &["retired"]),
    Skip::new("Hardware", &["post_code"]),
    Skip::new("Drive", &["host_cost"]),
    Skip::new("Volumes", &["image_cost"]),
    Skip::new("Dos", &["notices"]),
    Skip::new("Keyboard", &["guest_reads"]),
    Skip::new("KeyWaitDetector", &["bios_reads"]),
];

impl Machine {
    /// Makes a wait for a key canonical: sets state to a fixed value if no program can rely on it,
    /// or if it is volatile, only displayed, or overwritten before it is read, and not in `kept`.
    /// Unless [`StateCategory::Screen`] is kept, this clears the screen, without the cursor if
    /// [`StateCategory::Cursor`] is kept.
    pub fn make_canonical(&mut self, stack: &Stack, kept: &ReadSet) {
        self.watch.end(stack, kept, &self.cpu, &self.hardware, self.halted);
        if let Some(class) = &mut self.key_class {
            let site = Site::of(&self.cpu, &self.hardware, self.halted);
            let canonical = site.map_or(Parts::NONE, |site| site.canonical(&self.cpu, kept.registers(site)));
            class.end(canonical, stack, &self.cpu);
        }
        self.fill(stack.unreliable(linear(self.cpu.regs.ss(), self.cpu.regs.sp())));
        if !kept.categories().has(StateCategory::Insert) {
            keyboard::end_insert(&mut self.hardware);
        }
        if !kept.categories().has(StateCategory::Keyboard) {
            keyboard::forget_taken(&mut self.hardware, !kept.categories().has_position());
        }
        if !kept.categories().has_last_key()
            && OF_RELEASES.iter().all(|&vector| firmware::unhooked(&self.hardware, vector))
        {
            keyboard::finish_releases(&mut self.hardware);
        }
        if !kept.categories().has(StateCategory::Clock) {
            self.set_time_of_wait(kept);
        }
        if !kept.categories().has(StateCategory::Presses) {
            self.bios.mouse.forget_presses();
        }
        if !kept.categories().has(StateCategory::Releases) {
            self.bios.mouse.forget_releases();
        }
        if !kept.categories().has(StateCategory::Screen) {
            self.hardware.vga.blank();
        }
        if !kept.categories().has_cursor() {
            self.fill(ALL_CURSORS);
        }
        self.dos.set_column_of_wait(kept.categories().has(StateCategory::Column));
        if let Some(site) = Site::of(&self.cpu, &self.hardware, self.halted) {
            self.clear_registers(site.canonical(&self.cpu, kept.registers(site)));
        }
    }

    /// Puts a wait at the beginning of a tick if the program observes ticks, and of all periods if
    /// it observes more of the timer.
    fn set_time_of_wait(&mut self, kept: &ReadSet) {
        let [ticks, timer] =
            [StateCategory::Ticks, StateCategory::Timer].map(|category| kept.categories().has(category));
        if !ticks {
            if kept.categories().has(StateCategory::Date) {
                self.dos.process_midnight(&mut self.hardware);
            }
            self.fill(CLOCK);
        }
        self.bios.end_beep(&mut self.hardware);
        if ticks || timer {
            self.dos.owe_nothing();
        }
        if timer {
            self.hardware.begin_periods();
        } else if ticks {
            self.hardware.begin_tick();
        }
    }

    /// Clears registers in the stub of a service: the caller's flags are on the stack, and those of
    /// the stub itself are overwritten by its IRET.
    fn clear_registers(&mut self, parts: Parts) {
        parts::clear(&mut self.cpu.regs, parts);
        self.cpu.regs.flags = parts::clear_flags(self.cpu.regs.flags, Parts::FLAGS);
        let flags = linear(self.cpu.regs.ss(), self.cpu.regs.sp().wrapping_add(4));
        let before = self.hardware.memory.read16(flags);
        let after = parts::clear_flags(u32::from(before), parts) as u16;
        if after != before {
            self.hardware.memory.write16(flags, after);
        }
        self.dos.adopt_registers_of_wait(&self.cpu.regs);
    }

    /// Starts to watch whether the program reads state that is not in `kept`, and discards earlier
    /// observations. At a canonical wait this begins a run.
    pub fn watch(&mut self, kept: &ReadSet) {
        self.watch.begin(kept, &self.cpu, &mut self.hardware, self.halted);
    }

    /// Returns the state that the program has read since [`Machine::watch`]. If it has read a register
    /// that was cleared, the result is only that: what it did with the wrong value does not count.
    pub fn read_set(&self) -> ReadSet {
        if let Some(registers) = self.watch.registers_read() {
            return registers;
        }
        let mut read_set = self.watch.read_set(&self.hardware);
        if self.keys.ports_read(&self.hardware) {
            read_set.ask(Question::KeysAhead);
            read_set.ask(Question::ShiftKeys);
        }
        read_set
    }

    /// Discards the listing of the program's folder that was read to load it. It is not part of a
    /// search's states: changes in the folder matter only when the program reads it.
    pub fn forget_folder(&mut self) {
        self.dos.forget_folder();
    }

    /// Returns a hash of the state that the program can still observe, at a wait that was made
    /// canonical. If the hashes of two waits of one program are equal, it continues in the same way
    /// from both.
    pub fn identity(&self, kept: &ReadSet) -> u128 {
        let skip = skipped(kept);
        let mut hashing = Hashing::new(BufferedHash::new(), &skip);
        // Hashing cannot fail.
        let _ = self.seen_state(kept).serialize(&mut hashing);
        hashing.finish().digest128()
    }

    fn seen_state(&self, kept: &ReadSet) -> impl Serialize {
        // The counts and the time stored after them are left out.
        let reads_ports = self.keys.ports_read(&self.hardware);
        let works_for = self.keys.busy_until.saturating_sub(self.cpu.cycles);
        let watched = (&self.keys, reads_ports, works_for);
        (&self.cpu, &self.hardware, &self.bios, &self.dos, self.halted, watched, self.phases(kept))
    }

    /// Returns the state of the timer's counters within their periods, as far as it is observed.
    fn phases(&self, kept: &ReadSet) -> impl Serialize {
        let observed = match kept.categories() {
            categories if categories.has(StateCategory::Clock) => 0,
            categories if categories.has(StateCategory::Timer) => 3,
            categories if categories.has(StateCategory::Ticks) => 1,
            _ => 0,
        };
        self.hardware.timer_phases().into_iter().take(observed).collect::<Vec<_>>()
    }

    /// Fills bytes with zeros. A page that already contains zeros stays shared with snapshots.
    fn fill(&mut self, range: Range<u32>) {
        let memory = &mut self.hardware.memory;
        let bytes = memory.bytes().get(range.start as usize..range.end as usize);
        if bytes.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0)) {
            return;
        }
        for address in range {
            if memory.read8(address) != 0 {
                memory.write8(address, 0);
            }
        }
    }
}

/// Returns the fields that the identity leaves out.
fn skipped(kept: &ReadSet) -> [&'static [Skip]; 4] {
    use StateCategory::{Clock, Date, LastByte};
    let unless = |categories: &[StateCategory], fields| {
        let is_kept = categories.iter().any(|&category| kept.categories().has(category));
        if is_kept { &[][..] } else { fields }
    };
    [
        OTHER_FIELDS,
        unless(&[Clock], CLOCK_FIELDS),
        unless(&[Clock, Date], DATE_FIELDS),
        unless(&[LastByte], LAST_BYTE_FIELDS),
    ]
}

#[cfg(test)]
mod tests {
    use super::system_state::PASSING;
    use super::*;
    use crate::machine::Config;

    #[test]
    fn every_field_that_is_left_out_is_there() {
        let machine = Machine::new(&Config::default()).expect("a machine without a folder");
        let hash = |skip: &[&'static [Skip]]| {
            let mut hashing = Hashing::new(BufferedHash::new(), skip);
            machine.seen_state(&ReadSet::default()).serialize(&mut hashing).expect("hashing cannot fail");
            hashing.finish().digest128()
        };
        let whole = hash(&[]);
        for skip in [CLOCK_FIELDS, DATE_FIELDS, LAST_BYTE_FIELDS, OTHER_FIELDS, PASSING].concat() {
            for &field in skip.fields {
                let one = Skip::new(skip.of, vec![field].leak());
                assert_ne!(hash(&[vec![one].leak()]), whole, "{} has no field {field}", skip.of);
            }
        }
    }
}
