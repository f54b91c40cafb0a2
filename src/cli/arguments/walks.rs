//! Options of `explore`, `same`, `referee` and `merge`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use oxbox::hardware::DateTime;
use oxbox::walk::Shard;

use super::programs::AssemblerOptions;
use super::values::{CLOCK_HELP, Processor, clock};
use crate::cli::sandbox::SandboxOptions;

#[derive(Debug, Args)]
#[command(after_help = WHAT_HELP)]
pub(crate) struct Explore {
    /// The program, .COM, .EXE or .ASM, or a game's name
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) walk: WalkOptions,
    /// Print the shortest keys to this condition; exit 0 if each is found, else 1
    #[arg(long, value_name = "WHAT")]
    pub(crate) find: Vec<String>,
    /// Print every state in which this condition is true, each with its shortest keys
    #[arg(long, value_name = "WHAT")]
    pub(crate) find_all: Vec<String>,
    /// Exit 1 with the shortest keys if this condition can be reached
    #[arg(long, value_name = "WHAT")]
    pub(crate) never: Vec<String>,
    /// Exit 1 with the shortest keys if this condition is false in some state: at a wait or an end
    #[arg(long, value_name = "WHAT")]
    pub(crate) always: Vec<String>,
    /// Instead of a search: print the difference between the states after these two lists of keys
    #[arg(long, value_names = ["KEYS", "KEYS"], num_args = 2, conflicts_with_all = ["find", "find_all", "never", "always", "json"])]
    pub(crate) why_different: Option<Vec<String>>,
    /// With `--choices any`, run every key separately, even keys that the program treats alike; the
    /// report is the same
    #[arg(long)]
    pub(crate) every_key: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const WHAT_HELP: &str = "\
WHAT is one of text:TEXT (on the text screen), output:TEXT (printed since the last choice), picture:FILE.png (the screen \
holds this picture somewhere, exactly), exit:CODE, crash, hang, mem:PLACE=VALUE (bytes: mem:40:17=80h, mem:total=word 27), \
or an expression, such as vals[si] == 3 && byte ptr [bx+1] > 10h (`oxbox help expressions`).";

#[derive(Debug, Args)]
pub(crate) struct Same {
    /// The first program, .COM, .EXE or .ASM, or a game's name
    pub(crate) a: PathBuf,
    /// The second program
    pub(crate) b: PathBuf,
    #[command(flatten)]
    pub(crate) walk: WalkOptions,
    /// The comparison at each wait and each end, in addition to how the programs end: the text
    /// screen (in graphics the picture), always the picture, or the output since the last choice
    #[arg(long, value_enum, default_value_t = CompareOption::Text)]
    pub(crate) compare: CompareOption,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareOption {
    Text,
    Screen,
    Output,
}

/// The choices and limits of a search.
#[derive(Debug, Clone, Args)]
pub(crate) struct WalkOptions {
    /// The choices at each wait or poll for a key: ranges, characters, names as in --keys, any,
    /// click X Y
    #[arg(long, value_name = "KEYS", required_unless_present = "choices_file", allow_hyphen_values = true)]
    pub(crate) choices: Option<String>,
    /// The same from a file, one choice per line, each in the syntax of --keys (`5 ENTER` is one
    /// choice, `@55 c` another)
    #[arg(long, value_name = "FILE", conflicts_with = "choices")]
    pub(crate) choices_file: Option<PathBuf>,
    /// Keys to type first
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub(crate) keys: Option<String>,
    /// Maximum number of consecutive choices
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// Stop at this number of states
    #[arg(long, value_name = "N")]
    pub(crate) states: Option<usize>,
    /// Memory for states in MiB; further states go to disk
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub(crate) state_memory: usize,
    /// Stop if states take more than this many MiB on disk, in temporary files without a name; 0
    /// keeps all in memory
    #[arg(long, value_name = "MIB", default_value_t = 16384)]
    pub(crate) state_disk: u64,
    /// Maximum number of instructions between two waits; more is a hang
    #[arg(long, value_name = "N", default_value_t = oxbox::walk::program::INSTRUCTION_LIMIT)]
    pub(crate) instruction_limit: u64,
    /// When two waits are the same state: as program if no condition concerns the screen, else as
    /// state; the program and its user can observe no difference; the program can observe no
    /// difference, ignoring the screen; as state, ignoring reads of the clock; or the screens are
    /// equal
    #[arg(long, value_enum, default_value_t = Sameness::Auto)]
    pub(crate) same: Sameness,
    #[arg(long, value_name = "DATE TIME", value_parser = clock, help = CLOCK_HELP)]
    pub(crate) clock: Option<DateTime>,
    /// Processor
    #[arg(long, value_enum, default_value_t = Processor::I386)]
    pub(crate) cpu: Processor,
    /// The host folder for drive C: (default: the program's own); it does not change
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    /// Number of states to expand at the same time (default: the number of processors); the report
    /// does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// Do only part I of N; other processes do the others, and `oxbox merge` joins them
    #[arg(long, value_name = "I/N", requires = "out")]
    pub(crate) shard: Option<Shard>,
    /// The output file of the part
    #[arg(long, value_name = "PART", requires = "shard")]
    pub(crate) out: Option<PathBuf>,
    /// Distinguish the states that this part distinguishes, if `oxbox merge` asks for it
    #[arg(long, value_name = "PART", requires = "shard")]
    pub(crate) observed_from: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sandbox: SandboxOptions,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
}

#[derive(Debug, Args)]
#[command(after_help = REFEREE_HELP)]
pub(crate) struct Referee {
    /// The program, .COM, .EXE or .ASM, or a game's name
    pub(crate) program: PathBuf,
    /// The keys of the game, in the syntax of `explore --choices`, or choices of several keys: `1
    /// ENTER, 2 ENTER` (default: try every key)
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub(crate) keys: Option<String>,
    /// Keys to type first, such as those that select a game for two
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub(crate) opening: Option<String>,
    /// The address of the first cell of the board, as SEG:OFF (default: found automatically)
    #[arg(long, value_name = "SEG:OFF")]
    pub(crate) board: Option<String>,
    /// A text that announces an end, and its meaning: `X wins=x`, `You win=row`, `Draw=draw`
    #[arg(long, value_name = "TEXT=END")]
    pub(crate) announces: Vec<String>,
    /// Stop at this number of states
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) states: usize,
    /// Maximum number of instructions between two waits; more is a hang
    #[arg(long, value_name = "N", default_value_t = oxbox::walk::program::INSTRUCTION_LIMIT)]
    pub(crate) instruction_limit: u64,
    /// Processor
    #[arg(long, value_enum, default_value_t = Processor::I386)]
    pub(crate) cpu: Processor,
    /// The host folder for drive C: (default: the program's own); it does not change
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
    /// Number of states to expand at the same time (default: the number of processors); the report
    /// does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// Also write the report as an HTML page
    #[arg(short, long = "out", value_name = "FILE.html")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
    #[command(flatten)]
    pub(crate) sandbox: SandboxOptions,
}

const REFEREE_HELP: &str = "\
Exit code 0: no rule is broken; 1: one is; 120: the referee could not interpret the program. `holds` is proved for every state that the keys named in the report \
can reach, `bounded` for the states that were looked at.";

#[derive(Debug, Args)]
#[command(after_help = MERGE_HELP)]
pub(crate) struct Merge {
    /// The parts written by --shard I/N --out PART, in any order
    #[arg(value_name = "PART", required = true)]
    pub(crate) parts: Vec<PathBuf>,
    /// For parts of verify: the folder for the evidence of the first divergences
    #[arg(long, value_name = "FOLDER", default_value = "divergences")]
    pub(crate) divergences: PathBuf,
    /// Print JSON (also if the parts were made with --json)
    #[arg(long)]
    pub(crate) json: bool,
}

const MERGE_HELP: &str = "\
The output and the exit code are those of a single run. A missing part, a duplicate, or a part of another search is reported: exit code 2.";

/// `--same`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sameness {
    Auto,
    State,
    Program,
    Memory,
    Screen,
}
