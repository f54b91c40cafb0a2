//! The initial states of the machine from which a proof explores.

use super::keys::{Keyboard, Scope};
use super::part::More;
use crate::walk::choices::Act;
use crate::walk::{Filling, Setup};
use oxbox_cpu::Model;
use oxbox_machine::hardware::DateTime;
use oxbox_machine::machine::Key;
use std::collections::BTreeSet;
use std::fmt;

/// A condition with a value that is not the default machine's.
#[derive(Clone, Copy)]
struct Condition {
    name: &'static str,
    value: &'static str,
    /// Changes the machine to the value.
    change: fn(&mut Setup, &str),
}

/// An initial state: the default machine with these conditions changed.
#[derive(Clone, Copy)]
pub(super) struct Start(&'static [Condition]);

/// The default machine.
pub(super) const USUAL: Start = Start(&[]);

/// Conditions that are changed together: a search takes as long for several as for one. If program and
/// twin differ, further searches change each alone.
static GROUPS: [&[Condition]; GROUP_COUNT] = [&FIRST, &SECOND];
/// The same for a game of the 8086.
static GROUPS_OF_8086: [&[Condition]; GROUP_COUNT] = [&FIRST, &SECOND_OF_8086];
pub(super) const GROUP_COUNT: usize = 2;

static FIRST: [Condition; 5] = [
    Condition {
        name: "arguments",
        value: "/? 5 x",
        change: |setup, _| " /? 5 x".clone_into(&mut setup.arguments),
    },
    Condition {
        name: "environment",
        value: "twenty variables more",
        change: |setup, _| setup.config.dos.environment = variables(),
    },
    Condition { name: "memory", value: "FFh", change: |setup, _| setup.filling = Some(Filling::Byte(0xFF)) },
    Condition { name: CAPS.0, value: CAPS.1, change: |setup, _| setup.opening.extend(pressed(CAPS.2)) },
    Condition { name: "processor", value: "486", change: |setup, _| setup.config.model = Model::I486 },
];

static SECOND: [Condition; 6] = second("586", |setup, _| setup.config.model = Model::I586);
static SECOND_OF_8086: [Condition; 6] = second("8086", |setup, _| setup.config.model = Model::I8086);

/// Returns the second group with a processor.
const fn second(processor: &'static str, change: fn(&mut Setup, &str)) -> [Condition; 6] {
    [
        Condition {
            name: "environment",
            value: "a variable for each word in the program",
            change: |setup, _| setup.config.dos.environment = words_of(&setup.program),
        },
        Condition { name: "memory", value: "noise", change: |setup, _| setup.filling = Some(Filling::Noise) },
        Condition {
            name: "lock_keys",
            value: "Num Lock",
            change: |setup, _| setup.opening.extend(pressed("NUMLOCK")),
        },
        Condition {
            name: "lock_keys",
            value: "Scroll Lock",
            change: |setup, _| setup.opening.extend(pressed("SCROLLLOCK")),
        },
        Condition {
            name: "ansi",
            value: "ANSI.SYS not loaded",
            change: |setup, _| setup.config.dos.no_ansi = true,
        },
        Condition { name: "processor", value: processor, change },
    ]
}

/// Caps Lock, which exchanges the case of letters.
const CAPS: (&str, &str, &str) = ("lock_keys", "Caps Lock", "CAPSLOCK");

/// The dates at power-on for a program that reads the date: each day of a month, each month and day of
/// the week, years before and after 2000, and holidays.
const DATES: [&str; 36] = [
    "1980-01-01",
    "1981-02-02",
    "1982-03-03",
    "1983-04-04",
    "1984-05-05",
    "1985-06-06",
    "1986-07-07",
    "1987-08-08",
    "1988-09-09",
    "1989-10-10",
    "1991-11-11",
    "1992-12-12",
    "1993-01-13",
    "1994-02-14",
    "1995-03-15",
    "1996-04-16",
    "1997-05-17",
    "1998-06-18",
    "1999-07-19",
    "2000-08-20",
    "2001-09-21",
    "2002-10-22",
    "2003-11-23",
    "2004-12-24",
    "2005-12-25",
    "2006-02-26",
    "2007-03-27",
    "2008-04-28",
    "2024-02-29",
    "2038-01-30",
    "1999-12-31",
    "2000-01-01",
    "2001-01-01",
    "1990-04-01",
    "1989-10-13",
    "2099-12-31",
];

/// The same as conditions.
static ON_DATES: [Condition; DATES.len()] = {
    let mut conditions = [Condition { name: DATE, value: "", change: set_date }; DATES.len()];
    let mut number = 0;
    while number < DATES.len() {
        conditions[number].value = DATES[number];
        number += 1;
    }
    conditions
};

/// A slow user, for a program that reads the time.
static SLOW: [Condition; 1] =
    [Condition { name: "pace", value: "ten minutes before each key", change: |_, _| {} }];
const SLOW_MS: u64 = 600_000;

/// The condition of these.
pub(super) const DATE: &str = "date";

/// The date at power-on otherwise.
pub(super) const USUAL_DATE: &str = "1990-06-15";

/// Sets the date at power-on, and leaves the time of day.
fn set_date(setup: &mut Setup, date: &str) {
    if let Ok(DateTime { year, month, day, .. }) = format!("{date} 00:00:00").parse() {
        setup.config.start = DateTime { year, month, day, ..setup.config.start };
    }
}

impl Start {
    /// Returns the initial states for a scope, the default first. `oldest` is the oldest processor of
    /// the game, here and below.
    pub(super) fn of(scope: Scope, more: More, oldest: Model) -> Vec<Start> {
        let [apart, groups] = [Start::apart(more, oldest), Start::groups(scope, oldest)];
        [vec![USUAL], apart, groups, Start::of_more(more)].concat()
    }

    /// Returns those with several changed conditions.
    pub(super) fn groups(scope: Scope, oldest: Model) -> Vec<Start> {
        if scope == Scope::Starts { groups(oldest).map(Start).to_vec() } else { Vec::new() }
    }

    /// Returns those with one changed condition, of the groups that are divided.
    pub(super) fn apart(more: More, oldest: Model) -> Vec<Start> {
        let groups = groups(oldest).into_iter().zip(more.apart).filter(|(_, is_apart)| *is_apart);
        groups.flat_map(|(group, _)| group.chunks(1)).map(Start).collect()
    }

    /// Returns those for a program that reads the date or the time.
    pub(super) fn of_more(more: More) -> Vec<Start> {
        let dates = ON_DATES.chunks(1).filter(|_| more.dates);
        dates.chain(more.slow.then_some(&SLOW[..])).map(Start).collect()
    }

    /// Returns the values of a condition that are tried in addition to the usual one.
    pub(super) fn values(scope: Scope, more: More, oldest: Model, condition: &str) -> Vec<&'static str> {
        let starts = [Start::groups(scope, oldest), Start::of_more(more)].concat();
        let changed = starts.iter().flat_map(|start| start.0).filter(|changed| changed.name == condition);
        changed.map(|changed| changed.value).collect()
    }

    /// Returns the keys to type, from those of the scope.
    pub(super) fn keyboard(&self, of_scope: Keyboard, more: More) -> Keyboard {
        let has = |value: &str| self.0.iter().any(|condition| condition.value == value);
        let pause_ms = if has(SLOW[0].value) { SLOW_MS } else { 0 };
        of_scope.with_pairs(more.pairs).with_caps(has(CAPS.1)).with_pause(pause_ms)
    }

    /// Returns the program to explore. If every key is typed, ANSI.SYS is left out: it would take
    /// an echoed Esc, [ and a letter as a command, and store the numbers between them.
    pub(super) fn setup(&self, program: &[u8], file: &str, scope: Scope) -> Setup {
        let mut setup = Setup::new(program.to_vec(), file);
        setup.config.dos.no_ansi = scope == Scope::Keys;
        for condition in self.0 {
            (condition.change)(&mut setup, condition.value);
        }
        setup
    }

    pub(super) fn is_usual(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, Condition { name, value, .. }) in self.0.iter().enumerate() {
            write!(f, "{}{name} {value}", if number > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

fn groups(oldest: Model) -> [&'static [Condition]; GROUP_COUNT] {
    if oldest == Model::I8086 { GROUPS_OF_8086 } else { GROUPS }
}

fn variables() -> Vec<(String, String)> {
    (0..20).map(|number| (format!("VARIABLE{number}"), format!("value {number}").repeat(4))).collect()
}

/// Returns a variable for each word in a program: the names that it can look for are among them.
fn words_of(program: &[u8]) -> Vec<(String, String)> {
    /// The environment has room for them.
    const MOST: usize = 1000;
    const SHORTEST: usize = 2;
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words = program.split(|byte| !is_of_word(byte)).filter(|word| word.len() >= SHORTEST);
    let names: BTreeSet<String> =
        words.map(|word| String::from_utf8_lossy(word).to_ascii_uppercase()).collect();
    names.into_iter().take(MOST).map(|name| (name, "1".to_owned())).collect()
}

/// Returns the actions for a lock key pressed once while the program waits for its first key.
fn pressed(name: &str) -> Vec<Act> {
    name.parse::<Key>().map(Act::Key).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_a_program_is_a_variable_once() {
        let named = words_of(b"\x90Path\0path x=CHEAT_2$");
        let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["CHEAT_2", "PATH"]);
    }

    #[test]
    fn groups_change_each_condition_once_and_apart_one_by_one() {
        let changed: Vec<_> = Start::groups(Scope::Starts, Model::I386)
            .iter()
            .flat_map(|group| group.0)
            .map(|c| (c.name, c.value))
            .collect();
        assert_eq!(changed.iter().collect::<BTreeSet<_>>().len(), changed.len(), "{changed:?}");
        let starts = |apart| Start::of(Scope::Starts, More { apart, ..More::default() }, Model::I386);
        let apart = starts([false, true]);
        assert_eq!(starts([false, false]).len(), 3);
        assert_eq!(apart.len(), 3 + SECOND.len());
        assert_eq!(apart[1].to_string(), "environment a variable for each word in the program");
        assert!(apart[1..=SECOND.len()].iter().all(|start| start.0.len() == 1));
    }

    #[test]
    fn the_dates_have_every_day_month_and_day_of_the_week() {
        let dates: Vec<DateTime> = DATES.map(|date| format!("{date} 00:00:00").parse().expect(date)).to_vec();
        let count = |part: fn(&DateTime) -> u8| dates.iter().map(part).collect::<BTreeSet<_>>().len();
        assert_eq!((count(|date| date.day), count(|date| date.month), count(DateTime::weekday)), (31, 12, 7));
    }
}
