//! What the commands take that play, run, debug and build programs.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use oxbox::hardware::{DEFAULT_SPEED, DateTime};
use oxbox::toolchain::Reading;

use super::guest::{GuestOptions, KEYS_HELP};
use super::values::{A_GAME, CLOCK_HELP, Coprocessor, EXIT_CODES, Language, Processor, clock};

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
        let assembler = AssemblerOptions::default();
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
    /// Breakpoints to begin with: game.asm:12, NAME, SEG:OFF, "int 21h ah=9", "port 3C8h", "write NAME if ax==5"; conditions
    /// are expressions (`oxbox help expressions`)
    #[arg(long = "break", value_name = "PLACE")]
    pub(crate) breakpoints: Vec<String>,
    /// Expressions to watch from the beginning: total, "byte ptr [bx+1] > 10h"
    #[arg(long = "watch", value_name = "EXPRESSION")]
    pub(crate) watches: Vec<String>,
    #[arg(long, value_name = "DATE TIME", value_parser = clock, help = CLOCK_HELP)]
    pub(crate) clock: Option<DateTime>,
    /// Processor (default: the script's, else 386); 586 is the Pentium, with CMOVcc, which its successor brought
    #[arg(long, value_enum)]
    pub(crate) cpu: Option<Processor>,
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

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AssemblerOptions {
    /// A folder with include files and libraries for .ASM, besides the built-in asm/include
    #[arg(long, value_name = "FOLDER")]
    pub(crate) include: Vec<PathBuf>,
    /// Another assembler than the built-in UASM: JWasm or NASM of this system, or an assembler of DOS (TASM, MASM, A86, WASM, ...), which
    /// is run in the machine
    #[arg(long, value_name = "PATH")]
    pub(crate) assembler: Option<PathBuf>,
    /// Which assembler a source is written for; -v says what tells it
    #[arg(long, value_enum, default_value_t = Language::Auto, hide_possible_values = true, value_name = "auto|masm5|masm6|tasm|ideal|emu8086|nasm|fasm")]
    pub(crate) dialect: Language,
}

impl AssemblerOptions {
    /// How sources are read. One that names no processor may use all that the machine's has.
    pub(crate) fn reading(&self, processor: Option<Processor>) -> Reading {
        let processor = processor.map_or(Reading::default().processor, |processor| match processor {
            Processor::I8086 => 0,
            Processor::I186 => 1,
            Processor::I286 => 2,
            Processor::I386 => 3,
            Processor::I486 => 4,
            Processor::I586 => 5,
            Processor::Auto => Reading::default().processor,
        });
        Reading { dialect: self.dialect.into(), processor }
    }
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
