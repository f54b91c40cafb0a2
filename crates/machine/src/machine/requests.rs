//! Requests for input that cannot come any more: whether the program makes them for ever.

use super::identity::Looks;
use super::pc::Machine;
use super::vain::Vain;
use super::wait::LookAhead;
use crate::bios::data::CLOCK;

/// The least requests, and the least nanoseconds of virtual time from the first to the last of them, that count.
const FEW: u64 = 64;
const SHORT_NS: u64 = 10_000_000_000;

/// The most requests that one round of a loop makes, as far as it is known for one.
const ROUND: u64 = 8;

impl Machine {
    /// Returns whether the program has read all of its standard input, which has ended.
    pub fn input_has_ended(&self) -> bool {
        self.dos.input_has_ended()
    }

    /// Returns whether the program goes on asking for input that has ended, or for a key where the host feeds the standard input, while
    /// nothing but the clock changes. It has done so for at least 10 s of virtual time then.
    pub fn asks_in_vain(&self) -> bool {
        self.vain.is_round
    }

    /// A service was done. `polls`: it was asked for a key, and there was none.
    pub(super) fn follow_vain_requests(&mut self, polls: bool) {
        if self.look_ahead != LookAhead::No {
            return;
        }
        let of_dos = self.dos.asked_at_end();
        // Where the host feeds the input nobody strikes keys either.
        if of_dos == self.vain.of_dos && !(polls && self.dos.has_fed_input(&mut self.hardware)) {
            return;
        }
        let now = self.nanoseconds();
        self.vain.of_dos = of_dos;
        self.vain.count += 1;
        // The first, or an earlier state was taken up again.
        if self.vain.count == 1 || now < self.vain.since {
            self.vain = Vain { count: 1, of_dos, since: now, ..Vain::default() };
        }
        let count = self.vain.count;
        // Each time after twice as many requests, so that it costs nothing.
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

    /// What the program can see, without what changes by itself.
    fn identity_without_clock(&mut self) -> u128 {
        let clock = CLOCK.map(|address| (address, self.hardware.memory.read8(address)));
        let clock: Vec<(u32, u8)> = clock.collect();
        clock.iter().for_each(|&(address, _)| self.hardware.memory.write8(address, 0));
        let identity = self.identity(&Looks::default());
        clock.into_iter().for_each(|(address, byte)| self.hardware.memory.write8(address, byte));
        identity
    }
}
