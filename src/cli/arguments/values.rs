//! The types of option values.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ValueEnum};
use oxbox::cpu::Model;
use oxbox::games::GAMES;
use oxbox::hardware::speaker::Response;
use oxbox::hardware::vga::Adapter;
use oxbox::hardware::{DateTime, ParseDateTimeError};
use oxbox::toolchain::Dialect;

use crate::frontend::watch::Trace;

/// Shown below the help texts that need it.
pub(super) const EXIT_CODES: &str = "\
Exit codes: the program's own (0 to 255), or 1 verify found a divergence, same a difference, explore a state that must \
never be, or an expectation or a test failed, 2 wrong usage, 120 explore, same or referee have no answer, 121 --check \
found a mistake, 122 the program crashed, 123 the program is waiting for a key and has been given no more, 124 a limit \
was reached, 125 the emulator or the host failed, 126 assembling or linking failed, 129, 130 and 143 interrupted by \
SIGHUP, Ctrl-C or SIGTERM, 141 the reader of the output has closed it.";

/// A word from a set that shells complete and the help lists. The command reports unknown words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known(fn() -> Vec<&'static str>);

impl TypedValueParser for Known {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// The games by name.
pub(super) const A_GAME: Known = Known(|| GAMES.iter().map(|game| game.name).collect());

/// The sounds of all games by name, each once.
pub(super) const A_SOUND: Known = Known(|| {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in GAMES.iter().flat_map(|game| game.sounds) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
});

/// The processors that `--cpu` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Processor {
    #[value(name = "8086")]
    I8086,
    #[value(name = "186", alias = "80186")]
    I186,
    #[value(name = "286", alias = "80286")]
    I286,
    #[value(name = "386", alias = "80386")]
    I386,
    #[value(name = "486", alias = "80486")]
    I486,
    #[value(name = "586", alias = "pentium")]
    I586,
    /// The first from the 386 that has all instructions that the program executes
    Auto,
}

impl Processor {
    /// Returns the processor; `None` for `auto`.
    pub(crate) fn model(self) -> Option<Model> {
        Some(match self {
            Processor::I8086 => Model::I8086,
            Processor::I186 => Model::I186,
            Processor::I286 => Model::I286,
            Processor::I386 => Model::I386,
            Processor::I486 => Model::I486,
            Processor::I586 => Model::I586,
            Processor::Auto => return None,
        })
    }
}

/// The values of `--dialect`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Detected from the source
    #[default]
    Auto,
    /// MASM up to 5.1
    Masm5,
    /// MASM 6, as it is
    Masm6,
    /// Turbo Assembler
    Tasm,
    /// Turbo Assembler's ideal mode
    Ideal,
    /// emu8086
    Emu8086,
    /// NASM
    Nasm,
    /// flat assembler
    Fasm,
}

impl From<Language> for Option<Dialect> {
    fn from(language: Language) -> Option<Dialect> {
        match language {
            Language::Auto => None,
            Language::Masm5 => Some(Dialect::Masm5),
            Language::Masm6 => Some(Dialect::Masm6),
            Language::Tasm => Some(Dialect::Tasm),
            Language::Ideal => Some(Dialect::Ideal),
            Language::Emu8086 => Some(Dialect::Emu8086),
            Language::Nasm => Some(Dialect::Nasm),
            Language::Fasm => Some(Dialect::Fasm),
        }
    }
}

/// The values of `--machine`: a PC by its display adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Machine {
    Cga,
    Ega,
    Vga,
    /// A CGA for a program that writes to registers that only a CGA has, else a VGA
    Auto,
}

impl Machine {
    /// Returns the adapter; `None` for `auto`.
    pub(crate) fn adapter(self) -> Option<Adapter> {
        Some(match self {
            Machine::Cga => Adapter::Cga,
            Machine::Ega => Adapter::Ega,
            Machine::Vga => Adapter::Vga,
            Machine::Auto => return None,
        })
    }
}

/// The values of `--fpu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Coprocessor {
    Auto,
    None,
}

/// The values of `--speaker`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpeakerSound {
    Raw,
    Filtered,
}

impl From<SpeakerSound> for Response {
    fn from(sound: SpeakerSound) -> Response {
        match sound {
            SpeakerSound::Raw => Response::Raw,
            SpeakerSound::Filtered => Response::Filtered,
        }
    }
}

/// The colours in a window or a terminal; pictures in files have the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Palette {
    /// The program's
    Own,
    /// Bright on black
    HighContrast,
}

/// Parses `--trace`: `calls`, `ports`, `code`, each optionally with `=FILE`.
pub(super) fn trace(text: &str) -> Result<(Trace, Option<PathBuf>), String> {
    let (what, file) = match text.split_once('=') {
        Some((what, file)) => (what, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let trace = match what {
        "calls" => Trace::Calls,
        "ports" => Trace::Ports,
        "code" => Trace::Code,
        _ => return Err("it is calls, ports or code, or one of them with =FILE".to_owned()),
    };
    Ok((trace, file))
}

/// Parses a name and a value.
pub(super) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) => Err("the name before the `=` is missing".to_owned()),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("a variable is NAME=VALUE".to_owned()),
    }
}

/// The help text of `--clock`.
pub(super) const CLOCK_HELP: &str = "Date and time when the machine is switched on; virtual time runs from there (default: 1990-06-15 13:45:10)";

/// Parses a date and a time of day.
pub(super) fn clock(text: &str) -> Result<DateTime, String> {
    text.parse().map_err(|error: ParseDateTimeError| error.to_string())
}

/// Parses a letter and a folder.
pub(super) fn drive(text: &str) -> Result<(char, PathBuf), String> {
    let advice = "a drive is LETTER=FOLDER, with the letter A, B or D to Y (C: is --dir)";
    let (letter, folder) = text.split_once('=').ok_or(advice)?;
    match letter.trim_end_matches(':').to_ascii_uppercase().as_bytes() {
        [letter @ (b'A' | b'B' | b'D'..=b'Y')] if !folder.is_empty() => {
            Ok((char::from(*letter), PathBuf::from(folder)))
        }
        _ => Err(advice.to_owned()),
    }
}
