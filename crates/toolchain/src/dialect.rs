//! Assembler dialects: detection of a source's dialect, and rewriting for UASM.
//!
//! Every rewrite keeps line numbers, so that messages, listings and debug information refer to the
//! user's lines. Additions go to a prelude before the source, or after its last line.

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
pub(crate) use sizes::{inverted, sized, supposed};
pub(crate) use statements::{FAR_JUMP, far_jump};

/// A source and its includes, rewritten for UASM.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Adapted {
    /// The text that UASM reads first.
    pub(crate) prelude: String,
    pub(crate) source: String,
    /// The includes, in the order in which they were passed.
    pub(crate) included: Vec<String>,
    /// Warnings, each with its source line.
    pub(crate) warnings: Vec<(u32, String)>,
    /// Renamed words in lower case. [`names::restored`] reverses this.
    pub(crate) renamed: BTreeSet<String>,
}

/// Adds only what emu8086 permits to omit and UASM requires. Every source is first tried like this.
pub(crate) fn completed(source: &str, included: &[String]) -> Option<Adapted> {
    let adapted = emu8086::adapt(source, &included.concat())?;
    let included = included.to_vec();
    Some(Adapted { prelude: adapted.prelude, source: adapted.text, included, ..Adapted::default() })
}

/// Rewrites a source in another dialect for UASM.
pub(crate) fn adapt(dialect: Dialect, source: &str, included: &[String]) -> Adapted {
    let is_ideal = dialect == Dialect::Ideal;
    let mut prelude = String::new();
    let convert = |text: &str, starts_ideal: bool, file: usize, prelude: &mut String| {
        let converted = ideal::convert(text, starts_ideal, file);
        prelude.push_str(&converted.prelude);
        converted.text
    };
    // A file in ideal mode says so at its top, or nowhere if it is included.
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
