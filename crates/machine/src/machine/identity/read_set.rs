//! State that can be left out of the identity, and that a program has read.

use super::followed::Site;
use super::parts::Parts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A category of state that no program can rely on, or that many never read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateCategory {
    /// The time since power-on, the time of day and the date: the real-time clock with its alarms,
    /// the time-stamp counter.
    Clock,
    /// The column that DOS counts for tabs. Known only if the position of the cursor is kept.
    Column,
    /// The position of the cursor, without the content of the screen.
    Cursor,
    /// The date of DOS. A wait is at midnight, unless the time is observed, too.
    Date,
    /// Whether Insert is on, which each press of its key changes.
    Insert,
    /// The position of the keyboard buffer in its ring, and the stale keys in it.
    Keyboard,
    /// The last byte from the keyboard, which port 60h returns again.
    LastByte,
    /// The position of the keyboard buffer in its ring, without the stale keys.
    Position,
    /// The number and positions of the mouse's button presses since the program last read them.
    Presses,
    /// The number and positions of button releases.
    Releases,
    /// The content of the screen, and the position of the cursor.
    Screen,
    /// The number of timer ticks since midnight. A wait is at the beginning of its tick.
    Ticks,
    /// The time within a tick: the counters of the timer, handlers of its interrupt, the refresh bit
    /// of port 61h, the display's retrace. A wait is at the beginning of its tick, and of a frame.
    Timer,
}

impl StateCategory {
    /// All categories.
    pub const ALL: [StateCategory; 13] = [
        StateCategory::Clock,
        StateCategory::Column,
        StateCategory::Cursor,
        StateCategory::Date,
        StateCategory::Insert,
        StateCategory::Keyboard,
        StateCategory::LastByte,
        StateCategory::Position,
        StateCategory::Presses,
        StateCategory::Releases,
        StateCategory::Screen,
        StateCategory::Ticks,
        StateCategory::Timer,
    ];

    /// Whether it is the time, in any precision.
    pub fn is_time(self) -> bool {
        matches!(self, StateCategory::Clock | StateCategory::Ticks | StateCategory::Timer)
    }

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            StateCategory::Clock => "clock",
            StateCategory::Column => "column",
            StateCategory::Cursor => "cursor",
            StateCategory::Date => "date",
            StateCategory::Insert => "insert",
            StateCategory::Keyboard => "keyboard",
            StateCategory::LastByte => "last_byte",
            StateCategory::Position => "position",
            StateCategory::Presses => "presses",
            StateCategory::Releases => "releases",
            StateCategory::Screen => "screen",
            StateCategory::Ticks => "ticks",
            StateCategory::Timer => "timer",
        }
    }
}

/// A set of categories. [`StateCategory::Screen`] includes [`StateCategory::Cursor`], and
/// [`StateCategory::Keyboard`] includes [`StateCategory::Position`]: the second is then not in the set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategorySet(u16);

impl CategorySet {
    /// Returns the set with one more category.
    #[must_use]
    pub fn with(self, category: StateCategory) -> CategorySet {
        self.or(CategorySet(1 << category as u16))
    }

    /// Returns the union.
    #[must_use]
    pub fn or(self, other: CategorySet) -> CategorySet {
        const INCLUDED: [(StateCategory, StateCategory); 2] = [
            (StateCategory::Screen, StateCategory::Cursor),
            (StateCategory::Keyboard, StateCategory::Position),
        ];
        let both = CategorySet(self.0 | other.0);
        let included = INCLUDED.iter().filter(|(whole, _)| both.has(*whole));
        CategorySet(included.fold(both.0, |set, (_, part)| set & !(1 << *part as u16)))
    }

    /// Whether a category is in it.
    pub fn has(self, category: StateCategory) -> bool {
        self.0 & 1 << category as u16 != 0
    }

    /// Whether the position of the cursor is in it, alone or with the screen.
    pub fn has_cursor(self) -> bool {
        self.has(StateCategory::Cursor) || self.has(StateCategory::Screen)
    }

    /// Whether the position of the keyboard buffer is in it, alone or with the stale keys.
    pub fn has_position(self) -> bool {
        self.has(StateCategory::Position) || self.has(StateCategory::Keyboard)
    }

    /// Whether something is in it that depends on the last key, after the program has received it.
    pub fn has_last_key(self) -> bool {
        self.has(StateCategory::Keyboard) || self.has(StateCategory::LastByte)
    }

    /// Whether the time is in it, in any precision.
    pub fn has_time(self) -> bool {
        self.iter().any(StateCategory::is_time)
    }

    /// Whether a count of time is in it that never repeats.
    pub fn has_endless_time(self) -> bool {
        self.has(StateCategory::Clock) || self.has(StateCategory::Ticks)
    }

    /// Returns the categories in it.
    pub fn iter(self) -> impl Iterator<Item = StateCategory> {
        StateCategory::ALL.into_iter().filter(move |&category| self.has(category))
    }
}

/// A question about the keyboard that a program may ask. The states of a search do not depend on
/// it: the answer is the same in every run of a search that types one key at a time. A proof states
/// which questions were never asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// Whether a key has been typed ahead. Clearing the buffer and handling IRQ 1 count too.
    KeysAhead,
    /// Which shift and lock keys are on.
    ShiftKeys,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Questions(u8);

/// The categories, and the registers of waits, that a program has read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadSet {
    categories: CategorySet,
    registers: BTreeMap<Site, Parts>,
    /// Whether all registers of all waits are included.
    all_registers: bool,
    questions: Questions,
}

impl ReadSet {
    /// Returns the categories.
    pub fn categories(&self) -> CategorySet {
        self.categories
    }

    /// Returns the same with other categories.
    #[must_use]
    pub fn with_categories(self, categories: CategorySet) -> ReadSet {
        ReadSet { categories, ..self }
    }

    /// Returns the same with all registers of all waits, for callers that need them.
    #[must_use]
    pub fn with_all_registers(self) -> ReadSet {
        ReadSet { all_registers: true, ..self }
    }

    pub(super) fn add(&mut self, category: StateCategory) {
        self.categories = self.categories.with(category);
    }

    /// Whether the program has asked a question.
    pub fn asks(&self, question: Question) -> bool {
        self.questions.0 & 1 << question as u8 != 0
    }

    pub(in crate::machine) fn ask(&mut self, question: Question) {
        self.questions.0 |= 1 << question as u8;
    }

    /// Whether searches that keep one or the other of them distinguish the same states.
    pub fn keeps_as(&self, other: &ReadSet) -> bool {
        (self.categories, &self.registers, self.all_registers)
            == (other.categories, &other.registers, other.all_registers)
    }

    pub(super) fn add_registers(&mut self, site: Site, parts: Parts) {
        if !parts.is_empty() {
            let entry = self.registers.entry(site).or_default();
            *entry = entry.and(parts);
        }
    }

    pub(in crate::machine) fn registers(&self, site: Site) -> Parts {
        if self.all_registers {
            return Parts::ALL;
        }
        self.registers.get(&site).copied().unwrap_or_default()
    }

    /// Merges observations from others. Returns whether any were new.
    pub fn extend(&mut self, others: &ReadSet) -> bool {
        let before = self.clone();
        self.categories = self.categories.or(others.categories);
        self.all_registers |= others.all_registers;
        others.registers.iter().for_each(|(&site, &parts)| self.add_registers(site, parts));
        self.questions.0 |= others.questions.0;
        !self.keeps_as(&before)
    }
}
