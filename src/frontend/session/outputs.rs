//! What comes of a session besides its screen: sound, films, and what was printed.

use std::path::PathBuf;

use super::super::film::{self, Film};
use super::super::picture;
use super::super::sound::Sound;
use super::super::watch::Trouble;
use super::super::wav::WavWriter;
use super::{End, Session};
#[cfg(feature = "audio")]
use oxbox::hardware::speaker::Synth;
use oxbox::hardware::speaker::{Response, Segment};
use oxbox::hardware::vga::cp437;
use oxbox::machine::Machine;

/// Bytes of printed text that are kept for the end of a run, about.
const MOST_OUTPUT: usize = 16 << 20;

/// Who takes what the machine gives out.
#[derive(Default)]
pub(super) struct Outputs {
    wav: Option<WavWriter>,
    pub(super) film: Option<Film>,
    /// What the speaker has done, for somebody who asks for it at the end.
    kept: Option<Vec<Segment>>,
    /// What was printed, as text, for somebody who asks for it at the end.
    printed: Option<String>,
    /// A film that was begun and is ended by a key.
    reel: Option<Reel>,
    pub(super) muted: bool,
    /// What is between the wire and the ear.
    response: Response,
    /// In percent.
    pub(super) volume: Volume,
    /// When the run was left to go back, in nanoseconds.
    left_at: u64,
    #[cfg(feature = "audio")]
    live: Option<(Sound, Synth)>,
    /// What was heard before the present, while the run goes back.
    #[cfg(feature = "audio")]
    heard: Vec<f32>,
}

/// A film by a key: where it goes, and when it was begun, in nanoseconds.
struct Reel {
    film: Film,
    path: PathBuf,
    since: u64,
}

/// How loud it is, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Volume(pub(super) u8);

impl Default for Volume {
    fn default() -> Volume {
        Volume(100)
    }
}

impl Volume {
    /// A tenth of it louder or quieter; between a tenth and the whole.
    pub(super) fn next(self, louder: bool) -> Volume {
        let step = if louder { self.0.saturating_add(10) } else { self.0.saturating_sub(10) };
        Volume(step.clamp(10, 100))
    }

    /// The factor of samples: the ear hears ratios, so half of it is a quarter of the amplitude.
    #[cfg(feature = "audio")]
    fn gain(self) -> f32 {
        (f32::from(self.0) / 100.0).powi(2)
    }
}

impl Outputs {
    /// The pace that the sound card's ring asks for.
    pub(super) fn drift(&self) -> f64 {
        #[cfg(feature = "audio")]
        if let Some((audio, _)) = &self.live {
            return audio.drift();
        }
        1.0
    }

    /// True when somebody wants what the speaker does.
    pub(super) fn is_heard(&self) -> bool {
        #[cfg(feature = "audio")]
        if self.live.is_some() {
            return true;
        }
        self.wav.is_some() || self.kept.is_some()
    }

    /// Takes over what has been printed, up to a bound: a program can print for ever.
    fn take_print(&mut self, machine: &mut Machine) {
        let Some(text) = &mut self.printed else { return };
        let printed = machine.take_printout();
        if text.len() < MOST_OUTPUT {
            text.extend(printed.iter().map(|&byte| match byte {
                b'\n' | b'\r' | b'\t' | 0x07 | 0x08 => char::from(byte),
                _ => cp437::glyph(byte),
            }));
        }
    }

    /// Takes over what the speaker has done.
    fn take_sound(&mut self, machine: &mut Machine) -> Result<(), hound::Error> {
        let segments = machine.take_sound();
        if let Some(kept) = &mut self.kept {
            kept.extend(&segments);
        }
        #[cfg(feature = "audio")]
        if let Some((audio, synth)) = &mut self.live {
            let mut samples = synth.render(&segments);
            let gain = self.volume.gain();
            samples.iter_mut().for_each(|sample| *sample *= gain);
            audio.push(&samples);
        }
        let written = self.wav.as_mut().map_or(Ok(()), |wav| wav.write(&segments));
        if written.is_err() {
            self.wav = None;
        }
        written
    }
}

impl Outputs {
    /// The films that are being made.
    pub(super) fn films(&mut self) -> impl Iterator<Item = &mut Film> {
        self.film.iter_mut().chain(self.reel.iter_mut().map(|reel| &mut reel.film))
    }

    /// When the film by a key was begun, in nanoseconds.
    pub(super) fn filming_since(&self) -> Option<u64> {
        self.reel.as_ref().map(|reel| reel.since)
    }

    /// Lets the films look wherever they want to, and says when the next of them wants to, in nanoseconds.
    pub(super) fn look(&mut self, machine: &Machine) -> Option<u64> {
        let looked = self.films().map(|film| {
            film.look(machine);
            film.due()
        });
        looked.min()
    }

    /// The run is left here for another moment.
    pub(super) fn leave_off(&mut self, machine: &Machine) {
        self.left_at = machine.nanoseconds();
    }

    /// The run goes on from another moment: sound and films go on as they were, without what lies between.
    pub(super) fn cut(&mut self, machine: &Machine) {
        let (left_at, now, tick) = (self.left_at, machine.nanoseconds(), machine.timer_ticks());
        self.films().for_each(|film| film.cut(left_at, now));
        if let Some(wav) = &mut self.wav {
            wav.continue_at(tick);
        }
        #[cfg(feature = "audio")]
        {
            self.heard.clear();
            if let Some((_, synth)) = &mut self.live {
                synth.continue_at(tick);
            }
        }
    }

    /// What the speaker did in the stretch that is gone back by next.
    pub(super) fn recall(&mut self, sound: &[Segment]) {
        #[cfg(feature = "audio")]
        if let (Some((audio, _)), Some(first)) = (&self.live, sound.first()) {
            let mut synth = Synth::starting_at(audio.rate(), first.from).through(self.response);
            self.heard = synth.render(sound);
            self.heard.extend(synth.finish());
            let gain = self.volume.gain();
            self.heard.iter_mut().for_each(|sample| *sample *= gain);
        }
        #[cfg(not(feature = "audio"))]
        let _ = sound;
    }

    /// Plays the last of it backwards, `pace` times as fast, with the pitch that this gives.
    pub(super) fn play_back(&mut self, nanoseconds: u64, pace: u64) {
        #[cfg(feature = "audio")]
        if let Some((audio, _)) = &mut self.live {
            let count = (u128::from(nanoseconds) * u128::from(audio.rate()) / 1_000_000_000) as usize;
            let last = self.heard.split_off(self.heard.len().saturating_sub(count));
            let samples: Vec<f32> = last.into_iter().rev().step_by(pace as usize).collect();
            audio.push(&samples);
        }
        #[cfg(not(feature = "audio"))]
        let _ = (nanoseconds, pace);
    }
}

impl Session {
    /// Hands on what the machine has given out since the last call.
    pub(super) fn pass_on(&mut self) {
        self.outputs.take_print(&mut self.machine);
        if let Err(error) = self.outputs.take_sound(&mut self.machine) {
            self.end.get_or_insert(End::Unwritten(format!("cannot go on with the WAV file: {error}")));
        }
    }

    /// Writes the speaker to a file from now on.
    pub(crate) fn set_wav(&mut self, wav: WavWriter) {
        self.outputs.wav = Some(wav);
    }

    /// Completes the WAV file.
    ///
    /// # Errors
    /// When that cannot be.
    pub(crate) fn complete_wav(&mut self) -> Result<(), hound::Error> {
        self.pass_on();
        self.outputs.wav.take().map_or(Ok(()), WavWriter::finish)
    }

    /// Films the run from now on.
    pub(crate) fn set_film(&mut self, film: Option<Film>) {
        self.outputs.film = film;
    }

    /// What is on the screen stays for a moment of the film: the program waits for a key.
    pub(crate) fn hold_film(&mut self) {
        let machine = &self.machine;
        self.outputs.films().for_each(|film| film.hold(machine));
    }

    /// Begins to film into a file of its own, or completes that; the answer is a line for the user.
    pub(super) fn start_or_stop_reel(&mut self) -> String {
        if let Some(Reel { film, path, .. }) = self.outputs.reel.take() {
            return match film.finish(&self.machine) {
                Ok(()) => format!("the film is in {}", path.display()),
                Err((path, error)) => format!("cannot write {}: {error}", path.display()),
            };
        }
        let path = picture::free_name(&self.name, "gif");
        let wanted = film::Wanted { gif: Some(path.clone()), ..film::Wanted::default() };
        let since = self.machine.nanoseconds();
        let begun = Film::begin_at(&wanted, &self.name, since);
        self.outputs.reel = begun.map(|film| Reel { film, path, since });
        "filming".to_owned()
    }

    /// Completes the films.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn complete_film(&mut self) -> Result<(), Trouble> {
        let reel = self.outputs.reel.take().map(|reel| reel.film);
        let films = self.outputs.film.take().into_iter().chain(reel);
        films.map(|film| film.finish(&self.machine)).fold(Ok(()), Result::and)
    }

    /// Keeps what the program prints from now on.
    pub(crate) fn keep_output(&mut self) {
        self.machine.keep_printout();
        self.outputs.printed = Some(String::new());
    }

    /// What was printed since [`Session::keep_output`].
    pub(crate) fn take_kept_output(&mut self) -> String {
        self.pass_on();
        self.outputs.printed.take().unwrap_or_default()
    }

    /// Keeps what the speaker does from now on.
    pub(crate) fn keep_sound(&mut self) {
        self.outputs.kept = Some(Vec::new());
    }

    /// What the speaker has done since [`Session::keep_sound`].
    pub(crate) fn take_kept_sound(&mut self) -> Vec<Segment> {
        self.outputs.kept.take().unwrap_or_default()
    }

    /// Lets the speaker be heard from now on.
    pub(crate) fn set_sound(&mut self, sound: Sound, response: Response) {
        self.outputs.response = response;
        #[cfg(feature = "audio")]
        {
            let synth = Synth::starting_at(sound.rate(), self.machine.timer_ticks()).through(response);
            sound.set_muted(self.outputs.muted);
            self.outputs.live = Some((sound, synth));
        }
        #[cfg(not(feature = "audio"))]
        match sound {}
    }

    /// Gives the sound card back, for the next session.
    pub(crate) fn take_sound(&mut self) -> Option<Sound> {
        #[cfg(feature = "audio")]
        return self.outputs.live.take().map(|(audio, _)| audio);
        #[cfg(not(feature = "audio"))]
        None
    }

    /// How loud it is from now on, in percent.
    pub(crate) fn set_volume(&mut self, percent: u8) {
        self.outputs.volume = Volume(percent.min(100));
    }

    /// Sound off or on.
    pub(super) fn set_muted(&mut self, muted: bool) {
        self.outputs.muted = muted;
        #[cfg(feature = "audio")]
        if let Some((audio, _)) = &self.outputs.live {
            audio.set_muted(muted);
        }
    }
}
