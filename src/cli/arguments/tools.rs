//! Options of the small commands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::values::{A_GAME, A_SOUND, SpeakerSound};

#[derive(Debug, Args)]
pub(crate) struct JsonOption {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The message's number, such as A2102, or MASM's number (default: list all explained messages)
    pub(crate) code: Option<String>,
}

/// The kinds of programs that `new` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// An EXE program that prints a line
    Hello,
    /// A COM program that reads a line
    Com,
    /// An EXE program with a table and a procedure
    Exe,
    /// A boot sector, without DOS
    Boot,
    /// A program that stays resident
    Tsr,
    /// A COM program for NASM
    Nasm,
    /// Tic-tac-toe for two
    Game,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The kind of program
    #[arg(value_enum)]
    pub(crate) kind: Kind,
    /// The folder to create; the source has the same name (default: the kind's name). Existing
    /// files are not overwritten
    pub(crate) name: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Games by name, .COM, .EXE and .ASM files (several sources of one joined by `+`), disk images
    /// (default: all games). If debug information is available, as for an .ASM file, the page also
    /// contains the sources.
    #[arg(value_name = "GAME|PROGRAM")]
    pub(crate) programs: Vec<PathBuf>,
    /// The folder to write
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// The machine for browsers (default: the module that cargo has built in
    /// target/wasm32-unknown-unknown)
    #[arg(long, value_name = "FILE.wasm")]
    pub(crate) wasm: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command to describe (default: oxbox itself)
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into this folder, as NAME.1
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// The game, by its name in `oxbox list`
    #[arg(value_parser = A_GAME)]
    pub(crate) game: String,
    /// The sound, one of the game's (default: list them)
    #[arg(value_parser = A_SOUND)]
    pub(crate) sound: Option<String>,
    /// Write a WAV file instead of playing
    #[arg(long, value_name = "FILE", requires = "sound")]
    pub(crate) wav: Option<PathBuf>,
    /// Write the notes as a piano roll instead of playing
    #[arg(long, value_name = "FILE", requires = "sound")]
    pub(crate) svg: Option<PathBuf>,
    /// The speaker's signal unfiltered, or filtered like a small loudspeaker (default: filtered for
    /// listening, raw in --wav)
    #[arg(long, value_enum)]
    pub(crate) speaker: Option<SpeakerSound>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Chip {
    /// The chip's registers clock by clock
    Trace {
        /// Stones, buttons, moves and pauses, such as "u2 c4 b5 0 w3 8": uN, cN place a stone of
        /// the user or the chip, b or bN lets the chip begin (with N in its counter), 0 to 8 are
        /// moves of the user, w or wN lets clocks pass without a key
        #[arg(long, value_name = "KEYS")]
        keys: Option<String>,
        /// Print a table for people, with the lamps as a board and the outputs by name, instead of
        /// CSV
        #[arg(long)]
        table: bool,
        /// Write a waveform for GTKWave
        #[arg(long, value_name = "FILE")]
        vcd: Option<PathBuf>,
        /// Write the waveform as a drawing
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
}
