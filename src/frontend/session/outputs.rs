//! What comes of a session besides its screen: sound, films, and what was printed.

use std::path::PathBuf;

use super::super::film::Film;
#[cfg(feature = "audio")]
use super::super::sound::Sound;
use super::super::wav::WavWriter;
#[cfg(feature = "audio")]
use oxbox::hardware::speaker::Synth;
use oxbox::hardware::speaker::{Response, Segment};
use oxbox::hardware::vga::cp437::{self, Controls};
use oxbox::machine::Machine;

/// Bytes of printed text that are kept for the end of a run, about.
const MOST_OUTPUT: usize = 16 << 20;

/// Who takes what the machine gives out.
#[derive(Default)]
pub(crate) struct Outputs {
    /// The speaker's sound as a file.
    pub(crate) wav: Option<WavWriter>,
    /// The run as a film.
    pub(crate) film: Option<Film>,
    /// What the speaker has done, for somebody who asks for it at the end.
    pub(crate) kept: Option<Vec<Segment>>,
    /// What was printed, as text, for somebody who asks for it at the end.
    pub(super) printed: Option<String>,
    /// A film that was begun and is ended by a key.
    pub(super) reel: Option<Reel>,
    pub(super) muted: bool,
    /// What is between the wire and the ear.
    pub(super) response: Response,
    pub(crate) volume: Volume,
    #[cfg(feature = "audio")]
    pub(super) live: Option<(Sound, Synth)>,
    /// What was heard before the present, while the user rewinds.
    #[cfg(feature = "audio")]
    heard: Vec<f32>,
}

/// A film by a key: where it goes, and when it was begun, in nanoseconds.
pub(super) struct Reel {
    pub(super) film: Film,
    pub(super) path: PathBuf,
    pub(super) since: u64,
}

/// How loud it is, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Volume(pub(crate) u8);

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
    pub(super) fn take_print(&mut self, machine: &mut Machine) {
        let Some(text) = &mut self.printed else { return };
        let printed = machine.take_printout();
        if text.len() < MOST_OUTPUT {
            text.push_str(&cp437::text(&printed, Controls::Terminal));
        }
    }

    /// Takes over what the speaker has done.
    pub(super) fn take_sound(&mut self, machine: &mut Machine) -> Result<(), hound::Error> {
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

    /// The run has jumped here from another moment, in nanoseconds: sound and films leave out what lies between.
    pub(super) fn cut(&mut self, from: u64, machine: &Machine) {
        let (now, tick) = (machine.nanoseconds(), machine.timer_ticks());
        self.films().for_each(|film| film.cut(from, now));
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

    /// What the speaker did in the stretch that is rewound next.
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
