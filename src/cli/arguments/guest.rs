//! How a guest is shown, what it is given, and what is written of its run.

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
use crate::frontend::Wanted;
use crate::frontend::watch::Trace;

/// The keys of a run, as `--keys` takes them.
pub(super) const KEYS_HELP: &str = "\
Keys to type, separated by spaces: SP ENTER ESC TAB BKSP UP DOWN LEFT RIGHT F1..F12 LSHIFT RSHIFT LCTRL RCTRL LALT RALT, a single \
character for itself, @MS to let that many milliseconds pass, click X Y for the mouse. Each is typed when the program reads or polls for a key \
and finds none";

/// Which front end, and how it looks and sounds.
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
    /// How loud it is
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = value_parser!(u8).range(0..=100))]
    pub(crate) volume: u8,
    /// The colours of the screen
    #[arg(long, value_enum, default_value_t = Palette::Own)]
    pub(crate) palette: Palette,
    /// The speaker's wire as it is, or through the cone of a small loudspeaker (default: filtered where it is heard, raw in --wav)
    #[arg(long, value_enum)]
    pub(crate) speaker: Option<SpeakerSound>,
    /// Let the window take the whole screen (F11 and Alt+Enter go back)
    #[arg(long)]
    pub(crate) fullscreen: bool,
    /// Size of the window: N window pixels for a pixel of a text screen (default: as large as fits the desktop well)
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=16))]
    pub(crate) scale: Option<u8>,
}

impl Default for FrontOptions {
    /// What a command line without options gives.
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
    /// What listeners hear of the speaker.
    pub(crate) fn speaker_response(&self) -> Response {
        self.speaker.map_or(Response::Filtered, Into::into)
    }

    /// What is to be known where a screen is opened.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { scale: self.scale, fullscreen: self.fullscreen, mute: self.mute }
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
    /// Go on from a state that was saved in this program
    #[arg(long, value_name = "FILE")]
    pub(crate) load_state: Option<PathBuf>,
    /// The folder below which the script writes its shots and texts (default: the script's own)
    #[arg(long, value_name = "FOLDER", requires = "script")]
    pub(crate) out: Option<PathBuf>,
    /// Write the screen at the end, one file pixel a guest pixel
    #[arg(long, value_name = "FILE.png")]
    pub(crate) shot: Option<PathBuf>,
    /// Write the text screen at the end as UTF-8, down to its last line that is not empty (`-` for stdout)
    #[arg(long, value_name = "FILE")]
    pub(crate) text: Option<PathBuf>,
    /// Write the speaker, from start to end of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) wav: Option<PathBuf>,
    /// Write the run as a picture that moves; where keys are typed at once, what is on the screen stays for 0.7 seconds
    #[arg(long, value_name = "FILE.gif")]
    pub(crate) gif: Option<PathBuf>,
    /// Write the run as an asciicast of its text screens
    #[arg(long, value_name = "FILE.cast")]
    pub(crate) cast: Option<PathBuf>,
    /// Write the lines of the text screen that change, in order (`-` for stdout; then keys come from stdin, a line of them at a time)
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
    /// What the program does, a line each, on stderr or in a file: calls (of BIOS and DOS, by name, with arguments and results), ports,
    /// code (instructions with source lines)
    #[arg(long, value_name = "WHAT[=FILE]", value_parser = trace)]
    pub(crate) trace: Vec<(Trace, Option<PathBuf>)>,
    /// Write which source lines ran, how often, and which way branches went, as LCOV; a FILE that is there is added to
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: Option<PathBuf>,
    /// Write where the instructions went, by routine and caller: folded stacks for a flame graph
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Tell which mistakes the program makes though it runs on: memory, stack, calls, services, arithmetic, or with - all but these
    #[arg(long, value_name = "KINDS", num_args = 0..=1, require_equals = true, default_missing_value = "all", allow_hyphen_values = true)]
    pub(crate) check: Option<Kinds>,
    /// Write what --check finds as SARIF, which editors and code scanning read
    #[arg(long, value_name = "FILE", requires = "check")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the keys of the run as a script that plays it again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[arg(long, value_name = "DATE TIME", value_parser = clock, help = CLOCK_HELP)]
    pub(crate) clock: Option<DateTime>,
    /// Processor (default: the script's, else 386); 586 is the Pentium, with CMOVcc, which its successor brought
    #[arg(long, value_enum)]
    pub(crate) cpu: Option<Processor>,
    /// Coprocessor: the one that belongs to the processor (8087, 80287, 80387), or none
    #[arg(long, value_enum, default_value_t = Coprocessor::Auto)]
    pub(crate) fpu: Coprocessor,
    /// Display adapter (default: the script's, else vga); early games program the CGA's 6845 in ways that a VGA shows wrongly
    #[arg(long, value_enum)]
    pub(crate) machine: Option<Machine>,
    /// Conventional memory in KiB; some early compilers cannot take more than 512
    #[arg(long, value_name = "KIB", default_value_t = 640, value_parser = value_parser!(u16).range(64..=640))]
    pub(crate) memory: u16,
    /// Without extended memory (XMS)
    #[arg(long)]
    pub(crate) no_xms: bool,
    /// Without expanded memory (EMS)
    #[arg(long)]
    pub(crate) no_ems: bool,
    /// Set an environment variable; may be given more than once
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// An image in a floppy drive, 160 KB to 2.88 MB, behind INT 13h and as A:; given twice B: too
    #[arg(long, value_name = "IMAGE")]
    pub(crate) floppy: Vec<PathBuf>,
    /// An image of a hard disk behind INT 13h, and its first FAT12 or FAT16 volume the first free drive from D: on; may be given twice
    #[arg(long, value_name = "IMAGE")]
    pub(crate) disk: Vec<PathBuf>,
    /// Without ANSI.SYS: escape sequences are shown as characters
    #[arg(long)]
    pub(crate) no_ansi: bool,
    /// Guest speed in instructions per millisecond
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SPEED, value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub(crate) speed: u32,
    /// Translate code that has run this often to the host's own; results never depend on it
    #[arg(long, value_name = "N", default_value_t = TRANSLATE_AFTER)]
    pub(crate) translate_after: u32,
    /// Interpret everything
    #[arg(long, conflicts_with = "translate_after")]
    pub(crate) no_translate: bool,
    /// Stop after this much virtual time
    #[arg(long, value_name = "MS")]
    pub(crate) time_limit: Option<u64>,
    /// Stop after this many guest instructions
    #[arg(long, value_name = "N")]
    pub(crate) instruction_limit: Option<u64>,
    /// The host folder that is drive C: (default: the program's own); nothing outside it can be reached
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    /// Another host folder as a drive, A, B or D to Y, as closed as C: is; may be given more than once
    #[arg(long, value_name = "D=FOLDER", value_parser = drive)]
    pub(crate) drive: Vec<(char, PathBuf)>,
    /// Keep the folders and the images unchanged: a write to a folder is denied, one to an image stays in memory
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Print what came of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxOptions,
}

impl Default for GuestOptions {
    /// What a command line without options gives.
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
