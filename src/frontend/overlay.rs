//! oxbox's own keys during a session, and what it shows over the program: the help page, messages, the end.
//!
//! The same in the window and in the terminal: a front end says which key went down ([`Pressed`]) and draws what the overlay says.
//! The wall clock comes from outside, so that tests need not wait.

use std::time::{Duration, Instant};

use super::hotkeys::{self, Wish};
use super::session::Session;
use super::signals;
use oxbox::machine::Key;

/// How long a message stays.
const MESSAGE_TIME: Duration = Duration::from_secs(4);

/// After the end of a program a key leaves, but not one that was meant for the program.
const GRACE_TIME: Duration = Duration::from_millis(700);

/// A key that goes down, as far as it may be oxbox's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pressed {
    /// Its number, for a function key.
    pub(crate) function: Option<u8>,
    /// Ctrl is held.
    pub(crate) ctrl: bool,
    /// What it types.
    pub(crate) character: Option<char>,
}

/// Where to go when the session has been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Back to where the user came from.
    Session,
    /// Out of oxbox.
    Oxbox,
}

/// What lies over the program's screen, and how the user leaves.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    help: bool,
    leave: Option<Leave>,
    message: Option<(String, Instant)>,
    ended: Option<Instant>,
}

impl Overlay {
    /// A key goes down. False when it is the program's.
    pub(crate) fn takes(&mut self, key: Pressed, session: &mut Session, now: Instant) -> bool {
        if let Some(wish) = self.wish(key) {
            self.fulfil(wish, session, now);
        } else if self.help {
            self.help = false;
            // A second F1 is for the program.
            if key.function == Some(1) && !key.ctrl {
                session.strike(Key::new(0x3B, false));
            }
        } else if session.end.is_some() {
            let ended = *self.ended.get_or_insert(now);
            if now - ended > GRACE_TIME {
                self.leave(Leave::Session);
            }
        } else {
            return false;
        }
        true
    }

    /// The wish that a key stands for now.
    fn wish(&self, key: Pressed) -> Option<Wish> {
        match key {
            Pressed { function: Some(1), ctrl: false, .. } if !self.help => Some(Wish::Help),
            Pressed { function: Some(number), ctrl: true, .. } => hotkeys::of_function_key(number),
            Pressed { function: None, character: Some(letter), .. } if self.help => {
                hotkeys::of_letter(letter)
            }
            _ => None,
        }
    }

    fn fulfil(&mut self, wish: Wish, session: &mut Session, now: Instant) {
        match wish {
            Wish::Help => self.help = true,
            Wish::Quit => self.leave(Leave::Session),
            // Trying speeds or sound on the help page should not need a second F1 each time.
            Wish::Faster | Wish::Slower | Wish::Mute => {}
            _ => self.help = false,
        }
        if let Some(message) = session.fulfil(wish) {
            self.message = Some((message, now));
        }
    }

    /// Lets the session run on, unless the help page hides it. The answer says that, and how, it has been seen: it is over then.
    pub(crate) fn advance(
        &mut self,
        session: &mut Session,
        elapsed: Duration,
        now: Instant,
    ) -> Option<Leave> {
        if let Some(signal) = signals::received() {
            session.break_off(signal);
            self.leave(Leave::Oxbox);
        }
        if !self.help {
            session.advance(elapsed);
        }
        if session.end.is_some() {
            self.ended.get_or_insert(now);
        }
        self.message.take_if(|(_, since)| now - *since > MESSAGE_TIME);
        if self.leave.is_some() {
            session.leave();
        }
        self.leave
    }

    /// The user leaves, with the next [`Overlay::advance`]. Leaving oxbox wins.
    pub(crate) fn leave(&mut self, leave: Leave) {
        if self.leave != Some(Leave::Oxbox) {
            self.leave = Some(leave);
        }
    }

    /// True while the help page hides the program, which stands still then.
    pub(crate) fn shows_help(&self) -> bool {
        self.help
    }

    /// A message, or what the session is doing.
    pub(crate) fn status(&self, session: &Session) -> String {
        self.message.as_ref().map_or_else(|| session.state(), |(message, _)| message.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::session::{End, Limits};
    use super::*;
    use oxbox::machine::{Config, Machine, Script};

    /// Waits for a key and ends with its scan code.
    const KEY: &[u8] = b"\xB4\x00\xCD\x16\x88\xE0\xB4\x4C\xCD\x21";

    const FRAME: Duration = Duration::from_millis(16);

    fn session() -> Session {
        let mut machine = Machine::new(&Config::default()).unwrap();
        machine.load(KEY, "KEY.COM", "").unwrap();
        let limits = Limits { cycle: u64::MAX, instructions: u64::MAX };
        Session::new("KEY", machine, Script::default(), limits)
    }

    /// `F1`, `CF9` (Ctrl and F9), or a character.
    fn pressed(name: &str) -> Pressed {
        let (ctrl, rest) = name.strip_prefix('C').map_or((false, name), |rest| (true, rest));
        match rest.strip_prefix('F').and_then(|number| number.parse().ok()) {
            Some(number) => Pressed { function: Some(number), ctrl, character: None },
            None => Pressed { character: name.chars().next(), ..Pressed::default() },
        }
    }

    /// Presses keys, a frame each, as a front end does: what is not taken goes to the program. `.` lets half a second pass. Answers
    /// which keys the program got, and how the overlay stands.
    fn play(keys: &str) -> (String, Overlay, Session, Option<Leave>) {
        let (mut overlay, mut session, mut now) = (Overlay::default(), session(), Instant::now());
        let mut given = String::new();
        let mut leave = None;
        for name in keys.split_whitespace() {
            if name == "." {
                now += Duration::from_millis(500);
            } else if !overlay.takes(pressed(name), &mut session, now) {
                given.push_str(name);
                session.strike(name.parse().unwrap());
            }
            for _ in 0..5 {
                now += FRAME;
                leave = overlay.advance(&mut session, FRAME, now);
            }
        }
        (given, overlay, session, leave)
    }

    #[test]
    fn keys_are_the_programs_or_oxboxs() {
        // keys, what the program got, help is shown, paused, how the session is left, how it ended
        let over = |code| Some(End::Exited(code));
        let table: [(&str, &str, bool, bool, Option<Leave>, Option<End>); 14] = [
            ("F1", "", true, false, None, None),
            ("F1 x", "", false, false, None, None),
            ("F1 F1", "", false, false, None, over(0x3B)),
            ("F1 p", "", false, true, None, None),
            ("F1 p F1 p", "", false, false, None, None),
            ("F1 + -", "", true, false, None, None),
            ("CF2", "", false, true, None, None),
            ("CF9", "", false, false, Some(Leave::Session), Some(End::Left)),
            ("F1 q", "", true, false, Some(Leave::Session), Some(End::Left)),
            ("p", "p", false, false, None, over(0x19)),
            // The program has ended: what was meant for it leaves nothing, a key later leaves.
            ("a b c", "a", false, false, None, over(0x1E)),
            ("a . . b", "a", false, false, Some(Leave::Session), over(0x1E)),
            ("a . . F1", "a", true, false, None, over(0x1E)),
            ("a . . F1 x", "a", false, false, None, over(0x1E)),
        ];
        for (keys, given, help, paused, leave, end) in table {
            let (got, overlay, session, left) = play(keys);
            assert_eq!(got, given, "{keys}");
            assert_eq!((overlay.shows_help(), session.is_paused(), left), (help, paused, leave), "{keys}");
            assert_eq!(session.end, end, "{keys}");
        }
    }

    /// Keys that come in one batch with the one that ends the program: none of them leaves.
    #[test]
    fn a_batch_of_keys_does_not_leave_with_the_program() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        session.end = Some(End::Exited(0));
        for later in [Duration::ZERO, FRAME] {
            assert!(overlay.takes(pressed("a"), &mut session, now + later));
            assert_eq!(overlay.advance(&mut session, FRAME, now + later), None);
        }
        let late = now + GRACE_TIME + FRAME;
        assert!(overlay.takes(pressed("a"), &mut session, late));
        assert_eq!(overlay.advance(&mut session, FRAME, late), Some(Leave::Session));
    }

    #[test]
    fn messages_go_after_a_while() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        overlay.takes(pressed("CF8"), &mut session, now);
        assert_eq!(overlay.status(&session), "sound off");
        overlay.advance(&mut session, FRAME, now + MESSAGE_TIME);
        assert_eq!(overlay.status(&session), "sound off");
        overlay.advance(&mut session, FRAME, now + MESSAGE_TIME + FRAME);
        assert_eq!(overlay.status(&session), "3000/ms, sound off");
    }

    #[test]
    fn help_stops_the_clock() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        overlay.takes(pressed("F1"), &mut session, now);
        let before = session.machine.now();
        overlay.advance(&mut session, FRAME, now + FRAME);
        assert_eq!(session.machine.now(), before);
        overlay.takes(pressed("x"), &mut session, now + FRAME);
        overlay.advance(&mut session, FRAME, now + FRAME * 2);
        assert!(session.machine.now() > before);
    }

    #[test]
    fn leaving_oxbox_wins() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        overlay.leave(Leave::Oxbox);
        overlay.takes(pressed("CF9"), &mut session, now);
        assert_eq!(overlay.advance(&mut session, FRAME, now), Some(Leave::Oxbox));
    }
}
