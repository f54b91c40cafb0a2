//! Options for the display, the input and the outputs of a run.

use std::path::PathBuf;

use clap::{Args, value_parser};
use oxbox::cpu::TRANSLATE_AFTER;
use oxbox::hardware::speaker::Response;
use oxbox::hardware::{DEFAULT_SPEED, DateTime};
use oxbox::inspect::Kinds;

use super::values::{
    CLOCK_HELP, Coprocessor, Machine, Palette, Processor, SpeakerSound, clock, drive, trace, variable,
};
use crate::cli::sandbox::SandboxOptions;
use crate::frontend::DisplayOptions;
use crate::frontend::watch::Trace;

/// The keys of a run, the format of `--keys`.
pub(super) const KEYS_HELP: &str = "\
Keys to type, separated by spaces: SP ENTER ESC TAB BKSP UP DOWN LEFT RIGHT F1..F12 LSHIFT RSHIFT LCTRL RCTRL LALT RALT, a single \
character for itself, @MS to let that many milliseconds pass, click X Y for the mouse. Each is typed when the program reads or polls for a key \
and finds none";

/// The choice of front end, and its appearance and sound.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct FrontOptions {
    /// Use a window
    #[arg(long, group = "front")]
    pub(crate) window: bool,
    /// Use the terminal
    #[arg(long, group = "front")]
    pub(crate) terminal: bool,
    /// Use neither: run at full speed, with keys from --keys or --script
    #[arg(long, group = "front")]
    pub(crate) headless: bool,
    /// No sound
    #[arg(long)]
    pub(crate) mute: bool,
    /// Volume of the sound
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = value_parser!(u8).range(0..=100))]
    pub(crate) volume: u8,
    /// The colours of the screen
    #[arg(long, value_enum, default_value_t = Palette::Own)]
    pub(crate) palette: Palette,
    /// The speaker's signal unfiltered, or filtered like a small loudspeaker (default: filtered for
    /// listening, raw in --wav)
    #[arg(long, value_enum)]
    pub(crate) speaker: Option<SpeakerSound>,
    /// Show the window full screen (F11 and Alt+Enter return)
    #[arg(long)]
    pub(crate) fullscreen: bool,
    /// Size of the window: N window pixels per pixel of a text screen (default: the largest that
    /// fits the desktop well)
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=16))]
    pub(crate) scale: Option<u8>,
}

impl Default for FrontOptions {
    /// Returns the options of an empty command line.
    fn default() -> Self {
        FrontOptions {
            window: false,
            terminal: false,
            headless: false,
            mute: false,
            volume: 100,
            palette: Palette::Own,
            speaker: None,
            fullscreen: false,
            scale: None,
        }
    }
}

impl FrontOptions {
    /// Returns the response of the speaker for listening.
    pub(crate) fn speaker_response(&self) -> Response {
        self.speaker.map_or(Response::Filtered, Into::into)
    }

    /// Returns the requests for the screen that is opened.
    pub(crate) fn wanted(&self) -> DisplayOptions {
        DisplayOptions { scale: self.scale, fullscreen: self.fullscreen, mute: self.mute }
    }
}

/// Options of `run` and `play`.
#[derive(Debug, Clone, Args)]
pub(crate) struct GuestOptions {
    #[command(flatten)]
    pub(crate) front: FrontOptions,
    #[arg(long, value_name = "KEYS", conflicts_with = "script", allow_hyphen_values = true, help = KEYS_HELP)]
    pub(crate) keys: Option<String>,
    /// Play a script: keys, waits, expectations, shots; `oxbox help script` prints the format
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Continue from a state that was saved with this program
    #[arg(long, value_name = "FILE")]
    pub(crate) load_state: Option<PathBuf>,
    /// The folder for the script's screenshots and texts (default: the script's own)
    #[arg(long, value_name = "FOLDER", requires = "script")]
    pub(crate) out: Option<PathBuf>,
    /// Write the screen at the end, one file pixel per guest pixel
    #[arg(long, value_name = "FILE.png")]
    pub(crate) shot: Option<PathBuf>,
    /// Write the text screen at the end as UTF-8, down to its last line that is not empty (`-` for stdout)
    #[arg(long, value_name = "FILE")]
    pub(crate) text: Option<PathBuf>,
    /// Write the sound of the speaker, from start to end of the run (`-` for stdout, as for every
    /// FILE that is written)
    #[arg(long, value_name = "FILE")]
    pub(crate) wav: Option<PathBuf>,
    /// Write the run as an animated GIF; where keys are typed at once, each screen is shown for 0.7
    /// seconds
    #[arg(long, value_name = "FILE.gif")]
    pub(crate) gif: Option<PathBuf>,
    /// Write the run as an asciicast of its text screens
    #[arg(long, value_name = "FILE.cast")]
    pub(crate) cast: Option<PathBuf>,
    /// Write the lines of the text screen that change, in order (`-` for stdout; keys then come
    /// from stdin, one line at a time)
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
    /// Trace the program, one line per event, on stderr or to a file: calls (of BIOS and DOS, by
    /// name, with arguments and results), ports, code (instructions with source lines)
    #[arg(long, value_name = "WHAT[=FILE]", value_parser = trace)]
    pub(crate) trace: Vec<(Trace, Option<PathBuf>)>,
    /// Write which source lines were executed, how often, and which branches were taken, as LCOV;
    /// adds to an existing FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: Option<PathBuf>,
    /// Write where instructions were spent, by routine and caller: folded stacks for a flame graph
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Report mistakes that do not stop the program: memory, stack, calls, services, arithmetic; a
    /// leading - excludes kinds
    #[arg(long, value_name = "KINDS", num_args = 0..=1, require_equals = true, default_missing_value = "all", allow_hyphen_values = true)]
    pub(crate) check: Option<Kinds>,
    /// Write the findings of --check as SARIF, for editors and code scanning
    #[arg(long, value_name = "FILE", requires = "check")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the keys of the run as a script that plays it again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[arg(long, value_name = "DATE TIME", value_parser = clock, help = CLOCK_HELP)]
    pub(crate) clock: Option<DateTime>,
    /// Processor (default: the script's, else auto for a file and 386 for a game); 586 is the
    /// Pentium, plus its successor's CMOVcc
    #[arg(long, value_enum)]
    pub(crate) cpu: Option<Processor>,
    /// Coprocessor: the one that belongs to the processor (8087, 80287, 80387), or none
    #[arg(long, value_enum, default_value_t = Coprocessor::Auto)]
    pub(crate) fpu: Coprocessor,
    /// Display adapter (default: the script's, else auto for a file and vga for a game); early
    /// games program the CGA's 6845 in ways that a VGA displays wrongly
    #[arg(long, value_enum)]
    pub(crate) machine: Option<Machine>,
    /// Conventional memory in KiB; some early compilers fail with more than 512
    #[arg(long, value_name = "KIB", default_value_t = 640, value_parser = value_parser!(u16).range(64..=640))]
    pub(crate) memory: u16,
    /// Disable extended memory (XMS)
    #[arg(long)]
    pub(crate) no_xms: bool,
    /// Disable expanded memory (EMS)
    #[arg(long)]
    pub(crate) no_ems: bool,
    /// Set an environment variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// An image in a floppy drive, 160 KB to 2.88 MB, for INT 13h and as A:; a second one is B:
    #[arg(long, value_name = "IMAGE")]
    pub(crate) floppy: Vec<PathBuf>,
    /// An image of a hard disk for INT 13h; its first FAT12 or FAT16 volume is the first free drive
    /// from D:; can be repeated
    #[arg(long, value_name = "IMAGE")]
    pub(crate) disk: Vec<PathBuf>,
    /// Disable ANSI.SYS: escape sequences are shown as characters
    #[arg(long)]
    pub(crate) no_ansi: bool,
    /// Guest speed in instructions per millisecond
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SPEED, value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub(crate) speed: u32,
    /// Translate code to host code after this many executions; results do not depend on it
    #[arg(long, value_name = "N", default_value_t = TRANSLATE_AFTER)]
    pub(crate) translate_after: u32,
    /// Interpret all code
    #[arg(long, conflicts_with = "translate_after")]
    pub(crate) no_translate: bool,
    /// Check each piece of translated code before it is executed; code that accesses memory without a
    /// check, or jumps elsewhere, is interpreted instead, with a message
    #[arg(long, conflicts_with = "no_translate")]
    pub(crate) verify_translation: bool,
    /// Stop after this much virtual time (default with --keys or --script: 10 minutes after the last
    /// key, unless there is a screen or --instruction-limit)
    #[arg(long, value_name = "MS")]
    pub(crate) time_limit: Option<u64>,
    /// Stop after this many guest instructions
    #[arg(long, value_name = "N")]
    pub(crate) instruction_limit: Option<u64>,
    /// The host folder for drive C: (default: the program's own); the program cannot access
    /// anything outside of it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    /// Another host folder as a drive, A, B or D to Y, confined like C:; can be repeated
    #[arg(long, value_name = "D=FOLDER", value_parser = drive)]
    pub(crate) drive: Vec<(char, PathBuf)>,
    /// Do not change the folders and the images: a write to a folder is denied, one to an image
    /// stays in memory
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxOptions,
}

impl Default for GuestOptions {
    /// Returns the options of an empty command line.
    fn default() -> Self {
        GuestOptions {
            front: FrontOptions::default(),
            keys: None,
            script: None,
            load_state: None,
            out: None,
            shot: None,
            text: None,
            gif: None,
            cast: None,
            transcript: None,
            wav: None,
            trace: Vec::new(),
            coverage: None,
            profile: None,
            check: None,
            sarif: None,
            record: None,
            clock: None,
            cpu: None,
            fpu: Coprocessor::Auto,
            machine: None,
            memory: 640,
            no_xms: false,
            no_ems: false,
            env: Vec::new(),
            floppy: Vec::new(),
            disk: Vec::new(),
            no_ansi: false,
            speed: DEFAULT_SPEED,
            translate_after: TRANSLATE_AFTER,
            no_translate: false,
            verify_translation: false,
            time_limit: None,
            instruction_limit: None,
            dir: None,
            drive: Vec::new(),
            read_only: false,
            json: false,
            sandbox: SandboxOptions::default(),
        }
    }
}
