//! The kinds of mistakes, and the words that choose among them.

use std::fmt;
use std::str::FromStr;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// DS still points to the PSP where the program's data are meant.
    Memory,
    /// The stack wrapped, more was taken from it than was put there, or RET and CALL do not fit each other.
    Stack,
    /// What a call or a service has left in a register or a flag is used as if it had not been called.
    Calls,
    /// A service failed and nobody looked, cannot do what is meant, or an interrupt's routine or vector is not as it must be.
    Services,
    /// A LOOP was executed with CX = 0.
    Arithmetic,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Memory, Kind::Stack, Kind::Calls, Kind::Services, Kind::Arithmetic];

    /// The name as options and messages have it.
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

/// The kinds of mistakes that are looked for.
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
    /// All of them.
    pub const ALL: Kinds = Kinds(0b1_1111);

    /// Whether a kind is looked for.
    pub fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 != 0
    }
}

impl FromStr for Kinds {
    type Err = UnknownKind;

    /// Reads names between commas: `stack,calls` are these two, `-stack` is all but one, `all` is all.
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

/// A word that names no kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKind(String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        write!(f, "'{}' is not checked; use all, {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownKind {}
