//! `oxbox tune`: plays a sound of a game, as produced by the game itself.

use std::io::Write;
use std::path::Path;

use crate::frontend;
use crate::frontend::wav::WavWriter;
use oxbox::games::Game;
use oxbox::hardware::PIT_HZ;
use oxbox::hardware::Wave;
use oxbox::hardware::speaker::{Note, Response, Segment, notes};

use super::arguments::{GuestOptions, Tune};
use super::failure::Failure;
use super::{guest, outputs, pages, play};

/// A longer rest separates two sounds: 200 ms in ticks of the timer.
const BETWEEN_SOUNDS: u64 = PIT_HZ / 5;

/// Silence after a sound, in which the filter decays: 20 ms in ticks of the timer.
const TAIL: u64 = PIT_HZ / 50;

/// Plays or writes a sound of a game, and prints its notes; without a sound lists those of the
/// game.
pub(super) fn run(options: &Tune) -> Result<u8, Failure> {
    let game = play::find(&options.game)?;
    let Some(sound) = &options.sound else { return list(game) };
    let segments = record(game, keys_to(game, sound)?)?;
    let notes = notes(&segments);
    outputs::check(&[options.wav.as_deref(), options.svg.as_deref()], &[])?;
    // The files first: the reader of the notes may close the pipe before their end.
    if let Some(path) = &options.wav {
        write_wav(path, &segments, options.speaker.map_or(Response::Raw, Into::into))?;
    }
    if let Some(path) = &options.svg {
        outputs::write(path, pages::piano_roll::draw(&format!("{} {sound}", game.name), &notes))?;
    }
    write_notes(&notes)?;
    if options.wav.is_none() && options.svg.is_none() {
        frontend::play_sound(&segments, options.speaker.map_or(Response::Filtered, Into::into));
    }
    Ok(0)
}

/// Prints one line per sound: its name, and the keys that lead to it.
fn list(game: &Game) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    if game.sounds.is_empty() {
        writeln!(out, "{} has no sounds", game.name)?;
    }
    for (sound, keys) in game.sounds {
        writeln!(out, "{sound:<10}oxbox tune {} {sound}, in the game after \"{keys}\"", game.name)?;
    }
    Ok(0)
}

/// Returns the keys after the last of which the sound is heard.
fn keys_to(game: &Game, sound: &str) -> Result<&'static str, Failure> {
    if let Some((_, keys)) = game.sounds.iter().find(|(name, _)| name.eq_ignore_ascii_case(sound)) {
        return Ok(keys);
    }
    let known: Vec<&str> = game.sounds.iter().map(|(name, _)| *name).collect();
    Err(Failure::Usage(match known.as_slice() {
        [] => format!("{} has no sounds", game.name),
        _ => format!("{} has no sound '{sound}' (it has {})", game.name, known.join(", ")),
    }))
}

/// Plays the game headless and records the last sound up to the next wait.
fn record(game: &Game, keys: &str) -> Result<Vec<Segment>, Failure> {
    let options = GuestOptions { keys: Some(keys.to_owned()), ..GuestOptions::default() };
    let mut session = guest::prepare(&play::guest_of(game), &options)?.session;
    session.host.outputs.kept = Some(Vec::new());
    session.run_through();
    let segments = session.host.outputs.kept.take().unwrap_or_default();
    let notes = notes(&segments);
    let pauses =
        notes.windows(2).rposition(|pair| pair[1].start - (pair[0].start + pair[0].ticks) > BETWEEN_SOUNDS);
    let first = notes.get(pauses.map_or(0, |index| index + 1)).map_or(0, |note| note.start);
    let last = notes.last().map_or(0, |note| note.start + note.ticks);
    let mut sound: Vec<_> = segments.into_iter().filter(|s| s.to > first && s.from < last).collect();
    sound.push(Segment { from: last, to: last + TAIL, wave: Wave::Steady(false), tone: None });
    Ok(sound)
}

/// Prints one line per note: start, length, pitch.
fn write_notes(notes: &[Note]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:>10}{:>10}{:>10}{:>10}", "start ms", "ms", "Hz", "divisor")?;
    let start = notes.first().map_or(0.0, Note::start_ms);
    for note in notes {
        let (at, ms) = (note.start_ms() - start, note.length_ms());
        writeln!(out, "{at:>10.2}{ms:>10.2}{:>10.2}{:>9X}h", note.hertz(), note.divisor)?;
    }
    Ok(())
}

fn write_wav(path: &Path, segments: &[Segment], response: Response) -> Result<(), Failure> {
    let cannot = |error| Failure::unwritten(path, error);
    let start = segments.first().map_or(0, |segment| segment.from);
    let mut wav = WavWriter::starting_at(path, start, response).map_err(cannot)?;
    wav.write(segments).map_err(cannot)?;
    wav.finish().map_err(cannot)
}
