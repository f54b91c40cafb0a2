//! The ways in which a program may find the machine, and which of them a proof walks from.

use super::keys::Scope;
use crate::walk::choices::Act;
use crate::walk::{Filling, Setup};
use oxbox_cpu::Model;
use oxbox_machine::machine::Key;
use std::fmt;

/// A way in which a program may find the machine.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// What it is about, as the statement names it.
    pub(super) condition: &'static str,
    /// What holds; nothing for the machine as it is by default.
    pub(super) value: &'static str,
    change: fn(&mut Setup),
}

/// The machine as it is by default.
pub(super) const USUAL: Start = Start { condition: "", value: "", change: |_| {} };

/// The other ways, one condition changed in each.
const OTHERS: [Start; 9] = [
    Start {
        condition: "arguments",
        value: "/? 5 x",
        change: |setup| " /? 5 x".clone_into(&mut setup.arguments),
    },
    Start {
        condition: "environment",
        value: "twenty variables more",
        change: |setup| setup.config.dos.environment = variables(),
    },
    Start { condition: "memory", value: "FFh", change: |setup| setup.filling = Some(Filling::Byte(0xFF)) },
    Start { condition: "memory", value: "noise", change: |setup| setup.filling = Some(Filling::Noise) },
    Start { condition: CAPS.0, value: CAPS.1, change: |setup| setup.opening = pressed(CAPS.2) },
    Start { condition: "lock_keys", value: "Num Lock", change: |setup| setup.opening = pressed("NUMLOCK") },
    Start {
        condition: "ansi",
        value: "ANSI.SYS not loaded",
        change: |setup| setup.config.dos.no_ansi = true,
    },
    Start { condition: "processor", value: "486", change: |setup| setup.config.model = Model::I486 },
    Start { condition: "processor", value: "586", change: |setup| setup.config.model = Model::I586 },
];

/// Caps Lock, after which letters come in the other case.
const CAPS: (&str, &str, &str) = ("lock_keys", "Caps Lock", "CAPSLOCK");

impl Start {
    /// The ways that a scope walks from; the usual one comes first.
    pub(super) fn of(scope: Scope) -> Vec<Start> {
        let others = if scope == Scope::Starts { &OTHERS[..] } else { &[] };
        [&[USUAL], others].concat()
    }

    /// What to walk over. Where every key is typed, ANSI.SYS is left out: it would take what a program repeats of Esc, [ and a
    /// letter as a command, and keep the numbers between them.
    pub(super) fn setup(&self, program: &[u8], file: &str, scope: Scope) -> Setup {
        let mut setup = Setup::new(program.to_vec(), file);
        setup.config.dos.no_ansi = scope == Scope::Keys;
        (self.change)(&mut setup);
        setup
    }

    /// The machine as it is by default.
    pub(super) fn is_usual(&self) -> bool {
        self.condition.is_empty()
    }

    /// Whether letters come in the other case.
    pub(super) fn has_caps(&self) -> bool {
        self.value == CAPS.1
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.condition, self.value)
    }
}

fn variables() -> Vec<(String, String)> {
    (0..20).map(|number| (format!("VARIABLE{number}"), format!("value {number}").repeat(4))).collect()
}

/// A lock key, pressed once while the program waits for its first key.
fn pressed(name: &str) -> Vec<Act> {
    name.parse::<Key>().map(Act::Key).into_iter().collect()
}
