//! The way back: a run is played backwards, with its sound, and goes on from there; and frame by frame while it is paused.
//!
//! Between two checkpoints of [`Rerun`] the machine runs once more and leaves a state for each picture. Those are shown from the last
//! to the first; then the checkpoint before comes. The keys of a script stay typed: the way back ends where it ended.

use std::time::Duration;

use super::{Past, Session};
use oxbox::machine::{Moment, Rerun};

/// What checkpoints may hold, in bytes: minutes of a game in graphics, the most that is kept of one in text.
const MOST_BYTES: usize = 96 << 20;

/// Virtual time between two pictures, in nanoseconds.
pub(super) const FRAME_NS: u64 = 16_666_667;

/// How often the pace doubles while the key is held, and up to what.
const FASTER_AFTER: Duration = Duration::from_secs(3);
const FASTEST: u32 = 4;

impl Session {
    /// From now on the run can be gone back by.
    pub(crate) fn keep_past(&mut self) {
        self.rerun = Rerun::reaching_back(MOST_BYTES);
        self.rerun.follow(&mut self.machine);
    }

    /// True while it runs backwards.
    pub(crate) fn is_going_back(&self) -> bool {
        self.past.going
    }

    /// Runs backwards for as long as has passed outside; true if that came to the beginning.
    pub(crate) fn go_back(&mut self, elapsed: Duration) -> bool {
        if !self.past.going {
            self.pass_on();
            self.hands.let_go();
            self.outputs.leave_off(&self.machine);
            self.past = Past { going: true, ..Past::default() };
        }
        if self.past.at_the_beginning {
            return true;
        }
        let elapsed = elapsed.min(super::LONGEST_STEP);
        let pace = 1 << (self.past.held.as_secs() / FASTER_AFTER.as_secs()).min(u64::from(FASTEST.ilog2()));
        self.past.held += elapsed;
        self.past.rest += elapsed.as_nanos() as u64 * pace;
        loop {
            let now = self.machine.nanoseconds();
            let Some(moment) = self.earlier_moment() else {
                self.past.at_the_beginning = true;
                return true;
            };
            if now - moment.nanoseconds > self.past.rest {
                // Its time comes with a later picture.
                self.past.moments.push(moment);
                return false;
            }
            self.past.rest -= now - moment.nanoseconds;
            self.rerun.go_to(&mut self.machine, &moment);
            self.outputs.play_back(now - moment.nanoseconds, pace);
            self.end = None;
        }
    }

    /// The moment before the present; None at the beginning.
    fn earlier_moment(&mut self) -> Option<Moment> {
        let now = self.machine.nanoseconds();
        loop {
            if let Some(moment) = self.past.moments.pop() {
                if moment.nanoseconds < self.script_end_ns {
                    self.past.moments.clear();
                    return None;
                }
                if moment.nanoseconds < now {
                    return Some(moment);
                }
                continue;
            }
            let recalled = self.rerun.recall(&mut self.machine, FRAME_NS);
            let reaches_back = recalled.moments.first().is_some_and(|first| first.nanoseconds < now);
            if reaches_back {
                self.outputs.recall(&recalled.sound);
                self.past.moments = recalled.moments;
            } else if !self.rerun.forget_last(&mut self.machine) {
                return None;
            }
        }
    }

    /// Goes on from here: what came later has never been.
    pub(crate) fn go_on(&mut self) {
        if std::mem::take(&mut self.past.going) {
            self.past.moments.clear();
            self.outputs.cut(&self.machine);
            self.due_ns = self.machine.nanoseconds();
            self.forget_later_keys();
        }
    }

    /// A picture further while paused; pauses at first.
    pub(super) fn step_frame(&mut self) {
        if std::mem::replace(&mut self.paused, true) && self.end.is_none() {
            self.due_ns = self.machine.nanoseconds() + FRAME_NS;
            self.run_to(self.due_ns);
            self.pass_on();
        }
    }

    /// Back by some seconds at once, for those who cannot hold a key.
    pub(super) fn jump_back(&mut self, seconds: u32) {
        for _ in 0..seconds * 20 {
            if self.go_back(Duration::from_millis(50)) {
                break;
            }
            self.past.held = Duration::ZERO;
        }
        self.go_on();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Limits;
    use super::*;
    use oxbox::machine::{Config, Machine, Script};

    /// Writes each key to the screen: mov ah, 0; int 16h; mov ah, 0Eh; int 10h; jmp again.
    const ECHO: &[u8] = b"\xB4\x00\xCD\x16\xB4\x0E\xCD\x10\xEB\xF6";

    const FRAME: Duration = Duration::from_millis(16);

    fn session(keys: &str) -> Session {
        let machine = Machine::start(&Config::default(), ECHO, "ECHO.COM", "").unwrap();
        let limits = Limits { cycle: u64::MAX, instructions: u64::MAX };
        let mut session = Session::new("ECHO", machine, Script::from_keys(keys).unwrap(), limits);
        session.keep_past();
        session
    }

    fn run(session: &mut Session, frames: u32) {
        (0..frames).for_each(|_| session.advance(FRAME));
    }

    fn line(session: &Session) -> String {
        session.machine.text().unwrap().line(0)
    }

    #[test]
    fn keys_are_taken_back_one_after_the_other() {
        let mut session = session("");
        for key in ["a", "b", "c"] {
            session.strike(key.parse().unwrap());
            run(&mut session, 60);
        }
        assert_eq!(line(&session), "abc");
        let mut seen = vec![line(&session)];
        let mut times = vec![session.machine.nanoseconds()];
        while !session.go_back(FRAME) {
            times.push(session.machine.nanoseconds());
            seen.push(line(&session));
        }
        seen.push(line(&session));
        session.go_on();
        seen.dedup();
        assert_eq!(seen, ["abc", "ab", "a", ""]);
        assert!(times.windows(2).all(|pair| pair[0] >= pair[1]));
        assert!(times.windows(2).all(|pair| pair[0] - pair[1] < 120_000_000), "smoothly: {times:?}");
        // Another run from there, and its recording is that of the other run.
        session.strike("x".parse().unwrap());
        run(&mut session, 30);
        assert_eq!(line(&session), "x");
        assert!(!session.recording().contains('b'), "{}", session.recording());
    }

    #[test]
    fn a_recording_after_a_way_back_plays_the_same() {
        let mut session = session("h i");
        run(&mut session, 60);
        for key in ["a", "b"] {
            session.strike(key.parse().unwrap());
            run(&mut session, 60);
        }
        assert_eq!(line(&session), "hiab");
        for _ in 0..75 {
            session.go_back(FRAME);
        }
        session.go_on();
        session.strike("c".parse().unwrap());
        run(&mut session, 60);
        assert_eq!(line(&session), "hiac");
        session.leave();
        let machine = Machine::start(&Config::default(), ECHO, "ECHO.COM", "").unwrap();
        let limits = Limits { cycle: u64::MAX, instructions: u64::MAX };
        let mut again = Session::new("ECHO", machine, session.recording().parse().unwrap(), limits);
        again.run_through();
        assert_eq!(line(&again), "hiac");
    }

    #[test]
    fn the_script_stays_typed() {
        let mut session = session("h i");
        run(&mut session, 60);
        for _ in 0..1000 {
            session.go_back(FRAME);
        }
        session.go_on();
        assert_eq!(line(&session), "hi");
    }

    #[test]
    fn paused_it_goes_on_by_pictures() {
        let mut session = session("");
        run(&mut session, 10);
        session.step_frame();
        let before = session.machine.nanoseconds();
        session.step_frame();
        let after = session.machine.nanoseconds();
        assert!((FRAME_NS..FRAME_NS + 1_000_000).contains(&(after - before)), "{before} {after}");
        run(&mut session, 10);
        assert_eq!(session.machine.nanoseconds(), after);
    }
}
