//! Compares everything shown and played between two waits with the twin.

use super::channel::{Channel, Difference};
use super::screen::{Screen, Text};
use super::twin::Twin;
use crate::engine::tune::Tune;
use crate::picture::Picture;
use crate::walk::performance::{Performance, Shot};
use oxbox_machine::hardware::clock::DEFAULT_SPEED;
use oxbox_machine::hardware::vga::cp437::{self, Controls};
use std::sync::Arc;

/// The output that a twin permits between two waits.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Step {
    /// The tunes in sequence; `None` if sound is not specified.
    pub(super) tunes: Option<Vec<Tune>>,
    /// The screen at the start of each tune, as far as the twin specifies it.
    at_tunes: Vec<Arc<Screen>>,
    /// Intermediate pictures in order: the first is from before the step, the last from after it.
    stages: Vec<Arc<Screen>>,
    /// The printed text; `None` if it is not specified.
    printed: Option<Vec<u8>>,
    /// The most virtual time without the tunes, in ms.
    drawing_ms: u64,
}

impl Step {
    /// Creates a step before any key, with the screen `before`.
    pub(super) fn from(before: Arc<Screen>) -> Step {
        Step { tunes: Some(Vec::new()), printed: Some(Vec::new()), stages: vec![before], ..Step::default() }
    }

    /// Adds a pause of the machine, which changes nothing.
    pub(super) fn then_pause(&mut self) {
        /// The time that the BIOS takes for the two keys, in ms.
        const TAKES_MS: u64 = 10;
        self.drawing_ms += TAKES_MS;
    }

    /// Adds the effect of the second byte of an extended code, which the program reads at once. The
    /// BIOS sounds a bell while the program continues: a bell for the second byte prolongs that of
    /// the first, the first picture taken during a bell shows both bytes, and the end of the program
    /// cuts a bell off.
    pub(super) fn then_at_once(&mut self, twin: &dyn Twin, screen: Arc<Screen>) {
        self.at_tunes.clear();
        if twin.ended() {
            self.tunes = None;
        }
        if let (Some([tune]), Some(all)) = (twin.tunes(), &mut self.tunes)
            && all.last() == Some(tune)
            && tune.beeps.len() == 1
        {
            all.pop();
        }
        self.then(twin, screen);
    }

    /// Adds the effect of a character on the twin, whose screen is now `screen`.
    pub(super) fn then(&mut self, twin: &dyn Twin, screen: Arc<Screen>) {
        let at_tunes = twin.screens_at_tunes(&screen);
        self.stages.extend(twin.stages(&at_tunes));
        match (twin.tunes(), &mut self.tunes) {
            (Some([]), Some(_)) => {}
            (Some(tunes), Some(all)) => {
                // After a tune with an unspecified screen, all further ones are unspecified, too.
                if self.at_tunes.len() == all.len() {
                    self.at_tunes.extend(at_tunes);
                }
                all.extend(tunes);
            }
            _ => self.tunes = None,
        }
        self.printed = self.printed.take().zip(twin.printed()).map(|(all, last)| [&all, last].concat());
        self.stages.push(screen);
        self.drawing_ms += twin.drawing_ms();
    }

    /// Compares the course of the step: sounds other than notes, the pictures during and between
    /// them, and its duration.
    pub(super) fn difference(&self, played: &Performance) -> Option<Difference> {
        let tunes = self.tunes.as_ref()?;
        if played.noise {
            return Some(Channel::Sound.differs("the speaker makes a sound that is not a note"));
        }
        let mut first = 0;
        for (tune, expected) in tunes.iter().zip(&self.at_tunes) {
            let begins = played.notes.get(first).map_or(0, |note| note.start);
            first += tune.beeps.iter().filter(|beep| beep.divisor.is_some()).count();
            let mut sounds = played.at_sounds.iter().rev();
            let shot = sounds.find(|(from, _)| *from <= begins).map(|(_, shot)| Screen::from(shot));
            if let Some(difference) = shot.and_then(|shot| shot.difference(expected)) {
                let what = format!("while {} is played, {difference}", tune.name);
                return Some(Channel::Pictures.differs(what));
            }
        }
        self.picture_difference(&played.pictures).or_else(|| {
            let tunes_ms: f64 =
                tunes.iter().flat_map(|tune| tune.beeps).map(|beep| beep.ms(DEFAULT_SPEED)).sum();
            let most = tunes_ms as u64 + self.drawing_ms;
            let what = || format!("the step takes {} ms, not {most} at most", played.ms);
            (played.ms > most).then(|| Channel::Time.differs(what()))
        })
    }

    /// Compares the printed text. Empty lines and blanks at the end of a line are ignored.
    pub(super) fn printed_difference(&self, output: &[u8]) -> Option<Difference> {
        let expected = self.printed.as_ref()?;
        let lines = |text: &[u8]| -> Vec<Vec<u8>> {
            let lines = text.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end().to_vec());
            lines.filter(|line| !line.is_empty()).collect()
        };
        let (expected, found) = (lines(expected), lines(output));
        let at = (0..expected.len().max(found.len())).find(|&at| expected.get(at) != found.get(at))?;
        let text = |lines: &[Vec<u8>]| -> String {
            lines.get(at).map_or_else(String::new, |line| cp437::text(line, Controls::Drawn))
        };
        Some(Channel::Console.differs(format!("{:?} is printed, not {:?}", text(&found), text(&expected))))
    }

    /// Returns an intermediate picture that is neither a stage nor a transition between two.
    fn picture_difference(&self, pictures: &[Shot]) -> Option<Difference> {
        let mut at = 0;
        for shot in pictures {
            let found = Screen::from(shot);
            let last = self.stages.len().saturating_sub(1);
            let is_on_way = |stage: &usize| {
                let next = &self.stages[(stage + 1).min(last)];
                foreign_place(&found, &self.stages[*stage], next).is_none()
            };
            if let Some(stage) = (at..=last).find(is_on_way) {
                at = stage;
                continue;
            }
            let (before, after) = (&self.stages[at], &self.stages[(at + 1).min(last)]);
            let what = foreign_place(&found, before, after).unwrap_or_default();
            return Some(Channel::Pictures.differs(format!("between two waits, {what}")));
        }
        None
    }
}

/// Returns the first place at which a picture shows neither the contents before nor those after, in
/// words.
fn foreign_place(found: &Screen, before: &Screen, after: &Screen) -> Option<String> {
    match found {
        Screen::Text(found) => {
            let known: Vec<&Text> = [before, after].into_iter().filter_map(text_of).collect();
            foreign_cell(found, &known)
        }
        Screen::Pixels(found) => {
            let is_known = |screen: &&Screen| matches!(screen, Screen::Pixels(known) if known.width == found.width && known.pixels.len() == found.pixels.len());
            let known: Vec<&Picture> =
                [before, after].into_iter().filter(is_known).filter_map(picture_of).collect();
            foreign_pixel(found, &known)
        }
    }
}

fn text_of(screen: &Screen) -> Option<&Text> {
    if let Screen::Text(text) = screen { Some(text) } else { None }
}

fn picture_of(screen: &Screen) -> Option<&Picture> {
    if let Screen::Pixels(picture) = screen { Some(picture) } else { None }
}

fn foreign_cell(found: &Text, known: &[&Text]) -> Option<String> {
    let is_known = |at: usize| {
        known.iter().any(|text| {
            let character = text.characters.get(at).copied().unwrap_or(b' ');
            let attribute = text.attributes.get(at);
            character == found.characters[at]
                && attribute.is_none_or(|&attribute| attribute == found.attributes[at])
        })
    };
    let at = (0..found.characters.len()).find(|&at| !is_known(at))?;
    let (line, column) = (at / found.columns.max(1) + 1, at % found.columns.max(1) + 1);
    let character = cp437::glyph(found.characters[at]);
    Some(format!("line {line}, column {column} shows {character:?}"))
}

fn foreign_pixel(found: &Picture, known: &[&Picture]) -> Option<String> {
    let at = match known {
        [] => Some(0),
        [one, rest @ ..] => foreign_to_both(&found.pixels, &one.pixels, &rest.first().unwrap_or(one).pixels),
    }?;
    let (x, y) = (at % found.width.max(1), at / found.width.max(1));
    Some(format!("the pixel at ({x}, {y}) is {:06X}", found.pixels[at]))
}

/// Returns the first pixel with neither colour. Large blocks are compared first.
fn foreign_to_both(found: &[u32], one: &[u32], other: &[u32]) -> Option<usize> {
    const PART: usize = 64;
    let parts = found.chunks(PART).zip(one.chunks(PART).zip(other.chunks(PART)));
    parts.enumerate().find_map(|(part, (found, (one, other)))| {
        if found == one || found == other {
            return None;
        }
        let at = (0..found.len()).find(|&at| found[at] != one[at] && found[at] != other[at])?;
        Some(part * PART + at)
    })
}
