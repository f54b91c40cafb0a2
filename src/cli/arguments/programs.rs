//! Options of the commands that play, run, debug and build programs.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use oxbox::hardware::{DEFAULT_SPEED, DateTime};
use oxbox::toolchain::Reading;

use super::guest::{GuestOptions, KEYS_HELP};
use super::values::{A_GAME, CLOCK_HELP, Coprocessor, EXIT_CODES, Language, Processor, clock};

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Play {
    /// The game, by its name in `oxbox list`
    #[arg(value_parser = A_GAME)]
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) guest: GuestOptions,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Run {
    /// The program: .COM, .EXE, .BAT (its exit code is the last ERRORLEVEL) or .ASM; several .ASM,
    /// .OBJ and .LIB of one program joined by `+`. Or a disk to boot: .IMG, a whole floppy or a
    /// boot sector of 512 bytes
    pub(crate) program: PathBuf,
    /// Symbols and source lines of a program that was built elsewhere: the file of build --debug,
    /// an assembler's listing, or a linker's map (default: PROGRAM.DBG, CodeView's or Turbo
    /// Debugger's tables in it, PROGRAM.LST, PROGRAM.MAP)
    #[arg(long, value_name = "FILE")]
    pub(crate) symbols: Option<PathBuf>,
    /// The program's command tail (after `--` if a word begins with a dash)
    pub(crate) args: Vec<String>,
    #[command(flatten)]
    pub(crate) guest: GuestOptions,
    /// Wait for gdb at this address (a port alone is on loopback), and let it run the program; the
    /// folder does not change
    #[arg(long, value_name = "[ADDRESS:]PORT", conflicts_with_all = ["front", "shot", "text", "wav", "record", "json"])]
    pub(crate) gdb: Option<String>,
    /// Run headless, and report the origin of a character of the final text screen (ROW,COL from
    /// 0): the instruction that wrote it and the source of the data, back to a key or to the
    /// program's data; also for pixel=X,Y, colour=N, a register, a name or SEG:OFF; the folder does
    /// not change
    #[arg(long, value_name = "ROW,COL", conflicts_with_all = ["window", "terminal", "shot", "text", "wav", "record", "json", "gdb"])]
    pub(crate) who: Option<String>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}

impl Run {
    /// Returns the arguments for a program with these options only.
    pub(crate) fn of(program: &Path, guest: GuestOptions) -> Run {
        let assembler = AssemblerOptions::default();
        let program = program.to_owned();
        Run { program, symbols: None, args: Vec::new(), guest, gdb: None, who: None, assembler }
    }
}

/// Shown below the help of `shell`.
const SHELL_HELP: &str = "\
The commands: BREAK CALL CD CLS COPY DATE DEL DIR ECHO EXIT FOR GOTO IF LH MD PATH PAUSE PROMPT RD REM REN SET SHIFT TIME TRUENAME TYPE VER \
VERIFY VOL; redirection by > >> < and pipes; batch files. At the prompt, Up and Down recall earlier lines. EXIT ends it, with the last ERRORLEVEL as the exit code. COMMAND.COM, which programs find by COMSPEC, is on drive Z:, which is not a folder of the host.";

#[derive(Debug, Args)]
#[command(after_help = SHELL_HELP)]
pub(crate) struct Shell {
    /// The folder for drive C: (default: the current one)
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) guest: GuestOptions,
}

/// Shown below the help of `debug`.
const DEBUG_HELP: &str = "\
F1 or ? shows the keys: s step, n over, o out, c run, and S, N, O, C the same backwards; t and b set breakpoints, y finds the instruction that wrote a part of the screen, a register or memory. The program runs at full speed between stops; its folder stays unchanged.";

#[derive(Debug, Clone, Args)]
#[command(after_help = DEBUG_HELP)]
pub(crate) struct Debug {
    /// The program: .COM, .EXE or .ASM; several .ASM, .OBJ and .LIB of one program joined by `+`
    pub(crate) program: PathBuf,
    /// Symbols and source lines of a program that was built elsewhere: the file of build --debug,
    /// an assembler's listing, or a linker's map (default: PROGRAM.DBG, CodeView's or Turbo
    /// Debugger's tables in it, PROGRAM.LST, PROGRAM.MAP)
    #[arg(long, value_name = "FILE")]
    pub(crate) symbols: Option<PathBuf>,
    /// The program's command tail (after `--` if a word begins with a dash)
    pub(crate) args: Vec<String>,
    #[arg(long, value_name = "KEYS", conflicts_with = "script", allow_hyphen_values = true, help = KEYS_HELP)]
    pub(crate) keys: Option<String>,
    /// A script: keys and waits
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Initial breakpoints: game.asm:12, NAME, SEG:OFF, "int 21h ah=9", "port 3C8h", "write NAME if
    /// ax==5"; conditions are expressions (`oxbox help expressions`)
    #[arg(long = "break", value_name = "PLACE")]
    pub(crate) breakpoints: Vec<String>,
    /// Initial watch expressions: total, "byte ptr [bx+1] > 10h"
    #[arg(long = "watch", value_name = "EXPRESSION")]
    pub(crate) watches: Vec<String>,
    #[arg(long, value_name = "DATE TIME", value_parser = clock, help = CLOCK_HELP)]
    pub(crate) clock: Option<DateTime>,
    /// Processor (default: the script's, else 386); 586 is the Pentium, plus its successor's CMOVcc
    #[arg(long, value_enum)]
    pub(crate) cpu: Option<Processor>,
    /// Coprocessor: the one that belongs to the processor (8087, 80287, 80387), or none
    #[arg(long, value_enum, default_value_t = Coprocessor::Auto)]
    pub(crate) fpu: Coprocessor,
    /// Guest speed in instructions per millisecond
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SPEED, value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub(crate) speed: u32,
    /// The host folder for drive C: (default: the program's own)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AssemblerOptions {
    /// A folder with include files and libraries for .ASM, in addition to the built-in asm/include
    #[arg(long, value_name = "FOLDER")]
    pub(crate) include: Vec<PathBuf>,
    /// An assembler to use instead of the built-in UASM: JWasm or NASM of this system, or a DOS
    /// assembler (TASM, MASM, A86, WASM, ...), which runs in the machine
    #[arg(long, value_name = "PATH")]
    pub(crate) assembler: Option<PathBuf>,
    /// The assembler that a source is written for; -v prints how it was detected
    #[arg(long, value_enum, default_value_t = Language::Auto, hide_possible_values = true, value_name = "auto|masm5|masm6|tasm|ideal|emu8086|nasm|fasm")]
    pub(crate) dialect: Language,
}

impl AssemblerOptions {
    /// Returns how sources are read. A source that selects no processor may use all instructions of
    /// the machine's.
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
    /// Write symbols and source lines for run, which finds them beside the program with its name
    /// and .DBG
    #[arg(long, value_name = "FILE")]
    pub(crate) debug: Option<PathBuf>,
    /// Write a listing: the code and data generated for each line
    #[arg(long, value_name = "FILE")]
    pub(crate) listing: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}
