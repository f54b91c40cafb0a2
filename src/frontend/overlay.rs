//! Handles oxbox's hotkeys during a session, and shows pages, messages and the end over the
//! program.
//!
//! It is the same in the window and in the terminal: a front end passes key presses ([`Pressed`])
//! and draws the overlay's content. The wall clock is passed in, so that tests need not wait.

use std::time::{Duration, Instant};

use super::help;
use super::hotkeys::{self, Command};
use super::page::Page;
use super::session::LiveSession;
use super::signals;
use super::slots::{Choice, Purpose, Slots};
use oxbox::machine::Key;

const MESSAGE_TIME: Duration = Duration::from_secs(4);

/// After the end of a program a key quits, but not a key that was meant for the program.
const GRACE_TIME: Duration = Duration::from_millis(700);

/// Without key releases, a key counts as held for this long: at least until it repeats.
const HOLD_TIME: Duration = Duration::from_millis(600);

/// A pressed key, as far as it may be a hotkey.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pressed {
    pub(crate) function: Option<u8>,
    pub(crate) ctrl: bool,
    pub(crate) shift: bool,
    pub(crate) character: Option<char>,
    /// Its position on a PC keyboard, for navigation on a page.
    pub(crate) key: Option<Key>,
    /// Whether [`Overlay::released`] will be called when it is released.
    pub(crate) is_held: bool,
}

/// The user's destination after a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Back to where the user came from.
    Session,
    Oxbox,
}

/// The page in front of the program, which is stopped then.
#[derive(Debug, Default)]
enum Front {
    #[default]
    Program,
    Help,
    /// The page for saving and loading states.
    Slots(Slots),
}

/// The time until which the run goes backwards.
#[derive(Debug, Clone, Copy)]
enum Back {
    /// Until the key is released.
    Release,
    /// Until this time, unless the key repeats.
    Then(Instant),
}

/// The content over the program's screen, and whether the user has quit.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    front: Front,
    leave: Option<Leave>,
    message: Option<(String, Instant)>,
    ended: Option<Instant>,
    back: Option<Back>,
    fullscreen_wanted: bool,
    /// The page of `front`, drawn when it changes.
    page: Option<Page>,
    revision: u32,
}

impl Overlay {
    /// Handles a key press. Returns false if the key is for the program.
    pub(crate) fn takes(&mut self, key: Pressed, session: &mut LiveSession, now: Instant) -> bool {
        if let Some(command) = self.command(key) {
            self.carry_out(command, key, session, now);
        } else if let Front::Slots(_) = &self.front {
            self.choose_slot(key, session, now);
        } else if let Front::Help = self.front {
            self.front = Front::Program;
            // A second F1 is for the program.
            if key.function == Some(1) && !key.ctrl {
                session.type_key(Key::new(0x3B, false));
            }
        } else if session.is_rewinding() {
            // A program that runs backwards receives no keys.
        } else if session.end().is_some() {
            let ended = *self.ended.get_or_insert(now);
            if now - ended > GRACE_TIME {
                self.leave(Leave::Session);
            }
        } else {
            return false;
        }
        self.turn_page();
        true
    }

    fn command(&self, key: Pressed) -> Option<Command> {
        let help = matches!(self.front, Front::Help);
        match key {
            Pressed { function: Some(1), ctrl: false, .. } if matches!(self.front, Front::Program) => {
                Some(Command::Help)
            }
            Pressed { function: Some(number), ctrl: true, shift, .. } => {
                hotkeys::of_function_key(number, shift)
            }
            Pressed { function: None, character: Some(letter), .. } if help => hotkeys::of_letter(letter),
            _ => None,
        }
    }

    fn carry_out(&mut self, command: Command, key: Pressed, session: &mut LiveSession, now: Instant) {
        let letter = matches!(self.front, Front::Help) && key.function.is_none();
        match command {
            Command::Help => self.front = Front::Help,
            Command::Save => self.front = Front::Slots(Slots::new(Purpose::Save, session.slots())),
            Command::Load => self.front = Front::Slots(Slots::new(Purpose::Load, session.slots())),
            Command::Quit => self.leave(Leave::Session),
            Command::Fullscreen => self.fullscreen_wanted = true,
            // Trying speeds or sound on the help page should not need a second F1 each time.
            Command::Faster
            | Command::Slower
            | Command::Mute
            | Command::Louder
            | Command::Quieter
            | Command::Contrast => {}
            Command::Back if !letter => {
                self.front = Front::Program;
                self.ended = None;
                self.back = Some(if key.is_held { Back::Release } else { Back::Then(now + HOLD_TIME) });
                return;
            }
            _ => self.front = Front::Program,
        }
        if let Some(message) = session.carry_out(command) {
            self.message = Some((message, now));
        }
        if session.end().is_none() {
            self.ended = None;
        }
    }

    fn choose_slot(&mut self, key: Pressed, session: &mut LiveSession, now: Instant) {
        let Front::Slots(slots) = &mut self.front else { return };
        let Some(pc_key) = key.character.and_then(Key::typing).or(key.key) else { return };
        let message = match (slots.key(pc_key), slots.purpose) {
            (Choice::Stay, _) => return,
            (Choice::Leave, _) => None,
            (Choice::Slot(slot), Purpose::Save) => Some(session.save_slot(slot)),
            (Choice::Slot(slot), Purpose::Load) => Some(session.load_slot(slot)),
        };
        self.front = Front::Program;
        self.message = message.map(|message| (message, now));
        if session.end().is_none() {
            self.ended = None;
        }
    }

    /// Called when the held key for rewinding is released, or the keyboard focus is lost.
    pub(crate) fn released(&mut self, session: &mut LiveSession) {
        if let Some(Back::Release) = self.back.take_if(|back| matches!(back, Back::Release)) {
            session.end_rewind();
        }
    }

    /// Lets the session run or rewind, unless a page hides it. Returns how it was left, if over.
    pub(crate) fn advance(
        &mut self,
        session: &mut LiveSession,
        elapsed: Duration,
        now: Instant,
    ) -> Option<Leave> {
        if let Some(signal) = signals::received() {
            session.interrupt(signal);
            self.leave(Leave::Oxbox);
        }
        match self.back {
            Some(Back::Then(end)) if now > end => {
                self.back = None;
                session.end_rewind();
            }
            Some(_) => {
                session.rewind(elapsed);
            }
            None if matches!(self.front, Front::Program) => session.advance(elapsed),
            None => {}
        }
        if session.end().is_some() {
            self.ended.get_or_insert(now);
        }
        self.message.take_if(|(_, since)| now - *since > MESSAGE_TIME);
        if self.leave.is_some() {
            session.leave();
        }
        self.leave
    }

    /// Quits with the next [`Overlay::advance`]. Quitting oxbox takes precedence.
    pub(crate) fn leave(&mut self, leave: Leave) {
        if self.leave != Some(Leave::Oxbox) {
            self.leave = Some(leave);
        }
    }

    /// Whether a page hides the program, which is stopped then.
    pub(crate) fn hides_program(&self) -> bool {
        !matches!(self.front, Front::Program)
    }

    pub(crate) fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }

    /// Returns a number that changes with the page.
    pub(crate) fn revision(&self) -> u32 {
        self.revision
    }

    fn turn_page(&mut self) {
        self.revision = self.revision.wrapping_add(1);
        self.page = match &self.front {
            Front::Program => None,
            Front::Help => Some(help::page()),
            Front::Slots(slots) => Some(slots.page()),
        };
    }

    /// Requests full screen, or its end.
    pub(crate) fn want_fullscreen(&mut self) {
        self.fullscreen_wanted = true;
    }

    /// Whether full screen, or its end, has been requested. Clears the request.
    pub(crate) fn take_fullscreen_command(&mut self) -> bool {
        std::mem::take(&mut self.fullscreen_wanted)
    }

    /// Returns the lines over the picture: a message, and states that are not the default.
    pub(crate) fn lines(&self, session: &LiveSession) -> Vec<String> {
        let mut lines = session.states();
        if let Some((message, _)) = &self.message {
            // "volume 70 %" is both the last message and a state.
            lines.retain(|state| state != message);
            lines.insert(0, message.clone());
        }
        lines
    }

    /// Returns the same as one line, for a title: a message, or the state of the session.
    pub(crate) fn status(&self, session: &LiveSession) -> String {
        if let Some((message, _)) = &self.message {
            return message.clone();
        }
        let states = session.states();
        if states.is_empty() { format!("{}/ms", session.machine().speed()) } else { states.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::machine::{Config, End, Limits, Machine, Script};

    /// Waits for a key and ends with its scan code.
    const KEY: &[u8] = b"\xB4\x00\xCD\x16\x88\xE0\xB4\x4C\xCD\x21";

    const FRAME: Duration = Duration::from_millis(16);

    fn session() -> LiveSession {
        let mut machine = Machine::new(&Config::default()).unwrap();
        machine.load(KEY, "KEY.COM", "").unwrap();
        LiveSession::new("KEY", machine, Script::default(), Limits::NONE)
    }

    /// Parses `F1`, `CF9` (Ctrl and F9), or a character.
    fn pressed(name: &str) -> Pressed {
        let (ctrl, rest) = name.strip_prefix('C').map_or((false, name), |rest| (true, rest));
        match rest.strip_prefix('F').and_then(|number| number.parse().ok()) {
            Some(number) => Pressed { function: Some(number), ctrl, ..Pressed::default() },
            None => Pressed { character: name.chars().next(), ..Pressed::default() },
        }
    }

    /// Presses keys, one per frame, like a front end: keys that are not hotkeys go to the program.
    /// `.` lets half a second pass. Returns the keys that the program received, and the overlay's
    /// state.
    fn play(keys: &str) -> (String, Overlay, LiveSession, Option<Leave>) {
        let (mut overlay, mut session, mut now) = (Overlay::default(), session(), Instant::now());
        let mut given = String::new();
        let mut leave = None;
        for name in keys.split_whitespace() {
            if name == "." {
                now += Duration::from_millis(500);
            } else if !overlay.takes(pressed(name), &mut session, now) {
                given.push_str(name);
                session.type_key(name.parse().unwrap());
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
        // Keys, the keys that the program received, help is shown, paused, how the session was
        // left, how it ended.
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
            // The program has ended: a key meant for it does not quit, a later key does.
            ("a b c", "a", false, false, None, over(0x1E)),
            ("a . . b", "a", false, false, Some(Leave::Session), over(0x1E)),
            ("a . . F1", "a", true, false, None, over(0x1E)),
            ("a . . F1 x", "a", false, false, None, over(0x1E)),
        ];
        for (keys, given, help, paused, leave, end) in table {
            let (got, overlay, session, left) = play(keys);
            assert_eq!(got, given, "{keys}");
            assert_eq!((overlay.hides_program(), session.is_paused(), left), (help, paused, leave), "{keys}");
            assert_eq!(session.end().cloned(), end, "{keys}");
        }
    }

    #[test]
    fn nothing_is_said_twice_over_the_picture() {
        for (keys, said) in [("F1 m", "sound off"), ("F1 p", "paused: Ctrl+F2 continues")] {
            let (_, overlay, session, _) = play(keys);
            let lines = overlay.lines(&session);
            assert_eq!(lines.iter().filter(|line| *line == said).count(), 1, "{keys}: {lines:?}");
        }
    }

    /// Keys in the same batch as the one that ends the program do not quit.
    #[test]
    fn a_batch_of_keys_does_not_leave_with_the_program() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        session.finish(End::Exited(0));
        for later in [Duration::ZERO, FRAME] {
            assert!(overlay.takes(pressed("a"), &mut session, now + later));
            assert_eq!(overlay.advance(&mut session, FRAME, now + later), None);
        }
        let late = now + GRACE_TIME + FRAME;
        assert!(overlay.takes(pressed("a"), &mut session, late));
        assert_eq!(overlay.advance(&mut session, FRAME, late), Some(Leave::Session));
    }

    /// Keys of the slots' page; states themselves are tested where they are saved.
    #[test]
    fn the_page_of_slots_is_left() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        overlay.takes(pressed("CF4"), &mut session, now);
        assert!(overlay.hides_program() && overlay.page().is_some());
        for (name, hides) in [("RIGHT", true), ("x", true), ("ESC", false)] {
            let key = Pressed { key: name.parse().ok(), ..Pressed::default() };
            assert!(overlay.takes(key, &mut session, now));
            assert_eq!(overlay.hides_program(), hides, "{name}");
        }
    }

    #[test]
    fn the_run_goes_back_while_the_key_is_held() {
        let (mut overlay, mut session, mut now) = (Overlay::default(), session(), Instant::now());
        session.keep_past();
        let mut frames = |overlay: &mut Overlay, session: &mut LiveSession, count| {
            for _ in 0..count {
                now += FRAME;
                overlay.advance(session, FRAME, now);
            }
            now
        };
        let now = frames(&mut overlay, &mut session, 100);
        let there = session.machine().nanoseconds();
        overlay.takes(Pressed { is_held: true, ..pressed("CF7") }, &mut session, now);
        let now = frames(&mut overlay, &mut session, 30);
        let back = session.machine().nanoseconds();
        assert!(session.is_rewinding() && there - back > 400_000_000, "{there} {back}");
        assert!(overlay.takes(pressed("a"), &mut session, now), "no key reaches the past");
        overlay.released(&mut session);
        frames(&mut overlay, &mut session, 10);
        assert!(!session.is_rewinding() && session.machine().nanoseconds() > back);
    }

    #[test]
    fn messages_go_after_a_while() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        overlay.takes(pressed("CF8"), &mut session, now);
        assert_eq!(overlay.status(&session), "sound off");
        overlay.advance(&mut session, FRAME, now + MESSAGE_TIME);
        assert_eq!(overlay.status(&session), "sound off");
        overlay.advance(&mut session, FRAME, now + MESSAGE_TIME + FRAME);
        assert_eq!(overlay.status(&session), "sound off");
    }

    #[test]
    fn help_stops_the_clock() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        overlay.takes(pressed("F1"), &mut session, now);
        let before = session.machine().now();
        overlay.advance(&mut session, FRAME, now + FRAME);
        assert_eq!(session.machine().now(), before);
        overlay.takes(pressed("x"), &mut session, now + FRAME);
        overlay.advance(&mut session, FRAME, now + FRAME * 2);
        assert!(session.machine().now() > before);
    }

    #[test]
    fn leaving_oxbox_wins() {
        let (mut overlay, mut session, now) = (Overlay::default(), session(), Instant::now());
        overlay.leave(Leave::Oxbox);
        overlay.takes(pressed("CF9"), &mut session, now);
        assert_eq!(overlay.advance(&mut session, FRAME, now), Some(Leave::Oxbox));
    }
}
