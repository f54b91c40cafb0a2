//! Polls as places for a choice: a user may press a key there, or do nothing yet.
//!
//! A loop that only a key ends is a wait, and a poll with nothing but a wait behind it is none: a key that is typed there is read at
//! the wait. Any other poll is a place. Where nothing has changed since the last one but the time, it is one again after the next
//! tick. So is the moment at which a key that was typed at a poll has been taken: the next poll finds what is typed then. Which polls these are follows from the state alone; what is kept here saves looks.

use super::identity::Looks;
use super::identity::followed::Site;
use super::identity::parts::Parts;
use super::pc::Machine;
use super::wait::Places;
use crate::bios::data::TICKS;

impl Machine {
    /// Whether the last run stopped at a poll where doing nothing leads on, see [`Polls::Choices`](super::Polls::Choices).
    pub fn is_at_poll(&self) -> bool {
        self.places.is_at
    }

    /// The user does nothing at this poll: the next run goes on to the next one at which more than the time within a tick has changed.
    /// `kept` as at [`Machine::make_canonical`], if this poll was made canonical.
    pub fn leave_poll(&mut self, kept: Option<&Looks>) {
        let site = Site::of(&self.cpu, &self.hardware, self.halted).zip(kept);
        let parts = site.map_or(Parts::NONE, |(site, kept)| site.canonical(&self.cpu, kept.registers(site)));
        self.places.leave(&self.cpu.regs, self.hardware.save(), parts);
    }

    /// The user does something at this wait, or poll.
    pub fn take_poll(&mut self, is_poll: bool) {
        self.places = Places { after_key: is_poll, ..Places::default() };
    }

    /// The program polls in vain: whether that is a place for a choice.
    pub(super) fn is_place_for_choice(&mut self) -> bool {
        self.places.is_at = false;
        let since = self.keys.polls_in_vain_since();
        if self.cpu.cycles < self.places.none_before
            || self.places.wait_since.is_some_and(|known| Some(known) == since)
        {
            return false;
        }
        if let Some(left) = self.places.left.take() {
            let has_ticked = self.hardware.unlike(&left.hardware).any(|at| (TICKS..TICKS + 2).contains(&at));
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
