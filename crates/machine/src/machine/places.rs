//! Polls as choice points: the user may press a key there, or do nothing yet.
//!
//! A loop that only a key ends is a wait, and a poll followed only by a wait is not a choice point:
//! a key typed there is read at the wait. Any other poll is one. If only the time has changed since
//! the last one, the poll is a choice point again after the next tick. The time at which a key
//! typed at a poll has been read is one too: the next poll finds a key typed then. The state alone
//! decides which polls these are; the data kept here avoids repeated checks.

use super::identity::ReadSet;
use super::identity::followed::Site;
use super::identity::parts::Parts;
use super::pc::Machine;
use super::wait::{Left, Places};
use crate::bios::data::TICKS;

impl Machine {
    /// Whether the last run stopped at a poll where doing nothing leads further, see
    /// [`Polls::Choices`](super::Polls::Choices).
    pub fn is_at_poll(&self) -> bool {
        self.places.is_at
    }

    /// Whether the last run stopped at a wait in which the program polls the mouse and no key.
    pub fn waits_for_mouse(&self) -> bool {
        self.places.is_for_mouse
    }

    /// Does nothing at this poll: the next run continues to the next poll at which more than the
    /// time within a tick has changed. `kept` as for [`Machine::make_canonical`], if this poll was
    /// made canonical.
    pub fn leave_poll(&mut self, kept: Option<&ReadSet>) {
        let site = Site::of(&self.cpu, &self.hardware, self.halted).zip(kept);
        let parts = site.map_or(Parts::NONE, |(site, kept)| site.canonical(&self.cpu, kept.registers(site)));
        let left = Left {
            registers: self.cpu.regs.clone(),
            ticks: self.hardware.memory.read16(TICKS),
            hardware: self.hardware.save(),
            canonical: parts,
        };
        self.places = Places { left: Some(Box::new(left)), ..Places::default() };
    }

    /// Does something at this wait, or poll.
    pub fn take_poll(&mut self, is_poll: bool) {
        self.places = Places { after_key: is_poll, ..Places::default() };
    }

    /// Whether the program's poll without a key is a choice point.
    pub(super) fn is_place_for_choice(&mut self) -> bool {
        self.places.is_at = false;
        let since = self.keys.polls_in_vain_since();
        if self.cpu.cycles < self.places.none_before
            || self.places.wait_since.is_some_and(|known| Some(known) == since)
        {
            return false;
        }
        if let Some(left) = self.places.left.take() {
            let has_ticked = self.hardware.memory.read16(TICKS) != left.ticks;
            let is_same = !has_ticked && self.is_as((&left.registers, &left.hardware), left.canonical);
            self.places.left = Some(left);
            if is_same {
                return false;
            }
        }
        match self.polls_ahead() {
            Ok(()) => {
                self.places.forget();
                self.places.is_at = true;
                true
            }
            Err(None) => {
                self.places.wait_since = since;
                false
            }
            Err(Some(cycle)) => {
                self.places.none_before = cycle;
                false
            }
        }
    }
}
