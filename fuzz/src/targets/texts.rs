//! Files written by people: read, or refused with a line.

use oxbox::inspect::expression::Expression;
use oxbox::machine::Script;
use oxbox::suite::Suite;
use oxbox::toolchain::debug_file;
use oxbox::walk::{Choices, choices};
use std::path::Path;

/// Scripts: the result of reading is the same after writing and reading again.
pub(crate) fn script(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(script) = text.parse::<Script>() {
        let written = script.to_string();
        let again: Script = written.parse().unwrap_or_else(|error| panic!("{error} in {written:?}"));
        let actions =
            |script: &Script| script.steps.iter().map(|step| step.action.clone()).collect::<Vec<_>>();
        assert_eq!(actions(&script), actions(&again), "{written:?}");
    }
}

/// Test suites.
pub(crate) fn suite(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Err(error) = Suite::parse(Path::new("/no/such/folder/suite.toml"), &text) {
        assert!(!error.to_string().is_empty());
    }
}

/// Debug information, maps, listings, and linkers' tables in EXE files.
pub(crate) fn symbols(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let own = debug_file::read(&text).ok().map(|found| {
        found.is_of(input);
        found.symbols
    });
    let listing = debug_file::is_listing(&text)
        .then(|| debug_file::read_listing(&text, "a.lst", Some(("a.asm", &text)), input).ok());
    for symbols in [own, listing.flatten(), debug_file::embedded(input)].into_iter().flatten() {
        for symbol in symbols.symbols() {
            symbols.find(&symbol.name);
        }
        for address in (0..0x11_0000).step_by(0x333) {
            symbols.line_at(address);
        }
    }
}

/// Keys, choices, numbers and conditions.
pub(crate) fn words(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let _ = Script::from_keys(&text);
    let _ = Choices::from_words(&text);
    let _ = Choices::from_lines(&text);
    let _ = choices::acts(&text);
    let _ = text.parse::<Expression>();
}
