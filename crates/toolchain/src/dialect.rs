//! The assemblers' dialects: which one a source is written in, told by its words, and its lines in the words of UASM.
//!
//! Every rewrite keeps lines where they are, so that messages, listings and debug information name the user's own lines. What is
//! added stands in a prelude before the source, or behind its last line.

mod emu8086;
mod evidence;
pub(crate) mod fasm;
mod ideal;
pub(crate) mod line;
pub(crate) mod names;
mod sizes;
mod statements;
mod structure;
pub(crate) mod words;

use std::collections::BTreeSet;

use crate::reading::Dialect;

pub(crate) use evidence::of;
pub(crate) use sizes::{sized, supposed};
pub(crate) use statements::{FAR_JUMP, far_jump};

/// A source and the files that it includes, in UASM's words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Adapted {
    /// What UASM reads first.
    pub(crate) prelude: String,
    pub(crate) source: String,
    /// In the order of the files that were given.
    pub(crate) included: Vec<String>,
    /// Line of the source, and what is to be said of it.
    pub(crate) warnings: Vec<(u32, String)>,
    /// Words that got another spelling, in small letters: [`names::restored`] gives them back.
    pub(crate) renamed: BTreeSet<String>,
}

/// What emu8086 leaves out and UASM wants, alone: how every source is tried first.
pub(crate) fn completed(source: &str, included: &[String]) -> Option<Adapted> {
    let adapted = emu8086::adapt(source, &included.concat())?;
    let included = included.to_vec();
    Some(Adapted { prelude: adapted.prelude, source: adapted.text, included, ..Adapted::default() })
}

/// A source in another assembler's dialect, in UASM's words.
pub(crate) fn adapt(dialect: Dialect, source: &str, included: &[String]) -> Adapted {
    let is_ideal = dialect == Dialect::Ideal;
    let mut prelude = String::new();
    let convert = |text: &str, starts_ideal: bool, file: usize, prelude: &mut String| {
        let converted = ideal::convert(text, starts_ideal, file);
        prelude.push_str(&converted.prelude);
        converted.text
    };
    // A whole file in ideal mode says so at its top, or nowhere when it is included.
    let starts_ideal = is_ideal && !evidence::says_ideal(source);
    let source = convert(source, starts_ideal, 0, &mut prelude);
    let included: Vec<String> =
        (1..).zip(included).map(|(file, text)| convert(text, is_ideal, file, &mut prelude)).collect();
    let main = structure::mend(&source, true);
    let included: Vec<String> = included.iter().map(|text| structure::mend(text, false).text).collect();
    let (mut before, mut text) = (main.prelude, main.text);
    if let Some(adapted) = emu8086::adapt(&text, &included.concat()) {
        before = adapted.prelude + &before;
        text = adapted.text;
    }
    text = structure::ended(&text).unwrap_or(text);
    let mut names = names::Names::default();
    for text in [&before, &prelude, &text].into_iter().chain(&included) {
        names.add(text);
    }
    Adapted {
        prelude: names.prelude() + &before + &names.rename(&prelude),
        source: names.rename(&text),
        included: included.iter().map(|text| names.rename(text)).collect(),
        warnings: main.warnings,
        renamed: names.renamed().into_iter().map(str::to_owned).collect(),
    }
}
