//! Detects programs that request input indefinitely although none can come.

use super::identity::ReadSet;
use super::pc::Machine;
use super::vain::Vain;
use super::wait::LookAhead;
use crate::bios::data::CLOCK;

/// The minimum number of requests, and of virtual nanoseconds between the first and the last.
const FEW: u64 = 64;
const SHORT_NS: u64 = 10_000_000_000;

/// The maximum number of requests in one iteration of a loop that is detected.
const ROUND: u64 = 8;

impl Machine {
    /// Whether the standard input has ended and the program has read all of it.
    pub fn input_has_ended(&self) -> bool {
        self.dos.input_has_ended()
    }

    /// Whether the program keeps requesting input that has ended (or a key while the host feeds the
    /// standard input) and only the clock changes. It has then done so for at least 10 s of virtual
    /// time.
    pub fn asks_in_vain(&self) -> bool {
        self.vain.is_round
    }

    /// Follows a service. `polls`: it was asked for a key, and there was none.
    pub(super) fn follow_vain_requests(&mut self, polls: bool) {
        if self.look_ahead != LookAhead::No {
            return;
        }
        let of_dos = self.dos.asked_at_end();
        // While the host feeds the input, no keys come either.
        if of_dos == self.vain.of_dos && !(polls && self.dos.has_fed_input(&mut self.hardware)) {
            return;
        }
        let now = self.nanoseconds();
        self.vain.of_dos = of_dos;
        self.vain.count += 1;
        // It is the first request, or an earlier state was restored.
        if self.vain.count == 1 || now < self.vain.since {
            self.vain = Vain { count: 1, of_dos, since: now, ..Vain::default() };
        }
        let count = self.vain.count;
        // Checks after twice as many requests each time, so that the cost is negligible.
        if count >= FEW && count.is_power_of_two() {
            self.vain.noted = Some((count, self.identity_without_clock()));
        } else if let Some((noted_at, noted)) = self.vain.noted
            && count - noted_at <= ROUND
            && now - self.vain.since >= SHORT_NS
            && self.identity_without_clock() == noted
        {
            self.vain.is_round = true;
        }
    }

    /// Returns a hash of the state that the program can observe, without volatile state.
    fn identity_without_clock(&mut self) -> u128 {
        let clock = CLOCK.map(|address| (address, self.hardware.memory.read8(address)));
        let clock: Vec<(u32, u8)> = clock.collect();
        clock.iter().for_each(|&(address, _)| self.hardware.memory.write8(address, 0));
        let identity = self.identity(&ReadSet::default());
        clock.into_iter().for_each(|(address, byte)| self.hardware.memory.write8(address, byte));
        identity
    }
}
