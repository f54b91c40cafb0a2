//! Saved states: ten slots per program in the user's data folder, and files by name.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{LiveSession, commands};
use crate::frontend::folders;
use oxbox::atomic_file;
use oxbox::machine::{SavedState, SavedStateError, Script};

pub(crate) const SLOTS: usize = 10;

/// The maximum size of a state: a machine of a megabyte or two, and files not closed.
const LARGEST_FILE: u64 = 256 << 20;

/// Reads a state from a file. Fails with a line that contains the file and the error.
pub(crate) fn read(path: &Path) -> Result<SavedState, String> {
    let cannot_read = |error: io::Error| format!("cannot read {}: {error}", path.display());
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes)).map_err(cannot_read)?;
    SavedState::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

impl LiveSession {
    fn slots_folder(&self) -> Result<PathBuf, String> {
        let stem: String = self.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = format!("{}-{}", stem.to_ascii_lowercase(), SavedState::program_text(self.identity));
        Ok(folders::data()?.join("states").join(folder))
    }

    fn slot_path(&self, slot: usize) -> Result<PathBuf, String> {
        Ok(self.slots_folder()?.join(format!("{slot}.state")))
    }

    /// Returns the content of each slot: nothing, a state, or why it cannot be read.
    pub(crate) fn slots(&self) -> Vec<Option<Result<SavedState, String>>> {
        let look = |slot| {
            let path = self.slot_path(slot).ok()?;
            path.exists().then(|| read(&path))
        };
        (0..SLOTS).map(look).collect()
    }

    /// Saves the state in a slot. Returns a message for the user.
    pub(crate) fn save_slot(&mut self, slot: usize) -> String {
        match self.try_to_save(slot) {
            Ok(()) => format!("saved in slot {slot}, at {}", commands::clock(self.machine().nanoseconds())),
            Err(why) => why,
        }
    }

    fn try_to_save(&mut self, slot: usize) -> Result<(), String> {
        let path = self.slot_path(slot)?;
        let cannot_write =
            |error: &dyn std::fmt::Display| format!("cannot write {}: {error}", path.display());
        let state = self.state().map_err(|error| cannot_write(&error))?;
        fs::create_dir_all(self.slots_folder()?).map_err(|error| cannot_write(&error))?;
        let bytes = state.to_bytes().map_err(|error| cannot_write(&error))?;
        atomic_file::write(&path, &bytes).map_err(|error| cannot_write(&error))
    }

    fn state(&mut self) -> Result<SavedState, SavedStateError> {
        let saved_at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let (program, title) = (self.identity, self.name.clone());
        self.save(program, &title, saved_at)
    }

    /// Loads the state of a slot. Returns a message for the user.
    pub(crate) fn load_slot(&mut self, slot: usize) -> String {
        let path = match self.slot_path(slot) {
            Ok(path) if path.exists() => path,
            Ok(_) => return format!("slot {slot} is empty"),
            Err(why) => return why,
        };
        match read(&path).and_then(|state| self.resume_from(&state, &path, &Script::default())) {
            Ok(()) => {
                self.set_script(Script::default());
                self.release_all();
                format!("slot {slot}, at {}", commands::clock(self.machine().nanoseconds()))
            }
            Err(why) => why,
        }
    }

    /// Continues from a state, with a script to play from there. The path is for the message. Fails
    /// with a line if it belongs to another program or version.
    pub(crate) fn resume_from(
        &mut self,
        state: &SavedState,
        path: &Path,
        then: &Script,
    ) -> Result<(), String> {
        let program = self.identity;
        self.restore(state, program, then).map_err(|error| format!("{}: {error}", path.display()))?;
        self.unresponsive_since = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::machine::{Config, Limits, Machine};
    use std::time::Duration;

    /// Writes each key to the screen: mov ah, 0; int 16h; mov ah, 0Eh; int 10h; jmp again.
    const ECHO: &[u8] = b"\xB4\x00\xCD\x16\xB4\x0E\xCD\x10\xEB\xF6";

    fn session(keys: &str) -> LiveSession {
        let machine = Machine::start(&Config::default(), ECHO, "ECHO.COM", "").unwrap();
        let mut session = LiveSession::new("ECHO", machine, Script::from_keys(keys).unwrap(), Limits::NONE);
        session.identity = SavedState::program(ECHO);
        session
    }

    fn run(session: &mut LiveSession) {
        (0..30).for_each(|_| session.advance(Duration::from_millis(16)));
    }

    fn line(session: &LiveSession) -> String {
        session.machine().text().unwrap().line(0)
    }

    #[test]
    fn a_state_is_gone_on_from_elsewhere() {
        let mut first = session("");
        first.type_key("a".parse().unwrap());
        run(&mut first);
        let state = first.state().unwrap();
        let mut second = session("x y z");
        run(&mut second);
        assert_eq!(line(&second), "xyz");
        second.resume_from(&state, Path::new("F"), &Script::default()).unwrap();
        assert_eq!(line(&second), "a");
        assert_eq!(second.machine().state_hash(), first.machine().state_hash());
        second.type_key("b".parse().unwrap());
        run(&mut second);
        assert_eq!(line(&second), "ab");
        // The recording contains the whole of the run that the user has seen.
        second.leave();
        let machine = Machine::start(&Config::default(), ECHO, "ECHO.COM", "").unwrap();
        let mut again =
            LiveSession::new("ECHO", machine, second.script().to_string().parse().unwrap(), Limits::NONE);
        again.run_through();
        assert_eq!(line(&again), "ab");
    }

    #[test]
    fn another_programs_state_changes_nothing() {
        let mut first = session("a");
        run(&mut first);
        let state = first.state().unwrap();
        let mut other = session("x");
        run(&mut other);
        other.identity = 7;
        let error = other.resume_from(&state, Path::new("F"), &Script::default()).unwrap_err();
        assert_eq!(error, "F: it was saved in ECHO, a different program or a different build of this one");
        assert_eq!(line(&other), "x");
    }
}
