//! The command line as clap sees it: every command, option and help text.
//!
//! What users and scripts rely on; nothing here does anything.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::frontend::Wanted;
use crate::frontend::watch::Trace;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Parser, Subcommand, ValueEnum, value_parser};
use oxbox::cpu::Model;
use oxbox::games::GAMES;
use oxbox::hardware::DEFAULT_SPEED;
use oxbox::hardware::speaker::Response;
use oxbox::hardware::vga::Adapter;
use oxbox::walk::Shard;

use super::walk_arguments::{Explore, Merge, Same};

/// A deterministic real-mode DOS machine that plays historic tic-tac-toe programs and proves things about them.
///
/// Without a command: the launcher, a menu of the games. It opens in a window, without a display in the terminal, and
/// with neither plays every game once and prints what it finds.
#[derive(Debug, Parser)]
#[command(name = "oxbox", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) front: FrontOptions,
    /// A folder whose programs and sources the launcher shows besides the games
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Say more on stderr: -v the calls of BIOS and DOS by name, -vv interrupts of the hardware and details of the host too. RUST_LOG
    /// sets it by module.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
}

/// Shown below each help text that needs it.
const EXIT_CODES: &str = "\
Exit codes: the program's own (0 to 255), except 1 when verify finds a divergence, same a difference, explore what must never be or not what it looks for, or a script's expectation or a test fails, 2 wrong usage, 122 the program crashed, 123 the keys ran out \
while the program still waits for one, 124 a limit was reached, 125 the emulator or the host failed, 126 assembling or \
linking failed, 130 and 143 it was broken off by Ctrl-C or SIGTERM.";

/// The keys of a run, as `--keys` takes them.
const KEYS_HELP: &str = "\
Keys to type, separated by spaces: SP ENTER ESC TAB BKSP UP DOWN LEFT RIGHT F1..F12, a single character for itself, \
@MS to let that many milliseconds pass, click X Y for the mouse. Each is typed when the program waits for a key";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the games: name, year, author, what it is, keys
    List(JsonOption),
    /// Play one of the games
    Play(Play),
    /// Run any DOS program: .COM, .EXE, .BAT, or .ASM (assembled, then run); or start a disk image or boot sector
    Run(Run),
    /// A DOS prompt in a folder
    Shell(Box<Shell>),
    /// Assemble and link .ASM, .OBJ and .LIB files into an EXE or COM
    Build(Build),
    /// Compare the emulated games with their native twins over every line of play
    Verify(Verify),
    /// Debug a program in the terminal, forwards and backwards
    Debug(Debug),
    /// Debug for editors: the Debug Adapter Protocol on stdin and stdout
    Dap,
    /// Run test suites, over one program or a class of submissions
    Test(Test),
    /// Find every state that a user can bring a program into, how it can end, and the shortest keys to what is asked for
    Explore(Box<Explore>),
    /// Hold two programs against each other over everything that can be typed: equal, or the shortest keys to a difference
    Same(Box<Same>),
    /// Join the parts that verify, explore and same write with --shard I/N --out PART into the report of one run
    Merge(Merge),
    /// Let every engine play every other
    Arena(Arena),
    /// Write a static web page that plays the games, or programs, in a browser
    Publish(Publish),
    /// What the documents about the five systems claim, and what running them shows: a row a claim
    Claims(Claims),
    /// Arabian Millwheel and Achi, solved, and played against the solver
    Relatives(Relatives),
    /// Play or write a sound of a game, with its notes
    Tune(Tune),
    /// Measure how fast the guest runs here, on the built-in kernels
    Bench(JsonOption),
    /// The tic-tac-toe chip, clock by clock
    #[command(subcommand)]
    Chip(Chip),
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write a manual page, or all of them
    Man(Man),
    /// Print what a command does, or `script`: the script format
    Help {
        /// A command, or script
        topic: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Games by name, .COM and .EXE files, disk images (default: all games)
    #[arg(value_name = "GAME|PROGRAM")]
    pub(crate) programs: Vec<PathBuf>,
    /// The folder to write
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// The machine for browsers (default: what cargo has built in target/wasm32-unknown-unknown/release)
    #[arg(long, value_name = "FILE.wasm")]
    pub(crate) wasm: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command whose page it is (default: oxbox itself)
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into this folder, as NAME.1
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) out: Option<PathBuf>,
}

/// A word of which some are known: shells complete them and the help lists them. What is wrong with another is told by the command.
#[derive(Debug, Clone, Copy)]
struct Known(fn() -> Vec<&'static str>);

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
const A_GAME: Known = Known(|| GAMES.iter().map(|game| game.name).collect());

/// The sounds of all games by name, each once.
const A_SOUND: Known = Known(|| {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in GAMES.iter().flat_map(|game| game.sounds) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
});

#[derive(Debug, Args)]
pub(crate) struct JsonOption {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

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

/// Which colours are shown in a window or a terminal; pictures in files have the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Palette {
    /// The program's
    Own,
    /// Bright on black
    HighContrast,
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
    /// Write the keys of the run as a script that plays it again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Processor; 586 is the Pentium, with CMOVcc, which its successor brought
    #[arg(long, value_enum, default_value_t = Processor::I386)]
    pub(crate) cpu: Processor,
    /// Coprocessor: the one that belongs to the processor (8087, 80287, 80387), or none
    #[arg(long, value_enum, default_value_t = Coprocessor::Auto)]
    pub(crate) fpu: Coprocessor,
    /// Display adapter; early games program the CGA's 6845 in ways that a VGA shows wrongly
    #[arg(long, value_enum, default_value_t = Machine::Vga)]
    pub(crate) machine: Machine,
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
    /// Stop after this much virtual time
    #[arg(long, value_name = "MS")]
    pub(crate) time_limit: Option<u64>,
    /// Stop after this many guest instructions
    #[arg(long, value_name = "N")]
    pub(crate) instruction_limit: Option<u64>,
    /// The host folder that is drive C: (default: the program's own); nothing outside it can be reached
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    /// Another host folder as a drive, D to Y, as closed as C: is; may be given more than once
    #[arg(long, value_name = "D=FOLDER", value_parser = drive)]
    pub(crate) drive: Vec<(char, PathBuf)>,
    /// Keep the folders and the images unchanged: a write to a folder is denied, one to an image stays in memory
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Print what came of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A name and a value.
fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) => Err("there is no name before the `=`".to_owned()),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("a variable is NAME=VALUE".to_owned()),
    }
}

/// A letter and a folder.
fn drive(text: &str) -> Result<(char, PathBuf), String> {
    let advice = "a drive is LETTER=FOLDER, with a letter from D to Y (C: is --dir, A: and B: are --floppy)";
    let (letter, folder) = text.split_once('=').ok_or(advice)?;
    match letter.trim_end_matches(':').to_ascii_uppercase().as_bytes() {
        [letter @ b'D'..=b'Y'] if !folder.is_empty() => Ok((char::from(*letter), PathBuf::from(folder))),
        _ => Err(advice.to_owned()),
    }
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
            record: None,
            cpu: Processor::I386,
            fpu: Coprocessor::Auto,
            machine: Machine::Vga,
            memory: 640,
            no_xms: false,
            no_ems: false,
            env: Vec::new(),
            floppy: Vec::new(),
            disk: Vec::new(),
            no_ansi: false,
            speed: DEFAULT_SPEED,
            time_limit: None,
            instruction_limit: None,
            dir: None,
            drive: Vec::new(),
            read_only: false,
            json: false,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Play {
    /// The game, as `oxbox list` names it
    #[arg(value_parser = A_GAME)]
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) guest: GuestOptions,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Run {
    /// The program: .COM, .EXE, .BAT (its exit code is the last ERRORLEVEL) or .ASM; several .ASM, .OBJ and .LIB of one program joined by `+`.
    /// Or a disk to start from: .IMG, a whole floppy or a boot sector of 512 bytes
    pub(crate) program: PathBuf,
    /// Names and source lines of a program that was built elsewhere: what build --debug wrote, an assembler's listing, or a
    /// linker's map (default: PROGRAM.DBG, CodeView's or Turbo Debugger's tables in it, PROGRAM.LST, PROGRAM.MAP)
    #[arg(long, value_name = "FILE")]
    pub(crate) symbols: Option<PathBuf>,
    /// The program's command tail (after `--` where a word begins with a dash)
    pub(crate) args: Vec<String>,
    #[command(flatten)]
    pub(crate) guest: GuestOptions,
    /// Wait for gdb there (loopback unless an address is given), and let it run the program; the folder stays unchanged
    #[arg(long, value_name = "[ADDRESS:]PORT", conflicts_with_all = ["front", "shot", "text", "wav", "record", "json"])]
    pub(crate) gdb: Option<String>,
    /// Run, headless, and tell where a character of the final text screen came from (ROW,COL from 0): who wrote it, from what, back to a
    /// key or to the program's data; the same for pixel=X,Y, colour=N, a register, a name or SEG:OFF; the folder stays unchanged
    #[arg(long, value_name = "ROW,COL", conflicts_with_all = ["window", "terminal", "shot", "text", "wav", "record", "json", "gdb"])]
    pub(crate) who: Option<String>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}

impl Run {
    /// A program alone, with these options.
    pub(crate) fn of(program: &Path, guest: GuestOptions) -> Run {
        let assembler = AssemblerOptions { include: Vec::new(), assembler: None };
        let program = program.to_owned();
        Run { program, symbols: None, args: Vec::new(), guest, gdb: None, who: None, assembler }
    }
}

/// Shown below the help of `shell`.
const SHELL_HELP: &str = "\
The commands: BREAK CALL CD CLS COPY DATE DEL DIR ECHO EXIT FOR GOTO IF LH MD PATH PAUSE PROMPT RD REM REN SET SHIFT TIME TRUENAME TYPE VER \
VERIFY VOL; redirection by > >> < and pipes; batch files. At the prompt Up and Down bring earlier lines back. EXIT ends it, with the last \
ERRORLEVEL as the exit code. COMMAND.COM, which programs find by COMSPEC, is on drive Z:, which is nowhere on the host.";

#[derive(Debug, Args)]
#[command(after_help = SHELL_HELP)]
pub(crate) struct Shell {
    /// The folder that is drive C: (default: the current one)
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) guest: GuestOptions,
}

/// Shown below the help of `debug`.
const DEBUG_HELP: &str = "\
F1 or ? tells the keys: s step, n over, o out, c run, and S, N, O, C the same backwards; t and b set breakpoints, y tells who wrote what is \
on the screen, in a register or in memory. The program runs at full speed between stops; its folder stays unchanged.";

#[derive(Debug, Clone, Args)]
#[command(after_help = DEBUG_HELP)]
pub(crate) struct Debug {
    /// The program: .COM, .EXE or .ASM; several .ASM, .OBJ and .LIB of one program joined by `+`
    pub(crate) program: PathBuf,
    /// Names and source lines of a program that was built elsewhere: what build --debug wrote, an assembler's listing, or a
    /// linker's map (default: PROGRAM.DBG, CodeView's or Turbo Debugger's tables in it, PROGRAM.LST, PROGRAM.MAP)
    #[arg(long, value_name = "FILE")]
    pub(crate) symbols: Option<PathBuf>,
    /// The program's command tail (after `--` where a word begins with a dash)
    pub(crate) args: Vec<String>,
    #[arg(long, value_name = "KEYS", conflicts_with = "script", allow_hyphen_values = true, help = KEYS_HELP)]
    pub(crate) keys: Option<String>,
    /// A script: keys and waits
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Breakpoints to begin with: game.asm:12, NAME, SEG:OFF, "int 21h ah=9", "port 3C8h", "write NAME if ax==5"
    #[arg(long = "break", value_name = "PLACE")]
    pub(crate) breakpoints: Vec<String>,
    /// Processor; 586 is the Pentium, with CMOVcc, which its successor brought
    #[arg(long, value_enum, default_value_t = Processor::I386)]
    pub(crate) cpu: Processor,
    /// Coprocessor: the one that belongs to the processor (8087, 80287, 80387), or none
    #[arg(long, value_enum, default_value_t = Coprocessor::Auto)]
    pub(crate) fpu: Coprocessor,
    /// Guest speed in instructions per millisecond
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SPEED, value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub(crate) speed: u32,
    /// The host folder that is drive C: (default: the program's own)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct AssemblerOptions {
    /// A folder with include files and libraries for .ASM, besides the built-in asm/include
    #[arg(long, value_name = "FOLDER")]
    pub(crate) include: Vec<PathBuf>,
    /// Another assembler than the built-in UASM, such as JWasm
    #[arg(long, value_name = "PATH")]
    pub(crate) assembler: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// .ASM, .OBJ and .LIB files
    #[arg(required = true, value_name = "SRC")]
    pub(crate) sources: Vec<PathBuf>,
    /// The program to write, .EXE or .COM (default: the first source's name with .EXE)
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Write a map of segments and symbols
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Write names and source lines, for run: beside the program, with its name and .DBG, they are found
    #[arg(long, value_name = "FILE")]
    pub(crate) debug: Option<PathBuf>,
    /// Write what the assembler made of each line
    #[arg(long, value_name = "FILE")]
    pub(crate) listing: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The games to verify (default: all)
    #[arg(value_name = "GAME", value_parser = A_GAME)]
    pub(crate) games: Vec<String>,
    /// Hold this program, instead of the built-in one, against the game's native twin
    #[arg(long, value_name = "FILE", requires = "games")]
    pub(crate) program: Option<PathBuf>,
    /// The folder for what shows the first divergences: both screens, of pictures the difference too, and a script that plays
    /// the program there again. It is made when there is something to write.
    #[arg(long, value_name = "FOLDER", default_value = "divergences")]
    pub(crate) divergences: PathBuf,
    /// Do one of N parts, the I-th, for `oxbox merge`: other processes do the others
    #[arg(long, value_name = "I/N", requires = "out")]
    pub(crate) shard: Option<Shard>,
    /// The file that the part is written to
    #[arg(long, value_name = "PART", requires = "shard")]
    pub(crate) out: Option<PathBuf>,
    /// Write a page with every line of play and the screens that the program shows, to walk through in a browser
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    pub(crate) html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Arena {
    /// Write a page with the matches as a coloured matrix
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shown below the help of `claims`.
const CLAIMS_JSON: &str = "\
--json prints {\"claims\": [{\"name\", \"system\", \"claim\", \"where\", \"command\", \"verdict\", \"figure\", \"details\"}]}: \
what the claim is called here, what it is about, what the document says and where, the command that shows it; \
the verdict is holds, in_part, fails or answered (the document leaves it open), the figure says so in a \
sentence, and details is a list of lines that it is made of. Every row is computed when it is asked for. The exit code is 0 whatever the verdicts.";

#[derive(Debug, Args)]
#[command(after_help = CLAIMS_JSON)]
pub(crate) struct Claims {
    /// Claims by name, shown with what their figures are made of (default: all, without)
    #[arg(value_name = "CLAIM")]
    pub(crate) claims: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shown below the help of `relatives`.
const RELATIVES_HELP: &str = "\
A game is played line by line on stdin and stdout: '5' places a stone on square 5 (1 to 9, row by row), '5 2' moves one from 5 \
to 2, '?' tells what each of your turns is worth, 'q' leaves. A line that is no turn is told and asked for again. Exit \
codes: 0 the game is over or was left, 2 wrong usage, 123 the input ended before the game did.\n\n\
--json prints {\"games\": [{\"game\", \"adjacent\", \"first_player\", \"turns\", \"as_placed\", \"up_to_symmetry\", \"cannot_move\"}]}: \
the first player wins, loses or draws with best play, after so many turns of both players; positions, won, lost and drawn for the \
player to move, all and up to the eight symmetries of the board; positions whose mover cannot move, and has lost.";

#[derive(Debug, Args)]
#[command(after_help = RELATIVES_HELP)]
pub(crate) struct Relatives {
    /// The game to play (default: print the solutions of all)
    #[arg(value_enum)]
    pub(crate) game: Option<Relative>,
    /// Which squares of Achi are adjacent: the eight neighbours, the four in row and column, or along the lines of the
    /// board, rows, columns and the two diagonals (default: lines)
    #[arg(long, value_enum)]
    pub(crate) adjacent: Option<Adjacent>,
    /// Let the solver begin
    #[arg(long, requires = "game")]
    pub(crate) second: bool,
    /// Print the solutions as JSON, and do not play
    #[arg(long)]
    pub(crate) json: bool,
}

/// The games of `relatives`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Relative {
    /// Arabian Millwheel: three stones each, which then jump
    Millwheel,
    /// Achi, or African Millwheel: four stones each, which then move to adjacent squares
    Achi,
}

/// The readings of Achi.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Adjacent {
    Eight,
    Four,
    Lines,
}

#[derive(Debug, Args)]
#[command(after_help = TEST_CODES)]
pub(crate) struct Test {
    /// The suites, TOML files: docs/guide/grade-a-class.md has the format
    #[arg(value_name = "SUITE", required_unless_present = "program")]
    pub(crate) suites: Vec<PathBuf>,
    /// Test this program instead of the suite's own (.COM, .EXE or .ASM, several files of one joined by `+`); again for
    /// each submission of a class
    #[arg(long, value_name = "P", num_args = 1.., action = clap::ArgAction::Append)]
    pub(crate) program: Vec<PathBuf>,
    /// How many tests run at a time (default: one a core)
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Only tests whose name holds this
    #[arg(long, value_name = "NAME")]
    pub(crate) filter: Option<String>,
    /// The folder whose copies are drive C: (default: the suite's own); every test gets a copy
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    /// Write the golden screens instead of comparing with them
    #[arg(long)]
    pub(crate) bless: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write JUnit XML, for CI
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write Gradescope's results.json, about one submission
    #[arg(long, value_name = "FILE")]
    pub(crate) gradescope: Option<PathBuf>,
    /// Write a row a submission, for a spreadsheet
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write which source lines all tests together have executed, as LCOV; a FILE that is there is added to
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: Option<PathBuf>,
    /// Write a page with the screens side by side
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}

/// Shown below the help of `test`.
const TEST_CODES: &str = "\
Exit codes: 0 all tests passed, 1 some failed, 2 a suite is broken or the usage is wrong, 125 the host failed.";

#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// The game, as `oxbox list` names it
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
    /// The speaker's wire as it is, or through the cone of a small loudspeaker (default: filtered where it is heard, raw in --wav)
    #[arg(long, value_enum)]
    pub(crate) speaker: Option<SpeakerSound>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Chip {
    /// The chip's registers clock by clock
    Trace {
        /// Stones, buttons, moves and pauses, such as "u2 c4 b5 0 w3 8": uN, cN put down a stone of the user or the chip,
        /// b or bN lets the chip begin (with N in its counter), 0 to 8 are moves of the user, w or wN lets clocks pass
        /// without a key
        #[arg(long, value_name = "KEYS")]
        keys: Option<String>,
        /// Print a table for people, with the lamps as a board and the outputs by name, instead of CSV
        #[arg(long)]
        table: bool,
        /// Write a waveform that GTKWave opens
        #[arg(long, value_name = "FILE")]
        vcd: Option<PathBuf>,
        /// Write the waveform as a drawing
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
}

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
}

/// What `--trace` takes: `calls`, `ports`, `code`, each perhaps with `=FILE`.
fn trace(text: &str) -> Result<(Trace, Option<PathBuf>), String> {
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

/// What `--machine` takes: a PC by its display adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Machine {
    Cga,
    Ega,
    Vga,
}

impl From<Machine> for Adapter {
    fn from(machine: Machine) -> Adapter {
        match machine {
            Machine::Cga => Adapter::Cga,
            Machine::Ega => Adapter::Ega,
            Machine::Vga => Adapter::Vga,
        }
    }
}

/// What `--speaker` takes.
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

/// What `--fpu` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Coprocessor {
    Auto,
    None,
}

impl From<Processor> for Model {
    fn from(processor: Processor) -> Model {
        match processor {
            Processor::I8086 => Model::I8086,
            Processor::I186 => Model::I186,
            Processor::I286 => Model::I286,
            Processor::I386 => Model::I386,
            Processor::I486 => Model::I486,
            Processor::I586 => Model::I586,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn clap_finds_no_contradiction() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn lines_parse_or_are_refused() {
        let table = [
            ("oxbox", true),
            ("oxbox --terminal", true),
            ("oxbox --terminal --window", false),
            ("oxbox play ttt1 --keys 0", true),
            ("oxbox play", false),
            ("oxbox run a.com x y --headless --text -", true),
            ("oxbox run a.com -- -x", true),
            ("oxbox run a.com -x", false),
            ("oxbox run a.com --keys - --script s", false),
            ("oxbox run a.com --keys -", true),
            ("oxbox run a.com --cpu 80286", true),
            ("oxbox run a.com --cpu 486", true),
            ("oxbox run a.com --cpu 686", false),
            ("oxbox run a.com --fpu none", true),
            ("oxbox run a.com --fpu auto", true),
            ("oxbox run a.com --fpu 387", false),
            ("oxbox run a.com --trace calls --trace ports=p.txt", true),
            ("oxbox run a.com --machine cga --speaker filtered", true),
            ("oxbox run a.com --machine hercules", false),
            ("oxbox run a.com --trace keys", false),
            ("oxbox run a.com --speed 0", false),
            ("oxbox verify --program x.exe", false),
            ("oxbox verify ttt1 --program x.exe --json", true),
            ("oxbox verify ttt1 --html t.html --shard 1/2 --out p", false),
            ("oxbox tune eecs2100", true),
            ("oxbox tune eecs2100 --wav x.wav", false),
            ("oxbox build", false),
            ("oxbox claims --json", true),
            ("oxbox claims oxo-dual chip-clocks", true),
            ("oxbox relatives", true),
            ("oxbox relatives achi --adjacent four --second", true),
            ("oxbox relatives --second", false),
            ("oxbox relatives morris", false),
            ("oxbox explore a.com --choices 1 --shard 1/2 --out p", true),
            ("oxbox explore a.com --choices 1 --shard 3/2 --out p", false),
            ("oxbox explore a.com --choices 1 --shard 1/2", false),
            ("oxbox same a.com b.com --choices 1 --out p", false),
            ("oxbox merge", false),
            ("oxbox merge p q --json", true),
            ("oxbox test", false),
            ("oxbox test s.toml --program a.asm b.asm --program c.com --jobs 4 --filter x", true),
            ("oxbox test s.toml --jobs 0", false),
            ("oxbox list --json -v", true),
            ("oxbox man chip trace", true),
            ("oxbox man play -o folder", false),
            ("oxbox help script", true),
        ];
        for (line, good) in table {
            assert_eq!(Arguments::try_parse_from(line.split(' ')).is_ok(), good, "{line}");
        }
    }
}
