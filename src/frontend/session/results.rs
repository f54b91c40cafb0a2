//! What a session gives to whoever asked for it: sound, films, printed text.

use super::super::film::{self, Film};
use super::super::picture;
use super::super::sound::Sound;
use super::super::watch::Trouble;
use super::super::wav::WavWriter;
use super::outputs::{Reel, Volume};
use super::{End, Session};
#[cfg(feature = "audio")]
use oxbox::hardware::speaker::Synth;
use oxbox::hardware::speaker::{Response, Segment};

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
