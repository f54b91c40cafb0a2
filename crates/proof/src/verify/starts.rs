//! The initial states of the machine from which a proof explores.

use super::keys::Scope;
use crate::walk::choices::Act;
use crate::walk::{Filling, Setup};
use oxbox_cpu::Model;
use oxbox_machine::machine::Key;
use std::fmt;

#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) condition: &'static str,
    /// The value of the condition; empty for the default machine.
    pub(super) value: &'static str,
    change: fn(&mut Setup),
}

/// The default machine.
pub(super) const USUAL: Start = Start { condition: "", value: "", change: |_| {} };

/// The others, with one changed condition each.
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

/// Caps Lock, which exchanges the case of letters.
const CAPS: (&str, &str, &str) = ("lock_keys", "Caps Lock", "CAPSLOCK");

impl Start {
    /// Returns the initial states for a scope, the default first.
    pub(super) fn of(scope: Scope) -> Vec<Start> {
        let others = if scope == Scope::Starts { &OTHERS[..] } else { &[] };
        [&[USUAL], others].concat()
    }

    /// Returns the program to explore. If every key is typed, ANSI.SYS is left out: it would take
    /// an echoed Esc, [ and a letter as a command, and store the numbers between them.
    pub(super) fn setup(&self, program: &[u8], file: &str, scope: Scope) -> Setup {
        let mut setup = Setup::new(program.to_vec(), file);
        setup.config.dos.no_ansi = scope == Scope::Keys;
        (self.change)(&mut setup);
        setup
    }

    pub(super) fn is_usual(&self) -> bool {
        self.condition.is_empty()
    }

    /// Returns whether the case of letters is exchanged.
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

/// Returns the actions for a lock key pressed once while the program waits for its first key.
fn pressed(name: &str) -> Vec<Act> {
    name.parse::<Key>().map(Act::Key).into_iter().collect()
}
