//! What the documents about the five systems claim, and what running them shows.
//!
//! A [`Claim`] is data and a function: the sentence, where it stands, the command that shows it, and the check, which
//! computes its [`Finding`] when it is asked. Nothing is stored; the same program gives the same table.

mod chip;
mod chip_search;
mod course;
mod eecs2100;
mod execute;
mod grid18;
mod oxo;
mod relatives;
mod ttt1;

use serde::Serialize;

/// How a claim has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// The DOS program was run in the machine.
    Executed,
    /// A native model of the program, the algorithm or the chip was run.
    Modelled,
    /// The document was read: the figure compares its own words, or the original program, which is not part of this project.
    Read,
}

impl Shown {
    /// The word for people.
    pub fn label(self) -> &'static str {
        match self {
            Shown::Executed => "executed",
            Shown::Modelled => "modelled",
            Shown::Read => "read",
        }
    }
}

/// What has become of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is as the document says.
    Holds,
    /// Some of it is.
    InPart,
    /// It is not.
    Fails,
    /// The document leaves it open; this is the answer.
    Answered,
    /// What is published does not settle it.
    Open,
}

impl Verdict {
    /// A word or two for people.
    pub fn label(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::InPart => "in part",
            Verdict::Fails => "fails",
            Verdict::Answered => "answered",
            Verdict::Open => "open",
        }
    }

    /// Holds if all of `count` do, fails if none does.
    fn share(holding: usize, count: usize) -> Verdict {
        match holding {
            _ if holding == count => Verdict::Holds,
            0 => Verdict::Fails,
            _ => Verdict::InPart,
        }
    }

    /// Holds or fails.
    fn of(holds: bool) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

/// What a check has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the claim is true.
    pub verdict: Verdict,
    /// The figure that says so, in a sentence.
    pub figure: String,
    /// What the figure is made of, a line each.
    pub details: Vec<String>,
}

impl Finding {
    fn new(verdict: Verdict, figure: impl Into<String>) -> Finding {
        Finding { verdict, figure: figure.into(), details: Vec::new() }
    }

    fn with(self, details: impl IntoIterator<Item = impl Into<String>>) -> Finding {
        Finding { details: details.into_iter().map(Into::into).collect(), ..self }
    }
}

/// A claim of a document.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Claim {
    /// Its name on the command line.
    pub name: &'static str,
    /// The system that it is about, or the game.
    pub system: &'static str,
    /// What the document says, in our words.
    pub claim: &'static str,
    /// Where.
    #[serde(rename = "where")]
    pub place: &'static str,
    /// How it was checked.
    pub shown: Shown,
    /// The command that shows it.
    pub command: &'static str,
    /// Computes it.
    #[serde(skip)]
    pub check: fn() -> Finding,
}

/// A claim with what running it shows: a row of the table.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// What has been found.
    #[serde(flatten)]
    pub finding: Finding,
}

impl Claim {
    /// Computes the claim's row.
    pub fn check(&self) -> Row {
        Row { claim: *self, finding: (self.check)() }
    }
}

/// Every claim, system by system.
pub fn all() -> impl Iterator<Item = &'static Claim> {
    let systems = [
        ttt1::CLAIMS,
        eecs2100::CLAIMS,
        course::CLAIMS,
        grid18::CLAIMS,
        oxo::CLAIMS,
        chip::CLAIMS,
        chip_search::CLAIMS,
        relatives::CLAIMS,
    ];
    systems.into_iter().flatten()
}

/// The claim of that name, in any case.
pub fn find(name: &str) -> Option<&'static Claim> {
    all().find(|claim| claim.name.eq_ignore_ascii_case(name))
}

/// A number with its thousands set apart.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
