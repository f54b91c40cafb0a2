//! A saved state on file: the snapshot of a machine, with information that identifies it for people
//! and programs.
//!
//! The file consists of eight bytes of [`MAGIC`], the format (four bytes), XXH3 of the rest (eight
//! bytes), both little-endian, and the rest in postcard's format. So a damaged or truncated file is
//! detected before any of it is used.

use super::script::ParseScriptError;
use super::snapshot::{Snapshot, SnapshotError};
use crate::hardware::vga::Frame;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"OXBOXSAV";

/// The format of the data around the snapshot, which has its own version.
const FORMAT: u32 = 1;

/// Bytes before the part that the checksum covers.
const HEADER: usize = 20;

/// The maximum size of a thumbnail in pixels, across and down.
const THUMBNAIL: (usize, usize) = (160, 120);

/// A machine's state, and information about it.
///
/// ```
/// use oxbox_machine::machine::{Config, Machine, SavedState, Until};
///
/// // mov ah, 0; int 16h; mov ah, 4Ch; int 21h
/// let program = b"\xB4\x00\xCD\x16\xB4\x4C\xCD\x21";
/// let mut machine = Machine::start(&Config::default(), program, "KEY.COM", "")?;
/// machine.run(&Until::KEY_WAIT, &mut ());
/// let mut state = SavedState::of(&mut machine, SavedState::program(program))?;
/// state.title = "KEY.COM".to_owned();
/// let bytes = state.to_bytes()?;
///
/// let read = SavedState::from_bytes(&bytes)?;
/// read.check_program(SavedState::program(program))?;
/// let mut other = Machine::start(&Config::default(), program, "KEY.COM", "")?;
/// other.restore(&read.snapshot()?);
/// assert_eq!(other.state_hash(), machine.state_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedState {
    /// The result of [`SavedState::program`] for the program.
    pub program: u64,
    /// The program's title.
    pub title: String,
    /// The time of saving, in seconds since 1970 by the host's clock; 0 if unknown.
    pub saved_at: u64,
    /// Virtual time since power-on, in nanoseconds.
    pub nanoseconds: u64,
    /// The input since power-on as a script; empty if it was not recorded.
    pub keys: String,
    /// The thumbnail's size in pixels, across and down.
    size: (u16, u16),
    /// Red, green and blue of each pixel.
    pixels: Vec<u8>,
    /// [`Snapshot::to_bytes`].
    snapshot: Vec<u8>,
}

/// The reason that a file cannot be used as a saved state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedStateError {
    /// The file does not begin with the magic bytes.
    #[error("it is not a saved state of oxbox")]
    Other,
    /// Made by another version of oxbox.
    #[error(
        "it is a saved state of format {0}; this oxbox reads format {FORMAT}: use the oxbox that made it"
    )]
    Format(u32),
    /// The checksum or the structure is wrong.
    #[error("the saved state is damaged or truncated")]
    Damaged,
    /// Made with a different program.
    #[error("it was saved in {0}, a different program or a different build of this one")]
    Program(String),
    /// Its keys cannot be parsed.
    #[error("its keys: {0}")]
    Keys(#[from] ParseScriptError),
    /// Its snapshot cannot be read.
    #[error("it holds {0}")]
    Snapshot(#[from] SnapshotError),
}

impl SavedState {
    /// Saves the state of a machine in which a program runs, without title, keys and time.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn of(machine: &mut super::Machine, program: u64) -> Result<SavedState, SavedStateError> {
        let thumbnail = machine.still_frame().within(THUMBNAIL.0, THUMBNAIL.1);
        Ok(SavedState {
            program,
            title: String::new(),
            saved_at: 0,
            nanoseconds: machine.nanoseconds(),
            keys: String::new(),
            size: (thumbnail.width as u16, thumbnail.height as u16),
            pixels: thumbnail
                .pixels
                .iter()
                .flat_map(|pixel| pixel.to_be_bytes().into_iter().skip(1))
                .collect(),
            snapshot: machine.snapshot().to_bytes()?,
        })
    }

    /// Returns a hash of the file, which identifies a program.
    pub fn program(file: &[u8]) -> u64 {
        xxh3_64(file)
    }

    /// Returns [`SavedState::program`] as text, which names a program in pages and folders.
    pub fn program_text(program: u64) -> String {
        format!("{program:016x}")
    }

    /// Returns the screen at the time of saving, up to 160 by 120 square pixels.
    pub fn thumbnail(&self) -> Frame {
        Frame {
            width: usize::from(self.size.0),
            height: usize::from(self.size.1),
            pixels: self
                .pixels
                .chunks_exact(3)
                .map(|rgb| u32::from_be_bytes([0, rgb[0], rgb[1], rgb[2]]))
                .collect(),
            pixel_aspect: (1, 1),
            border: 0,
        }
    }

    /// Returns the state for [`Machine::restore`](super::Machine::restore).
    ///
    /// # Errors
    /// Fails if it was made by another version of oxbox.
    pub fn snapshot(&self) -> Result<Snapshot, SavedStateError> {
        Ok(Snapshot::from_bytes(&self.snapshot)?)
    }

    /// Checks that it was saved with this program.
    ///
    /// # Errors
    /// Fails if it was not.
    pub fn check_program(&self, program: u64) -> Result<(), SavedStateError> {
        if self.program == program { Ok(()) } else { Err(SavedStateError::Program(self.title.clone())) }
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SavedStateError> {
        let rest = postcard::to_stdvec(self).map_err(SnapshotError::from)?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend(xxh3_64(&rest).to_le_bytes());
        bytes.extend(rest);
        Ok(bytes)
    }

    /// Reads the result of [`SavedState::to_bytes`]. The snapshot in it stays packed.
    ///
    /// # Errors
    /// Fails if the bytes are not a saved state of this format.
    pub fn from_bytes(bytes: &[u8]) -> Result<SavedState, SavedStateError> {
        if !bytes.starts_with(&MAGIC) {
            // A file truncated within the magic bytes is damaged; an empty one is any file.
            let cut = !bytes.is_empty() && MAGIC.starts_with(bytes);
            return Err(if cut { SavedStateError::Damaged } else { SavedStateError::Other });
        }
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or(SavedStateError::Damaged)?;
        let number = |from: usize, to: usize| {
            header[from..to].iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte))
        };
        let format = number(8, 12) as u32;
        if format != FORMAT {
            return Err(SavedStateError::Format(format));
        }
        if number(12, 20) != xxh3_64(rest) {
            return Err(SavedStateError::Damaged);
        }
        let state: SavedState = postcard::from_bytes(rest).map_err(|_| SavedStateError::Damaged)?;
        let (width, height) = (usize::from(state.size.0), usize::from(state.size.1));
        let fits = width <= THUMBNAIL.0 && height <= THUMBNAIL.1 && state.pixels.len() == width * height * 3;
        if fits { Ok(state) } else { Err(SavedStateError::Damaged) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Config, Machine, Until};

    /// mov ah, 0; int 16h; int 20h
    const PROGRAM: &[u8] = b"\xB4\x00\xCD\x16\xCD\x20";

    fn saved() -> Vec<u8> {
        let mut machine = Machine::start(&Config::default(), PROGRAM, "P.COM", "").expect("a machine");
        machine.run(&Until::KEY_WAIT, &mut ());
        let state = SavedState::of(&mut machine, SavedState::program(PROGRAM)).expect("a state");
        SavedState { title: "P.COM".to_owned(), ..state }.to_bytes().expect("bytes")
    }

    #[test]
    fn what_is_no_state_is_told_from_what_was_one() {
        let whole = saved();
        let changed = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            bytes
        };
        let table: [(Vec<u8>, &str); 9] = [
            (Vec::new(), "it is not a saved state of oxbox"),
            (b"MZ\x90\0 and so on, for a while".to_vec(), "it is not a saved state of oxbox"),
            (changed(0), "it is not a saved state of oxbox"),
            (
                changed(8),
                "it is a saved state of format 17; this oxbox reads format 1: use the oxbox that made it",
            ),
            (changed(12), "the saved state is damaged or truncated"),
            (changed(whole.len() - 1), "the saved state is damaged or truncated"),
            (whole[..5].to_vec(), "the saved state is damaged or truncated"),
            (whole[..HEADER].to_vec(), "the saved state is damaged or truncated"),
            (whole[..whole.len() - 1].to_vec(), "the saved state is damaged or truncated"),
        ];
        for (bytes, expected) in table {
            let error = SavedState::from_bytes(&bytes).expect_err("an error");
            assert_eq!(error.to_string(), expected, "{} bytes", bytes.len());
        }
    }

    #[test]
    fn another_program_and_another_version_are_refused() {
        let mut state = SavedState::from_bytes(&saved()).expect("a state");
        assert!(state.check_program(SavedState::program(PROGRAM)).is_ok());
        let error = state.check_program(1).expect_err("another program");
        assert_eq!(
            error.to_string(),
            "it was saved in P.COM, a different program or a different build of this one"
        );
        state.snapshot[0] = 99;
        let error = state.snapshot().expect_err("another version").to_string();
        assert!(error.starts_with("it holds a snapshot of format 99; this oxbox reads format "), "{error}");
    }

    #[test]
    fn the_thumbnail_has_the_monitors_shape() {
        let thumbnail = SavedState::from_bytes(&saved()).expect("a state").thumbnail();
        assert_eq!((thumbnail.width, thumbnail.height, thumbnail.pixels.len()), (160, 120, 160 * 120));
    }
}
