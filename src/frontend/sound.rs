//! The host's sound card, if there is one.

#[cfg(feature = "audio")]
use super::{audio, notice::notice};
#[cfg(feature = "audio")]
use oxbox::hardware::speaker::Synth;
use oxbox::hardware::speaker::{Response, Segment};

#[cfg(feature = "audio")]
pub(crate) type Sound = audio::Audio;

/// A placeholder in a build without sound.
#[cfg(not(feature = "audio"))]
pub(crate) type Sound = std::convert::Infallible;

/// Opens the sound card; without one prints a line on stderr and stays silent.
pub(crate) fn open_sound() -> Option<Sound> {
    #[cfg(feature = "audio")]
    match audio::Audio::open() {
        Ok(audio) => return Some(audio),
        Err(why) => notice(&format!("no sound ({why}), playing in silence")),
    }
    None
}

/// Plays a sound to its end; without a sound card prints a line on stderr.
pub(crate) fn play_sound(segments: &[Segment], response: Response) {
    #[cfg(feature = "audio")]
    if let Some(mut audio) = open_sound() {
        let start = segments.first().map_or(0, |segment| segment.from);
        let mut synth = Synth::starting_at(audio.rate(), start).through(response);
        let mut samples = synth.render(segments);
        samples.extend(synth.finish());
        samples.extend(synth.die_away());
        // The player starts when enough samples are waiting, and ends with a fade: silence at the
        // end covers both.
        samples.resize(samples.len() + (audio.rate() / 10) as usize, 0.0);
        audio.play(&samples);
    }
    #[cfg(not(feature = "audio"))]
    let _ = (segments, response);
}
