//! What a program has looked at of what could be left out.

use super::followed::Site;
use super::parts::Parts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something that no program can rely on, or that many never look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The time: tick count, phases of the timer, the real-time clock, the display's retrace.
    Clock,
    /// Where in its ring the keyboard buffer stands, and what is left in it of keys that were taken.
    Keyboard,
    /// How often the buttons of the mouse have gone down since the program last asked, and where.
    Presses,
    /// The same of their going up.
    Releases,
    /// What is on the screen, and where the cursor is.
    Screen,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 5] =
        [Class::Clock, Class::Keyboard, Class::Presses, Class::Releases, Class::Screen];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Clock => "clock",
            Class::Keyboard => "keyboard",
            Class::Presses => "presses",
            Class::Releases => "releases",
            Class::Screen => "screen",
        }
    }
}

/// A set of classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes(u8);

impl Classes {
    /// The set with one more.
    #[must_use]
    pub fn with(self, class: Class) -> Classes {
        Classes(self.0 | 1 << class as u8)
    }

    /// What is in either.
    #[must_use]
    pub fn or(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    /// Whether a class is in it.
    pub fn has(self, class: Class) -> bool {
        self.0 & 1 << class as u8 != 0
    }

    /// The classes in it.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().filter(move |&class| self.has(class))
    }
}

/// A question about the keyboard that a program may ask. States are not kept apart for it: the answer is the same in every run of a
/// walk that types one key at a time. A proof says which questions were never asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// Whether a key has been typed already; or the program empties the buffer, or handles the keyboard's interrupts itself.
    KeysAhead,
    /// Which shift and lock keys are on.
    ShiftKeys,
}

/// A set of questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Questions(u8);

/// What a program has looked at: classes, and registers that a wait had left to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    classes: Classes,
    registers: BTreeMap<Site, Parts>,
    /// Every register of every wait.
    all_registers: bool,
    questions: Questions,
}

impl Looks {
    /// The classes.
    pub fn classes(&self) -> Classes {
        self.classes
    }

    /// The same with other classes.
    #[must_use]
    pub fn with_classes(self, classes: Classes) -> Looks {
        Looks { classes, ..self }
    }

    /// The same with every register of every wait, for whoever looks at them.
    #[must_use]
    pub fn with_all_registers(self) -> Looks {
        Looks { all_registers: true, ..self }
    }

    /// Adds a class.
    pub(super) fn add(&mut self, class: Class) {
        self.classes = self.classes.with(class);
    }

    /// Whether the program has asked a question.
    pub fn asks(&self, question: Question) -> bool {
        self.questions.0 & 1 << question as u8 != 0
    }

    /// Adds a question.
    pub(in crate::machine) fn ask(&mut self, question: Question) {
        self.questions.0 |= 1 << question as u8;
    }

    /// Whether a walk that keeps one of them keeps the same states apart as one that keeps the other.
    pub fn keeps_as(&self, other: &Looks) -> bool {
        (self.classes, &self.registers, self.all_registers)
            == (other.classes, &other.registers, other.all_registers)
    }

    /// Adds registers of a wait.
    pub(super) fn add_registers(&mut self, site: Site, parts: Parts) {
        if !parts.is_empty() {
            let entry = self.registers.entry(site).or_default();
            *entry = entry.and(parts);
        }
    }

    /// The registers of a wait.
    pub(in crate::machine) fn registers(&self, site: Site) -> Parts {
        if self.all_registers {
            return Parts::ALL;
        }
        self.registers.get(&site).copied().unwrap_or_default()
    }

    /// Adds all that others have looked at; true when there was something new to keep states apart for.
    pub fn extend(&mut self, others: &Looks) -> bool {
        let before = self.clone();
        self.classes = self.classes.or(others.classes);
        self.all_registers |= others.all_registers;
        others.registers.iter().for_each(|(&site, &parts)| self.add_registers(site, parts));
        self.questions.0 |= others.questions.0;
        !self.keeps_as(&before)
    }
}
