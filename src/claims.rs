//! The claims of the documents about the five systems, and the results of checking them.
//!
//! A [`Claim`] is data and a function: the sentence, its source, the command that shows it, and the
//! check, which computes its [`Finding`] on demand. Nothing is stored; the same program gives the
//! same table.

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

/// The way in which a claim has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// The DOS program was run in the machine.
    Executed,
    /// A native model of the program, the algorithm or the chip was run.
    Modelled,
    /// The document was read: the figure compares its own statements, or the original program,
    /// which is not part of this project.
    Read,
}

impl Shown {
    /// Returns the word for people.
    pub fn label(self) -> &'static str {
        match self {
            Shown::Executed => "executed",
            Shown::Modelled => "modelled",
            Shown::Read => "read",
        }
    }
}

/// The result of checking a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The claim is true.
    Holds,
    /// A part of the claim is true.
    InPart,
    /// The claim is false.
    Fails,
    /// The document leaves the question open; the finding answers it.
    Answered,
    /// The published material does not answer the question.
    Open,
}

impl Verdict {
    /// Returns a word or two for people.
    pub fn label(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::InPart => "in part",
            Verdict::Fails => "fails",
            Verdict::Answered => "answered",
            Verdict::Open => "open",
        }
    }

    /// Returns `Holds` if all of `count` hold, `Fails` if none does, otherwise `InPart`.
    fn share(holding: usize, count: usize) -> Verdict {
        match holding {
            _ if holding == count => Verdict::Holds,
            0 => Verdict::Fails,
            _ => Verdict::InPart,
        }
    }

    fn of(holds: bool) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the claim is true.
    pub verdict: Verdict,
    /// The figure that supports the verdict, as a sentence.
    pub figure: String,
    /// The components of the figure, one per line.
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
    /// The system or the game that it concerns.
    pub system: &'static str,
    /// The document's statement, in our words.
    pub claim: &'static str,
    /// Its place in the document.
    #[serde(rename = "where")]
    pub place: &'static str,
    /// The way in which it was checked.
    pub shown: Shown,
    /// The command that shows the result.
    pub command: &'static str,
    /// Computes the result.
    #[serde(skip)]
    pub check: fn() -> Finding,
}

/// A claim with the result of its check: a row of the table.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// The result.
    #[serde(flatten)]
    pub finding: Finding,
}

impl Claim {
    /// Computes the claim's row.
    pub fn check(&self) -> Row {
        Row { claim: *self, finding: (self.check)() }
    }
}

/// Returns every claim, system by system.
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

/// Returns the claim with this name, in any case.
pub fn find(name: &str) -> Option<&'static Claim> {
    all().find(|claim| claim.name.eq_ignore_ascii_case(name))
}

/// Formats a number with thousands separators.
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
