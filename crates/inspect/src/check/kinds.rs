//! The kinds of mistakes, and the option that selects them.

use std::fmt;
use std::str::FromStr;

/// A kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// DS still points to the PSP instead of the program's data.
    Memory,
    /// The stack wrapped or was emptied, or RET and CALL do not match.
    Stack,
    /// A register or flag changed by a call or service is used as if it were unchanged.
    Calls,
    /// A service fails unnoticed or has invalid arguments; an interrupt routine or vector is wrong.
    Services,
    /// A LOOP was executed with CX = 0.
    Arithmetic,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Memory, Kind::Stack, Kind::Calls, Kind::Services, Kind::Arithmetic];

    /// Returns the name in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Memory => "memory",
            Kind::Stack => "stack",
            Kind::Calls => "calls",
            Kind::Services => "services",
            Kind::Arithmetic => "arithmetic",
        }
    }
}

/// A set of kinds.
///
/// ```
/// use oxbox_inspect::Kinds;
///
/// assert_eq!("all".parse::<Kinds>()?, Kinds::ALL);
/// assert_ne!("-stack".parse::<Kinds>()?, Kinds::ALL);
/// assert_eq!("calls,stack".parse::<Kinds>()?, "stack,calls".parse()?);
/// assert!("stakc".parse::<Kinds>().is_err());
/// # Ok::<(), oxbox_inspect::UnknownKind>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// All kinds.
    pub const ALL: Kinds = Kinds(0b1_1111);

    /// Returns whether the set contains a kind.
    pub fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 != 0
    }
}

impl FromStr for Kinds {
    type Err = UnknownKind;

    /// Parses names with commas: `stack,calls` are these two, `-stack` all but one, `all` all.
    fn from_str(text: &str) -> Result<Kinds, UnknownKind> {
        let mut kinds = Kinds(if text.starts_with('-') { Kinds::ALL.0 } else { 0 });
        for word in text.split(',') {
            let (name, is_off) = word.strip_prefix('-').map_or((word, false), |name| (name, true));
            let bits = match Kind::ALL.iter().find(|kind| kind.name() == name) {
                Some(kind) => 1 << *kind as u8,
                None if name == "all" => Kinds::ALL.0,
                None => return Err(UnknownKind(name.to_owned())),
            };
            kinds.0 = if is_off { kinds.0 & !bits } else { kinds.0 | bits };
        }
        Ok(kinds)
    }
}

/// An unknown kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKind(String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        write!(f, "'{}' is not a kind of check; use all, {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownKind {}
