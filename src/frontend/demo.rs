//! A game that plays without a user, for the launcher's picture: its sample keys at a slow pace,
//! repeatedly.

use std::time::{Duration, Instant};

use oxbox::games::Game;
use oxbox::hardware::vga::{Frame, TextScreen};
use oxbox::machine::{Config, Machine, Playback, Played, Script, Stop, Until};

/// Virtual time between two keys, in milliseconds.
const PACE_MS: u32 = 900;

/// Duration for which the last screen stays.
const END_TIME: Duration = Duration::from_secs(4);

const FRAME_TIME: Duration = Duration::from_millis(100);

/// The number of repetitions: the user may have left.
const ROUNDS: u32 = 5;

/// The longest delay that is caught up with after a pause.
const LONGEST_STEP: Duration = Duration::from_millis(200);

pub(crate) struct Demo {
    name: &'static str,
    game: &'static Game,
    run: Option<(Machine, Playback)>,
    /// The time at which it had played all of its keys.
    over: Option<Instant>,
    rounds: u32,
    looked: Instant,
    /// The last picture's source, to draw none twice: for a text screen its text.
    seen: Option<Seen>,
}

#[derive(PartialEq)]
enum Seen {
    Text(TextScreen),
    Picture(Frame),
}

impl Demo {
    pub(crate) fn new(game: &'static Game) -> Demo {
        let (run, looked) = (start(game), Instant::now());
        Demo { name: game.name, game, run, over: None, rounds: 1, looked, seen: None }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn picture(&mut self, now: Instant) -> Option<Frame> {
        let elapsed = now.duration_since(self.looked);
        if elapsed < FRAME_TIME && self.seen.is_some() {
            return None;
        }
        self.looked = now;
        if self.over.is_some_and(|over| now.duration_since(over) > END_TIME) && self.rounds < ROUNDS {
            (self.run, self.over) = (start(self.game), None);
            self.rounds += 1;
        }
        if self.over.is_some() && self.seen.is_some() {
            return None;
        }
        let (machine, playback) = self.run.as_mut()?;
        if self.over.is_none() {
            let ns = machine.nanoseconds() + elapsed.min(LONGEST_STEP).as_nanos() as u64;
            let until = Until::cycle(machine.cycle_at_nanoseconds(ns));
            let played = playback.run(machine, &until, &mut (), &mut ());
            if playback.is_over() || !matches!(played, Played::Stopped(Stop::Cycle)) {
                self.over = Some(now);
            }
        }
        let (seen, frame) = match machine.text() {
            Some(text) => (Seen::Text(text), None),
            None => {
                let frame = machine.still_frame();
                (Seen::Picture(frame.clone()), Some(frame))
            }
        };
        if self.seen.as_ref() == Some(&seen) {
            return None;
        }
        self.seen = Some(seen);
        frame.or_else(|| Some(machine.still_frame()))
    }
}

fn start(game: &Game) -> Option<(Machine, Playback)> {
    let machine = Machine::start(&Config::default(), game.program, game.file, "").ok()?;
    let pause = format!(" @{PACE_MS} ");
    let keys = game.sample.split_whitespace().collect::<Vec<_>>().join(&pause);
    let script = Script::from_keys(&format!("{pause}{keys}{pause}")).ok()?;
    Some((machine, Playback::new(script)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::games::GAMES;

    #[test]
    fn every_game_moves() {
        for game in GAMES {
            let mut demo = Demo::new(game);
            let mut now = Instant::now();
            let mut pictures = 0;
            for _ in 0..120 {
                now += FRAME_TIME;
                pictures += usize::from(demo.picture(now).is_some());
            }
            assert!(pictures > 3, "{}: {pictures}", game.name);
        }
    }
}
