//! The requested results of a session: sound, recordings, printed text.

use super::super::film::{self, Film};
use super::super::picture;
use super::super::sound::Sound;
use super::super::watch::Trouble;
use super::super::wav::WavWriter;
use super::outputs::Reel;
use super::{LiveSession, Session};
use oxbox::hardware::speaker::Response;
#[cfg(feature = "audio")]
use oxbox::hardware::speaker::Synth;

impl LiveSession {
    /// Completes the WAV file. Fails if the file cannot be written.
    pub(crate) fn complete_wav(&mut self) -> std::io::Result<()> {
        self.drain();
        self.host.outputs.wav.take().map_or(Ok(()), WavWriter::finish)
    }

    /// Holds the screen for a moment of the recording: the program waits for a key.
    pub(crate) fn hold_film(&mut self) {
        let Session { host, timeline, .. } = &mut self.session;
        host.outputs.films().for_each(|film| film.hold(timeline.machine()));
    }

    /// Starts a recording to a new file, or completes it. Returns a message for the user.
    pub(super) fn start_or_stop_reel(&mut self) -> String {
        if let Some(Reel { film, path, .. }) = self.host.outputs.reel.take() {
            return match film.finish(self.machine()) {
                Ok(()) => format!("the animation is in {}", path.display()),
                Err((path, error)) => format!("cannot write {}: {error}", path.display()),
            };
        }
        let path = picture::free_name(&self.name, "gif");
        let wanted = film::RecordingOptions { gif: Some(path.clone()), ..film::RecordingOptions::default() };
        let since = self.machine().nanoseconds();
        let begun = Film::begin_at(&wanted, &self.name, since);
        self.host.outputs.reel = begun.map(|film| Reel { film, path, since });
        "filming".to_owned()
    }

    /// Completes the recordings. Errors: the first file that cannot be written.
    pub(crate) fn complete_film(&mut self) -> Result<(), Trouble> {
        let reel = self.host.outputs.reel.take().map(|reel| reel.film);
        let films = self.host.outputs.film.take().into_iter().chain(reel);
        films.map(|film| film.finish(self.machine())).fold(Ok(()), Result::and)
    }

    /// Starts to keep the program's output.
    pub(crate) fn keep_output(&mut self) {
        self.machine_mut().keep_printout();
        self.host.outputs.printed = Some(String::new());
    }

    /// Returns the output since [`LiveSession::keep_output`].
    pub(crate) fn take_kept_output(&mut self) -> String {
        self.drain();
        self.host.outputs.printed.take().unwrap_or_default()
    }

    pub(crate) fn set_sound(&mut self, sound: Sound, response: Response) {
        self.host.outputs.response = response;
        #[cfg(feature = "audio")]
        {
            let synth = Synth::starting_at(sound.rate(), self.machine().timer_ticks()).through(response);
            sound.set_muted(self.host.outputs.muted);
            self.host.outputs.live = Some((sound, synth));
        }
        #[cfg(not(feature = "audio"))]
        match sound {}
    }

    /// Returns the sound card, for the next session.
    pub(crate) fn take_sound(&mut self) -> Option<Sound> {
        #[cfg(feature = "audio")]
        return self.host.outputs.live.take().map(|(audio, _)| audio);
        #[cfg(not(feature = "audio"))]
        None
    }

    pub(super) fn set_muted(&mut self, muted: bool) {
        self.host.outputs.muted = muted;
        #[cfg(feature = "audio")]
        if let Some((audio, _)) = &self.host.outputs.live {
            audio.set_muted(muted);
        }
    }
}
