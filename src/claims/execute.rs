//! Executes a game's DOS program in the machine, together with its native twin.

use crate::games::{self, Game};
use oxbox_machine::hardware::speaker::{self, Note};
use oxbox_machine::machine::{Config, Key, Machine, Stop, Until};
use oxbox_proof::engine::Outcome;
use oxbox_proof::verify::{GameReport, Twin, difference};
use oxbox_proof::walk::{ProgramUnderTest, Setup};
use std::fmt::Display;

fn built_in(game: &str) -> Result<&'static Game, String> {
    games::find(game).ok_or_else(|| "the game is not built in".to_owned())
}

/// Starts the DOS program of `game` without a twin.
fn machine(game: &str) -> Result<Machine, String> {
    let game = built_in(game)?;
    Machine::start(&Config::default(), game.program, game.file, "").map_err(not_started)
}

fn not_started(error: impl Display) -> String {
    format!("its program does not start: {error}")
}

/// Starts the DOS program of `game`, and records its sounds. Fails with a sentence if the program does
/// not start.
pub(super) fn start(game: &str) -> Result<ProgramUnderTest, String> {
    let game = built_in(game)?;
    let setup = Setup::new(game.program.to_vec(), game.file);
    ProgramUnderTest::start_recording(&setup).map_err(not_started)
}

/// Types the keys to `game` and its twin. Returns the game's outcome, or the difference.
pub(super) fn execute(game: &str, twin: &mut dyn Twin, keys: &[u8]) -> Result<Option<Outcome>, String> {
    let mut program = start(game)?;
    program.press(keys);
    keys.iter().for_each(|&key| twin.press(key));
    match difference(twin, &mut program) {
        Some(what) => Err(format!("its program differs from its twin: {what}")),
        None => Ok(twin.outcome()),
    }
}

/// Executes every line of play of `game` together with its twin, as `oxbox verify` does. Fails with
/// a sentence if the program does not start, or its display differs from the twin's.
pub(super) fn every_line(game: &str) -> Result<GameReport, String> {
    let game = built_in(game)?;
    let report = game.verify(game.program, game.file, |_| {}).map_err(|error| error.to_string())?;
    match report.divergences {
        0 => Ok(report),
        count => Err(format!("the program differs from its twin at {count} positions")),
    }
}

/// Returns the notes since the last key.
pub(super) fn heard(program: &ProgramUnderTest) -> &[Note] {
    program.performance().map_or(&[], |played| &played.notes)
}

/// Returns the exit code of the program of `game` after keys that end it; `None` if it has not
/// ended. Fails like [`start`].
pub(super) fn exit_code(game: &str, keys: &str) -> Result<Option<u8>, String> {
    let mut machine = machine(game)?;
    match machine.type_text(keys, &Until::KEY_WAIT) {
        Ok(Stop::Exited(code)) => Ok(Some(code)),
        Ok(_) => Ok(None),
        Err(error) => Err(format!("{error:?}")),
    }
}

/// Whether the speaker sounds within 300 ms of the last of some keys. The BEL of DOS continues
/// while the program waits. Fails like [`start`].
pub(super) fn sounds(game: &str, before: &str, last: char) -> Result<bool, String> {
    const LISTEN_NS: u64 = 300_000_000;
    let mut machine = machine(game)?;
    machine.type_text(before, &Until::KEY_WAIT).map_err(|error| format!("{error:?}"))?;
    machine.take_sound();
    machine.type_key(Key::typing(last).ok_or("no key types this character")?);
    let end = machine.cycle_at_nanoseconds(machine.nanoseconds() + LISTEN_NS);
    machine.run(&Until::cycle(end), &mut ());
    Ok(!speaker::notes(&machine.take_sound()).is_empty())
}

/// Returns the number of different consecutive pictures between the start of a program and its wait
/// after the last of some keys, checked every 20 ms, and the virtual time that has passed in ms.
/// Fails like [`start`].
pub(super) fn pictures(game: &str, keys: &str) -> Result<(usize, u64), String> {
    /// Time between two checks in ns, the same as for `--gif`.
    const LOOK_NS: u64 = 20_000_000;
    let mut machine = machine(game)?;
    let mut keys = keys.chars().filter_map(Key::typing);
    let (mut count, mut last, mut since) = (0, None, u64::MAX);
    let mut look = |machine: &Machine| {
        // A blinking cursor does not make a new picture.
        let frame = machine.still_frame();
        // Pictures count from the mode that the game uses.
        let size = (frame.width, frame.height);
        if last.as_ref().is_none_or(|(before, _)| *before != size) {
            count = 0;
        }
        let picture = Some((size, frame.pixels));
        // Changes within the same hundredth of a second belong to the next picture, as in a GIF.
        let now = machine.nanoseconds() / 10_000_000;
        if frame.width > 0 && picture != last && now != since {
            (count, last, since) = (count + 1, picture, now);
        }
    };
    loop {
        let frame = machine.cycle_at_nanoseconds((machine.nanoseconds() / LOOK_NS + 1) * LOOK_NS);
        match machine.run(&Until { key_wait: true, ..Until::cycle(frame) }, &mut ()) {
            Stop::Cycle => look(&machine),
            Stop::KeyWait => {
                look(&machine);
                match keys.next() {
                    Some(key) => machine.type_key(key),
                    None => break,
                }
            }
            _ => return Err("the program does not wait for a key".to_owned()),
        }
    }
    Ok((count, machine.nanoseconds() / 1_000_000))
}
