//! Finds other keys that lead to the same state as the one that is typed, see
//! [`super::identity::key_class`].

use super::identity::followed::Site;
use super::identity::key_class::KeyClass;
use super::identity::other_key::OtherKey;
use super::identity::{Question, ReadSet};
use super::pc::Machine;
use crate::bios::data::{self, KEYBOARD_STATUS, RING_END, RING_HEAD, RING_START, RING_TAIL, SHIFT_FLAGS};
use crate::firmware;

/// The position where the BIOS stores the next key, and the state of the shift keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPlace {
    tail: u16,
    shift_keys: u16,
    status: u16,
}

impl KeyPlace {
    /// Returns the bits of Scroll Lock, Num Lock and Caps Lock.
    fn locks(self) -> u16 {
        self.shift_keys & 0x70
    }

    /// Returns the state of the shift keys as a number: while it is equal, a key has the same code.
    pub fn shift_state(self) -> u32 {
        u32::from(self.shift_keys) << 16 | u32::from(self.status)
    }
}

impl Machine {
    /// Returns the position where the BIOS would store a key typed now.
    pub fn key_place(&self) -> KeyPlace {
        let word = |at| self.hardware.memory.read16(at);
        KeyPlace { tail: word(RING_TAIL), shift_keys: word(SHIFT_FLAGS), status: word(KEYBOARD_STATUS) }
    }

    /// Returns the code (scan code above character) of the only key that was typed since then and
    /// has been read. `None` if there was not exactly one, or the lock keys have changed.
    pub fn key_taken(&self, place: KeyPlace) -> Option<u16> {
        let word = |at| self.hardware.memory.read16(at);
        let now = self.key_place();
        let next = match place.tail.wrapping_add(2) {
            next if next >= word(RING_END) => word(RING_START),
            next => next,
        };
        let is_one = now.tail == next && word(RING_HEAD) == next && now.locks() == place.locks();
        is_one.then(|| word(data::at(place.tail)))
    }

    /// Starts to follow which of `others` lead to the same state as a key that is about to be typed
    /// at this canonical wait. `code` is that of the typed key. `kept` as for [`Machine::watch`]. If
    /// `output_counts`, a key that DOS echoes has no others: the output differs. Returns whether
    /// there are any to follow.
    pub fn follow_keys(
        &mut self,
        code: u16,
        others: &[OtherKey],
        kept: &ReadSet,
        output_counts: bool,
    ) -> bool {
        let key_reads = self.keys.key_reads(&self.hardware);
        let here = (&self.cpu, &self.hardware, self.halted);
        let echo_counts = output_counts || self.dos.interprets_output();
        self.key_class = KeyClass::new((code, others), here, kept, echo_counts, key_reads).map(Box::new);
        self.key_class.is_some()
    }

    /// Returns the numbers of the keys that lead to the same state as the one that was typed after
    /// [`follow_keys`](Self::follow_keys). Call it at a wait after that was made canonical, or after
    /// the end.
    pub fn same_keys(&mut self) -> Vec<usize> {
        let key_reads = self.keys.key_reads(&self.hardware);
        let Some(class) = self.key_class.take() else { return Vec::new() };
        let reads_shift_keys = self.read_set().asks(Question::ShiftKeys);
        class.same(key_reads, reads_shift_keys, self.dos.exit_code().is_some())
    }

    /// Whether each key that pauses the machine has the same effect at this canonical wait, if the next
    /// key ends the pause: no program handles an interrupt meanwhile, and when all keys are released,
    /// the BIOS's state of the keyboard is the same again. `kept` as for [`Machine::watch`].
    pub fn pauses_alike(&self, kept: &ReadSet) -> bool {
        const HANDLERS: [u8; 4] = [0x08, 0x09, 0x15, 0x1C];
        let categories = kept.categories();
        Site::of(&self.cpu, &self.hardware, self.halted).is_some()
            && !categories.has_time()
            && !categories.has_last_key()
            && HANDLERS.iter().all(|&vector| firmware::unhooked(&self.hardware, vector))
    }

    /// Executes the next instruction for each other key, before it is executed for the one that was
    /// typed.
    pub(super) fn execute_for_other_keys(&mut self) {
        let Machine { cpu, blocks, hardware, watch, key_class, .. } = self;
        if let Some(class) = key_class.as_mut().filter(|_| cpu.regs.cs() != firmware::ROM_SEGMENT) {
            let on_stack = watch.follows_stack();
            class.execute(cpu, blocks, hardware, watch.decodings(), on_stack);
        }
    }

    /// Compares after the instruction has been executed for the key that was typed.
    pub(super) fn compare_other_keys(&mut self, interrupted: bool) {
        let Machine { key_class, cpu, hardware, .. } = self;
        if let Some(class) = key_class {
            class.executed(cpu, hardware, interrupted);
        }
    }
}
