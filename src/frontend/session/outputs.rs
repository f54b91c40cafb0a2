//! The output of a session besides its screen: sound, recordings, and printed text.

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

/// About how many bytes of printed text are kept for the end of a run.
const MOST_OUTPUT: usize = 16 << 20;

#[derive(Default)]
pub(crate) struct Outputs {
    /// The speaker's sound as a file.
    pub(crate) wav: Option<WavWriter>,
    pub(crate) film: Option<Film>,
    /// The speaker's record, if it is needed at the end.
    pub(crate) kept: Option<Vec<Segment>>,
    /// The printed text, if it is needed at the end.
    pub(super) printed: Option<String>,
    /// A recording that was started with a key.
    pub(super) reel: Option<Reel>,
    pub(super) muted: bool,
    /// The filter of the speaker's sound.
    pub(super) response: Response,
    pub(crate) volume: Volume,
    #[cfg(feature = "audio")]
    pub(super) live: Option<(Sound, Synth)>,
    /// The samples before the current time, while the user rewinds.
    #[cfg(feature = "audio")]
    heard: Vec<f32>,
}

/// A recording by a key: its file, and its start in nanoseconds.
pub(super) struct Reel {
    pub(super) film: Film,
    pub(super) path: PathBuf,
    pub(super) since: u64,
}

/// The volume in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Volume(pub(crate) u8);

impl Default for Volume {
    fn default() -> Volume {
        Volume(100)
    }
}

impl Volume {
    /// Returns a volume that is 10 % louder or quieter, between 10 % and 100 %.
    pub(super) fn next(self, louder: bool) -> Volume {
        let step = if louder { self.0.saturating_add(10) } else { self.0.saturating_sub(10) };
        Volume(step.clamp(10, 100))
    }

    /// Returns the factor for samples: for hearing, half the volume is a quarter of the amplitude.
    #[cfg(feature = "audio")]
    fn gain(self) -> f32 {
        (f32::from(self.0) / 100.0).powi(2)
    }
}

impl Outputs {
    /// Returns the pace that the sound card's ring requests.
    pub(super) fn drift(&self) -> f64 {
        #[cfg(feature = "audio")]
        if let Some((audio, _)) = &self.live {
            return audio.drift();
        }
        1.0
    }

    /// Whether the speaker's sound is used.
    pub(super) fn is_heard(&self) -> bool {
        #[cfg(feature = "audio")]
        if self.live.is_some() {
            return true;
        }
        self.wav.is_some() || self.kept.is_some()
    }

    /// Takes printed text, up to a limit: a program can print indefinitely.
    pub(super) fn take_print(&mut self, machine: &mut Machine) {
        let Some(text) = &mut self.printed else { return };
        let printed = machine.take_printout();
        if text.len() < MOST_OUTPUT {
            text.push_str(&cp437::text(&printed, Controls::Terminal));
        }
    }

    pub(super) fn take_sound(&mut self, machine: &mut Machine) -> std::io::Result<()> {
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
    pub(super) fn films(&mut self) -> impl Iterator<Item = &mut Film> {
        self.film.iter_mut().chain(self.reel.iter_mut().map(|reel| &mut reel.film))
    }

    /// Returns the start of the recording by a key, in nanoseconds.
    pub(super) fn filming_since(&self) -> Option<u64> {
        self.reel.as_ref().map(|reel| reel.since)
    }

    /// Samples the recordings that are due, and returns the time of the next sample in nanoseconds.
    pub(super) fn look(&mut self, machine: &Machine) -> Option<u64> {
        let looked = self.films().map(|film| {
            film.look(machine);
            film.due()
        });
        looked.min()
    }

    /// The run has jumped here from another time, in nanoseconds, which sound and recordings skip.
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

    /// Takes the speaker's record of the period that is rewound next.
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

    /// Plays the last part of it backwards, `pace` times as fast, with the resulting pitch.
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
