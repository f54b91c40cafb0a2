//! The pair of a program and its twin, whose states the search explores.
//!
//! Two pairs are one state only if the twins are equal and no state that the program can still
//! observe differs. Equality of the twins alone is not sufficient.

use super::channel::{Channel, Difference};
use super::compare::{Agreement, Baseline, clock_difference, compare, side_effect};
use super::keys::{Action, Keyboard};
use super::screen::Screen;
use super::step::Step;
use super::twin::Twin;
use crate::walk::ProgramUnderTest;
use crate::walk::choices::Act;
use crate::walk::classes::Tracking;
use crate::walk::performance::Shot;
use crate::walk::program::Saved;
use crate::walk::search::{MatchKind, Packed};
use crate::walk::subject::SystemUnderTest;
use oxbox_machine::machine::{CategorySet, End, Key, PackingBase, ReadSet, SnapshotError, StateCategory};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::Hasher;
use std::sync::Arc;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The most consecutive games before an exploration that does not close is cut off.
pub(super) const MOST_GAMES: u32 = 7;

/// The most cached pages: some 20 MiB of text.
const MOST_DRAWN: usize = 4096;

/// The name of an end at which program and twin differ.
pub(super) const DIFFERENCE: &str = "difference";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ProofEvent {
    /// The exploration was cut off after this number of consecutive games.
    CutOff,
    /// A screen with an alternative layout that the twin permits.
    OtherLayout,
    /// Program and twin differ: channel, difference, and both screens as text.
    Differs { channel: Channel, what: String, expected: Vec<String>, found: Vec<String> },
}

impl ProofEvent {
    /// The number of [`Differs`](ProofEvent::Differs).
    pub(super) const DIFFERS: usize = 2;
}

impl MatchKind for ProofEvent {
    fn what(&self) -> usize {
        match self {
            ProofEvent::CutOff => 0,
            ProofEvent::OtherLayout => 1,
            ProofEvent::Differs { .. } => ProofEvent::DIFFERS,
        }
    }
}

/// Data shared by all pairs of an exploration.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) keyboard: Keyboard,
    pub(super) baseline: Baseline,
}

pub(super) struct Beside<'a> {
    program: ProgramUnderTest,
    at: Place,
    common: &'a Common,
    /// The state observed on the way, without the clock if the exploration tries all its values.
    clock_is_tried: bool,
    /// Pages drawn by the twin, by position.
    drawn: HashMap<u128, Arc<Screen>>,
    /// The state observed before the program was restored, to identify a state without its screen.
    looked: Option<ReadSet>,
    /// The last screen of the program: most keys without a move do not change it.
    shown: Option<(Shot, Arc<Screen>)>,
    /// Bits of the lock keys toggled by the opening.
    toggled: u8,
    /// Whether the last action typed a key ahead.
    typed_ahead: bool,
    /// The BIOS tick count and the time before it.
    ticks_before: Option<(u32, u64)>,
    /// The inputs at the last position of the twin for which they were asked.
    actions: Option<(u128, Arc<Vec<Action>>)>,
    /// The last key that was typed for its class.
    typed: Option<Typed>,
    /// For one state: whether the keys of the next one are tracked does not depend on the state before.
    tracking: Tracking,
}

/// A key that was typed, whose class is looked for.
struct Typed {
    /// The inputs there, and which of them it was.
    actions: Arc<Vec<Action>>,
    choice: usize,
    before: Place,
    /// The output that the twin permits.
    step: Step,
    /// Others of them that pause the machine as it does.
    pauses: Vec<usize>,
}

/// The twin's side of a pair.
#[derive(Clone)]
pub(super) struct Place {
    twin: Box<dyn Twin>,
    screen: Arc<Screen>,
    games: u32,
    noted: Option<ProofEvent>,
}

pub(super) struct SavedBeside {
    program: Saved,
    at: Place,
}

impl<'a> Beside<'a> {
    /// Creates the pair at the start. `opening` is typed to the program only. Recording of the
    /// program's output is enabled.
    pub(super) fn new(
        program: ProgramUnderTest,
        twin: Box<dyn Twin>,
        common: &'a Common,
        opening: &[Act],
    ) -> Self {
        let screen = Arc::new(twin.screen());
        let at = Place { twin, screen, games: 0, noted: None };
        let mut beside = Beside {
            program,
            at,
            common,
            clock_is_tried: false,
            drawn: HashMap::new(),
            looked: None,
            shown: None,
            toggled: lock_keys(opening),
            typed_ahead: false,
            ticks_before: None,
            actions: None,
            typed: None,
            tracking: Tracking::default(),
        };
        let before = common.baseline.screen().map_or_else(|| Arc::clone(&beside.at.screen), Arc::new);
        // The twin does not know the output during the opening.
        let mut step = if opening.is_empty() { Step::from(before) } else { Step::default() };
        step.then(&*beside.at.twin, Arc::clone(&beside.at.screen));
        beside.at.noted = beside.compared(&step);
        beside
    }

    pub(super) fn instructions(&self) -> u64 {
        self.program.instructions()
    }

    /// Returns the inputs here, in order.
    fn actions(&mut self) -> Arc<Vec<Action>> {
        let position = hash_of(&*self.at.twin);
        match &self.actions {
            Some((at, actions)) if *at == position => Arc::clone(actions),
            _ => {
                let actions = Arc::new(self.common.keyboard.actions(&*self.at.twin));
                self.actions = Some((position, Arc::clone(&actions)));
                actions
            }
        }
    }

    /// Plays an action, and returns what the twin permits.
    fn take(&mut self, action: &Action) -> Step {
        self.program.wait(self.common.keyboard.pause_ms());
        if let Some(ticks) = action.ticks {
            self.program.wait_for_ticks(ticks);
        }
        self.clock_is_tried = action.ticks.is_some();
        self.typed_ahead = action.behind.is_some();
        self.ticks_before = Some(self.program.machine().ticks_and_time());
        match action.behind {
            None => self.program.play(&action.acts()),
            Some(_) => self.program.type_ahead(&action.keys()),
        }
        let step = self.press(action);
        self.at.noted = if action.stroke.breaks {
            // DOS ends the program, whatever it is.
            let waits = || ProofEvent::Differs {
                channel: Channel::State,
                what: "DOS does not end the program".to_owned(),
                expected: self.at.screen.lines(),
                found: Vec::new(),
            };
            self.program.end().is_none().then(waits)
        } else {
            self.compared(&step)
        };
        step
    }

    /// Types the characters of an action to the twin, and returns what it permits.
    fn press(&mut self, action: &Action) -> Step {
        // For a pair of keys, only the recording of the last run counts.
        let is_pair = action.behind.is_some();
        let mut step = if is_pair { Step::default() } else { Step::from(Arc::clone(&self.at.screen)) };
        if action.stroke.pauses {
            step.then_pause();
        }
        let mut was_over = self.at.twin.outcome().is_some();
        for (number, character) in action.characters().enumerate() {
            action.type_character(character, &mut *self.at.twin);
            self.at.screen = self.screen_of_twin();
            if number == 0 || is_pair {
                step.then(&*self.at.twin, Arc::clone(&self.at.screen));
            } else {
                step.then_at_once(&*self.at.twin, Arc::clone(&self.at.screen));
            }
            let is_over = self.at.twin.outcome().is_some();
            if was_over && !is_over && !self.at.twin.ended() {
                self.at.games += 1;
            }
            was_over = is_over;
        }
        step
    }

    /// Whether the twin does the same for another key as for the one that was typed, after which its
    /// position has this hash.
    fn twin_agrees(&mut self, typed: &Typed, position: u128, other: usize) -> bool {
        let after = std::mem::replace(&mut self.at, typed.before.clone());
        let step = self.press(&typed.actions[other]);
        let other = std::mem::replace(&mut self.at, after);
        step == typed.step
            && other.games == self.at.games
            && hash_of(&*other.twin) == position
            && other.screen == self.at.screen
    }

    /// Returns the program's current output.
    fn shown(&mut self) -> (Shot, Arc<Screen>) {
        let shot = self.program.shot();
        let screen = match self.shown.take() {
            Some((known, screen)) if known == shot => screen,
            _ => Arc::new(Screen::from(&shot)),
        };
        self.shown = Some((shot.clone(), Arc::clone(&screen)));
        (shot, screen)
    }

    /// Returns the twin's screen, which is cached per position as long as there is space.
    fn screen_of_twin(&mut self) -> Arc<Screen> {
        let twin = &self.at.twin;
        if !twin.screen_tells() {
            return Arc::new(twin.screen());
        }
        if self.drawn.len() >= MOST_DRAWN {
            self.drawn.clear();
        }
        Arc::clone(self.drawn.entry(hash_of(&**twin)).or_insert_with(|| Arc::new(twin.screen())))
    }

    /// Compares the program with its twin after a step; `None` if they agree.
    fn compared(&mut self, step: &Step) -> Option<ProofEvent> {
        let (shot, screen) = self.shown();
        let expected = (&*self.at.screen, step.tunes.as_deref());
        let agreement = compare(&*self.at.twin, expected, &self.program, &screen);
        let more = || {
            let printed = || step.printed_difference(self.program.output());
            self.unseen(&shot).or_else(printed).or_else(|| step.difference(self.program.performance()?))
        };
        let difference = match agreement {
            Agreement::Differs(difference) => difference,
            Agreement::Same => more()?,
            // The positions of lines of text are not specified, and neither are intermediate
            // pictures.
            Agreement::OtherLayout => match self.unseen(&shot) {
                None => return Some(ProofEvent::OtherLayout),
                Some(difference) => difference,
            },
        };
        let Difference { channel, what } = difference;
        Some(ProofEvent::Differs { channel, what, expected: self.at.screen.lines(), found: screen.lines() })
    }

    /// Compares everything except characters and sound: colours, files, console output, the exit
    /// code and the state left behind.
    fn unseen(&self, shot: &Shot) -> Option<Difference> {
        let machine = self.program.machine();
        let baseline = &self.common.baseline;
        let text = if let Shot::Text(text) = shot { baseline.text_difference(text) } else { None };
        if let Some(difference) = text.or_else(|| baseline.style_difference(machine)) {
            return Some(difference);
        }
        if let Some(difference) = baseline.files_difference(machine).or_else(|| side_effect(machine)) {
            return Some(difference);
        }
        if let Some(difference) = self.ticks_before.and_then(|then| clock_difference(machine, then)) {
            return Some(difference);
        }
        if !self.at.twin.prints() && !self.program.output().is_empty() {
            return Some(Channel::Console.differs("the program prints on the console"));
        }
        let Some(End::Exited(code)) = self.program.end() else { return None };
        let expected = self.at.twin.exit_code();
        if expected.is_some_and(|expected| expected != *code) {
            let what = format!("the exit code is {code}, not {}", expected.unwrap_or_default());
            return Some(Channel::ExitCode.differs(what));
        }
        baseline.left_behind(machine, self.toggled, self.typed_ahead)
    }
}

/// Returns the bits of the BIOS shift flags that keys toggle: Scroll Lock, Num Lock, Caps Lock.
fn lock_keys(typed: &[Act]) -> u8 {
    const LOCKS: [(&str, u8); 3] = [("SCROLLLOCK", 0x10), ("NUMLOCK", 0x20), ("CAPSLOCK", 0x40)];
    let bit = |key: &Key| {
        let lock = LOCKS.iter().find(|(name, _)| name.parse() == Ok(*key));
        lock.map_or(0, |(_, bit)| *bit)
    };
    typed.iter().fold(0, |bits, act| match act {
        Act::Key(key) | Act::Press(key) => bits ^ bit(key),
        _ => bits,
    })
}

/// Returns a hash that identifies positions of a twin.
pub(super) fn hash_of(twin: &dyn Twin) -> u128 {
    let mut hashed = Hashed(Vec::with_capacity(1024));
    twin.hash_to(&mut hashed);
    xxh3_128(&hashed.0)
}

/// Collects many small numbers, which are hashed faster together. The hash is the same on hosts with
/// 32 and 64 bits.
struct Hashed(Vec<u8>);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_i64(number as i64);
    }

    fn finish(&self) -> u64 {
        xxh3_64(&self.0)
    }
}

fn with_screen(kept: &ReadSet) -> ReadSet {
    kept.clone().with_categories(kept.categories().with(StateCategory::Screen))
}

impl SystemUnderTest for Beside<'_> {
    type Saved = SavedBeside;
    type Base = PackingBase;
    type Unserialised = Place;
    type MatchKind = ProofEvent;

    fn choices(&self) -> usize {
        if self.at.games >= MOST_GAMES { 0 } else { self.common.keyboard.count(&*self.at.twin) }
    }

    fn play(&mut self, choice: usize) {
        if let Some(action) = self.actions().get(choice) {
            self.take(action);
        }
    }

    fn has_classes(&self) -> bool {
        self.common.keyboard.has_every_key()
    }

    fn play_beside(&mut self, choice: usize, others: &[usize], kept: &ReadSet) {
        let actions = self.actions();
        let Some(action) = actions.get(choice) else { return };
        let place = self.program.machine().key_place();
        if choice == 0 {
            self.tracking = Tracking::default();
        }
        let keyboard = &self.common.keyboard;
        let follows = keyboard.has_codes_at(place) && keyboard.tries_every_key(&*self.at.twin);
        if let Some(own) = action.plain_key().filter(|_| follows) {
            let others = others.iter().filter_map(|&other| {
                let breaks = action.stroke.breaks;
                let (key, code) = actions.get(other).filter(|is| is.stroke.breaks == breaks)?.plain_key()?;
                Some((other, key, code))
            });
            self.tracking.follow(&mut self.program, own, others, &with_screen(kept), true);
        }
        let pauses = if action.stroke.pauses && self.program.machine().pauses_alike(&with_screen(kept)) {
            others.iter().copied().filter(|&other| actions[other].stroke.pauses).collect()
        } else {
            Vec::new()
        };
        let before = self.at.clone();
        let step = self.take(action);
        self.typed = Some(Typed { actions, choice, before, step, pauses });
    }

    fn same(&mut self) -> Vec<usize> {
        let Some(typed) = self.typed.take() else { return Vec::new() };
        let mut same = self.tracking.same(&mut self.program);
        same.extend(&typed.pauses);
        let position = hash_of(&*self.at.twin);
        let characters = |choice: usize| typed.actions[choice].stroke.characters;
        let mut agreed = HashMap::from([(characters(typed.choice), true)]);
        same.retain(|&other| {
            *agreed.entry(characters(other)).or_insert_with(|| self.twin_agrees(&typed, position, other))
        });
        same
    }

    fn end(&self) -> Option<String> {
        match (&self.at.noted, self.program.end()) {
            (Some(ProofEvent::Differs { .. }), _) => Some(DIFFERENCE.to_owned()),
            (_, Some(end)) => Some(end.label()),
            _ => None,
        }
    }

    fn settle(&mut self, kept: &ReadSet) -> u128 {
        let with_screen = with_screen(kept);
        self.program.make_canonical(&with_screen);
        let tells_screen = self.at.twin.screen_tells() || kept.categories().has(StateCategory::Screen);
        let program = if tells_screen {
            self.program.identity(&with_screen)
        } else {
            // The screen is not observed: two states that differ only in it continue equally.
            self.looked = Some(self.program.read_set());
            let saved = self.program.save();
            self.program.make_canonical(kept);
            let identity = self.program.identity(kept);
            self.program.restore(&saved);
            identity ^ 1
        };
        program.rotate_left(1) ^ hash_of(&*self.at.twin)
    }

    fn read_set(&self) -> ReadSet {
        let read_set = self.looked.clone().unwrap_or_else(|| self.program.read_set());
        if !self.clock_is_tried {
            return read_set;
        }
        let others = read_set.categories().iter().filter(|category| !category.is_time());
        let others = others.fold(CategorySet::default(), CategorySet::with);
        read_set.with_categories(others)
    }

    fn save(&mut self) -> Self::Saved {
        SavedBeside { program: self.program.save(), at: self.at.clone() }
    }

    fn restore(&mut self, saved: &Self::Saved, kept: &ReadSet) {
        self.looked = None;
        self.clock_is_tried = false;
        self.program.restore(&saved.program);
        self.program.watch(kept);
        self.at.clone_from(&saved.at);
    }

    fn bytes_beyond(saved: &Self::Saved, first: &Self::Saved) -> usize {
        saved.program.bytes_beyond(&first.program) + size_of::<Place>() + size_of_val(&*saved.at.twin)
    }

    fn base(first: &Self::Saved) -> PackingBase {
        first.program.base()
    }

    fn pack(saved: &Self::Saved, base: &PackingBase) -> Option<Packed<Place>> {
        Some(Packed { bytes: saved.program.packed(base)?, rest: saved.at.clone() })
    }

    fn unpack(packed: &Packed<Place>, base: &PackingBase) -> Result<Self::Saved, SnapshotError> {
        Ok(SavedBeside { program: Saved::unpacked(&packed.bytes, base)?, at: packed.rest.clone() })
    }

    fn absent(&self) -> Vec<String> {
        self.program.absent().iter().cloned().collect()
    }

    fn notes(&self) -> Vec<ProofEvent> {
        let cut = (self.at.games >= MOST_GAMES).then_some(ProofEvent::CutOff);
        cut.into_iter().chain(self.at.noted.clone()).collect()
    }

    fn path_matches(&self) -> Vec<ProofEvent> {
        Vec::new()
    }
}
