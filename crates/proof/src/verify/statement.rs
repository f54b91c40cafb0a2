//! Creates the coverage statement of a proof from the results of its explorations.

use super::beside::MOST_GAMES;
use super::covers::{Covers, Games, Open};
use super::effects::Effects;
use super::keys::Scope;
use super::part::More;
use super::screen::Screen;
use super::starts::{DATE, Start, USUAL_DATE};
use super::twin::Twin;
use oxbox_cpu::Model;
use oxbox_machine::machine::{Question, ReadSet, StateCategory};
use std::collections::BTreeMap;

pub(super) struct Shown<'a> {
    pub(super) scope: Scope,
    pub(super) effects: &'a Effects,
    /// The state observed before the program's first key, and after it.
    pub(super) at_start: &'a ReadSet,
    pub(super) kept: &'a ReadSet,
    /// Additions to the scope that were tried.
    pub(super) more: More,
    pub(super) is_cut_off: bool,
    pub(super) is_complete: bool,
    /// If not: the number of keys in a row of which all were tried.
    pub(super) keys_in_a_row: Option<usize>,
}

fn open(what: &str, why: &str) -> Open {
    Open { what: what.to_owned(), why: why.to_owned() }
}

pub(super) fn statement(twin: &dyn Twin, shown: &Shown<'_>) -> Covers {
    let mut not = Vec::new();
    if !shown.is_complete && !shown.is_cut_off {
        let observed = shown.at_start.categories().or(shown.kept.categories());
        let what = format!("more than {} keys in a row", shown.keys_in_a_row.unwrap_or_default());
        let why = if observed.has_endless_time() {
            "the program reads the time, which never repeats"
        } else {
            "the search stopped at its limit of states, or of divergences"
        };
        not.push(open(&what, why));
    }
    let typed_ahead = typed_ahead(shown, &mut not);
    keys_left(twin, shown, &mut not);
    channels_left(twin, &mut not);
    not.push(open(
        "other files on the drives, and another size of memory, display, mouse or version of DOS",
        "every run starts on the same machine",
    ));
    let games = if shown.is_cut_off { Games::Up(MOST_GAMES as usize) } else { Games::Closed };
    if shown.is_cut_off {
        not.push(open("more games in a row", "the program keeps data from game to game that never repeats"));
    }
    Covers {
        keys: shown.effects.classes(),
        key_count: shown.effects.len(),
        key_kinds: (shown.scope == Scope::Keys).then(|| shown.effects.alike()),
        typed_ahead,
        games,
        channels: channels(twin),
        starts: starts(twin, shown, &mut not),
        merging: merging(twin, shown),
        allowed: twin.leaves_open().iter().map(|(what, why)| open(what, why)).collect(),
        not,
    }
}

fn asks(shown: &Shown<'_>, question: Question) -> bool {
    shown.at_start.asks(question) || shown.kept.asks(question)
}

fn looks_at(shown: &Shown<'_>, category: StateCategory) -> bool {
    shown.at_start.categories().has(category) || shown.kept.categories().has(category)
}

/// A program that never checks for waiting keys receives the same ones, however early typed.
fn typed_ahead(shown: &Shown<'_>, not: &mut Vec<Open>) -> String {
    if !asks(shown, Question::KeysAhead) {
        not.push(open(
            "Ctrl+C typed ahead, and more than 15 keys",
            "DOS checks for Ctrl+C when it prints, and the BIOS buffer has 15 keys",
        ));
        return "any: no run checks for waiting keys".to_owned();
    }
    if shown.more.pairs {
        not.push(open("three keys typed ahead", "pairs were tried, one key of each kind after each key"));
        return "pairs".to_owned();
    }
    not.push(open("keys typed ahead", "the program checks for waiting keys, and they were not tried"));
    "none".to_owned()
}

fn keys_left(twin: &dyn Twin, shown: &Shown<'_>, not: &mut Vec<Open>) {
    const OWN: &str = "the game's own keys were tried, and some of each kind that it refuses";
    match (shown.scope, twin.sampling()) {
        (Scope::Sample, 1) | (Scope::Keys, _) => {}
        (Scope::Sample, positions) => {
            let why = format!(
                "{OWN}, and every key in one of {positions} positions; use --every-key to try all in each"
            );
            not.push(open("other keys in other positions", &why));
        }
        _ => not.push(open("other keys", &format!("{OWN}; use --every-key to try all"))),
    }
    if shown.scope == Scope::Sample && twin.prints() {
        not.push(open(
            "Esc",
            "the program prints it, and ANSI.SYS reads a command after it; use --every-key",
        ));
    }
    if matches!(shown.scope, Scope::Sample | Scope::Keys) {
        not.push(open("other keys after Pause", "Pause was followed by Space, which ends it"));
    }
    not.push(open("keys held down, the mouse", "each key is pressed and released"));
}

/// Returns the channels by name, and whether they are compared.
fn channels(twin: &dyn Twin) -> BTreeMap<&'static str, bool> {
    let screen = twin.screen();
    let is_text = matches!(screen, Screen::Text(_));
    let colours = matches!(&screen, Screen::Text(text) if text.attributes.is_empty());
    let hears = twin.tunes().is_some();
    BTreeMap::from([
        ("screen", true),
        ("attributes", !colours),
        ("palette", true),
        ("cursor", is_text),
        ("font", true),
        ("screens_between_waits", hears),
        ("sound", hears),
        ("timing", hears),
        ("output", !twin.prints()),
        ("clock", true),
        ("devices", true),
        ("files", true),
        ("exit", twin.exit_code().is_some()),
        ("vectors", true),
        ("video_mode", true),
        ("memory_freed", true),
        ("settings", true),
    ])
}

fn channels_left(twin: &dyn Twin, not: &mut Vec<Open>) {
    if twin.prints() {
        not.push(open("redirected output", "printed text is compared on the screen"));
    }
}

/// Returns the initial conditions, and the values for which the proof holds.
fn starts(twin: &dyn Twin, shown: &Shown<'_>, not: &mut Vec<Open>) -> BTreeMap<&'static str, String> {
    const NEVER: &str = "never read";
    let mut starts = BTreeMap::new();
    let reads_time = shown.at_start.categories().or(shown.kept.categories()).has_time();
    let clock = match (reads_time, shown.effects.tries_clock) {
        (true, _) if shown.more.slow => {
            not.push(open("other dates and times", "the program reads the clock"));
            "tried: keys typed at once; keys typed after ten minutes".to_owned()
        }
        (true, _) => {
            not.push(open("other dates and times", "the program reads the clock"));
            "one date and time".to_owned()
        }
        (false, true) => "tried: 8 classes of the tick count".to_owned(),
        (false, false) => NEVER.to_owned(),
    };
    starts.insert("clock", clock);
    let reads_date = looks_at(shown, StateCategory::Date) || looks_at(shown, StateCategory::Clock);
    if reads_date {
        not.push(open("other dates", "the program reads the date"));
    }
    let date = match (reads_date, shown.more.dates) {
        (false, _) => NEVER.to_owned(),
        (true, true) => format!("tried: {}", values_of(twin, shown, DATE, USUAL_DATE)),
        (true, false) => format!("one: {USUAL_DATE}"),
    };
    starts.insert(DATE, date);
    let reads_screen = looks_at(shown, StateCategory::Screen);
    if reads_screen {
        not.push(open("a different screen at the start", "the program reads video memory"));
    }
    let reads_cursor = looks_at(shown, StateCategory::Cursor);
    if reads_cursor {
        not.push(open("another position of the cursor at the start", "the program asks for it"));
    }
    let screen = match (reads_screen, reads_cursor) {
        (true, _) => "one: empty",
        (false, true) => "never read; one position of the cursor",
        (false, false) => NEVER,
    };
    starts.insert("screen", screen.to_owned());
    let shift = if asks(shown, Question::ShiftKeys) { "one: none on" } else { NEVER };
    starts.insert("shift_keys", shift.to_owned());
    let usual = [
        ("arguments", "none"),
        ("environment", "COMSPEC, PATH, PROMPT"),
        ("memory", "00h until written"),
        ("lock_keys", "none"),
        ("ansi", if shown.scope == Scope::Keys { "ANSI.SYS not loaded" } else { "ANSI.SYS" }),
        ("processor", "386"),
    ];
    for (condition, value) in usual {
        starts.insert(condition, format!("tried: {}", values_of(twin, shown, condition, value)));
    }
    starts.insert("video_mode", "tried: 03h".to_owned());
    not.push(open("other video modes at the start", "every search starts in text mode 03h"));
    let on_8086 = shown.scope == Scope::Starts && twin.oldest_processor() == Model::I8086;
    not.push(match on_8086 {
        true => open("other processors", "the searches start with a 386, a 486 and an 8086"),
        false => open("processors before the 386", "every search starts with a 386 or a later one"),
    });
    if shown.scope != Scope::Starts {
        not.push(open(
            "other arguments, variables, memory contents, lock keys and processors at the start",
            "one of each was tried; use --starts to try more",
        ));
    } else {
        not.push(open(
            "a start with one of the changed conditions alone",
            "two searches change five or six of them together; if one finds a difference, others change each alone",
        ));
    }
    starts
}

/// Returns the values of a condition that were tried, its usual one first.
fn values_of(twin: &dyn Twin, shown: &Shown<'_>, condition: &str, usual: &'static str) -> String {
    let others = Start::values(shown.scope, shown.more, twin.oldest_processor(), condition);
    [&[usual], &others[..]].concat().join("; ")
}

/// Returns the conditions under which two places are merged.
fn merging(twin: &dyn Twin, shown: &Shown<'_>) -> Vec<String> {
    let mut rests = vec![
        "two positions are the same if the 128-bit hashes of the twin's state and of the state that the program can still read are equal".to_owned(),
        "bytes below the stack pointer are left out".to_owned(),
        "registers are left out if every run writes them before it reads them".to_owned(),
    ];
    if !shown.kept.categories().has_time() {
        rests.push("the clock is left out: no run reads it, except where every value is tried".to_owned());
    }
    let kept = |category| shown.kept.categories().has(category);
    if !kept(StateCategory::Clock) && (kept(StateCategory::Ticks) || kept(StateCategory::Timer)) {
        let instant = if kept(StateCategory::Timer) {
            "each wait is at the beginning of a timer tick and of a frame of the display"
        } else {
            "each wait is at the beginning of its timer tick: no run reads more than the number of ticks"
        };
        rests.push(instant.to_owned());
    }
    if !shown.kept.categories().has(StateCategory::Keyboard) {
        let position = if kept(StateCategory::Position) { "" } else { "position and " };
        rests.push(format!("the {position}old bytes of the keyboard buffer are left out: no run reads them"));
    }
    if !shown.kept.categories().has(StateCategory::LastByte) {
        rests.push("the last byte from the keyboard is left out: no run reads it again".to_owned());
    }
    if !shown.kept.categories().has(StateCategory::Insert) {
        rests.push("whether Insert is on is left out: no run reads it".to_owned());
    }
    if !twin.screen_tells() && !shown.kept.categories().has(StateCategory::Screen) {
        rests
            .push("lines that have scrolled off the screen are left out: no run reads the screen".to_owned());
    }
    rests
}
