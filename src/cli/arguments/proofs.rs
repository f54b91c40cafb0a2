//! Options of the commands that prove and test.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use oxbox::walk::Shard;

use super::programs::AssemblerOptions;
use super::values::A_GAME;
use crate::cli::pages::live::Live;
use crate::cli::sandbox::SandboxOptions;

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The games to verify (default: all)
    #[arg(value_name = "GAME", value_parser = A_GAME)]
    pub(crate) games: Vec<String>,
    /// Compare this program, instead of the built-in one, with the game's native twin
    #[arg(long, value_name = "FILE", requires = "games")]
    pub(crate) program: Option<PathBuf>,
    /// Try every key of the keyboard at each wait, alone and with Shift, Ctrl and Alt; takes seconds to
    /// a minute for each game (default: in each position the game's own keys, and some of each kind that
    /// it refuses; every key in some of the positions)
    #[arg(long, alias = "keys")]
    pub(crate) every_key: bool,
    /// Try only the game's own keys, and some of each kind that it refuses
    #[arg(long, conflicts_with_all = ["every_key", "starts"])]
    pub(crate) quick: bool,
    /// Also search from other starting conditions: arguments, environment, contents of memory, lock
    /// keys, processor, no ANSI.SYS, and dates and slow keys if the program reads the date or the time;
    /// takes three times as long as --quick, with dates forty times
    #[arg(long, conflicts_with = "every_key")]
    pub(crate) starts: bool,
    /// The folder for the evidence of the first divergences: both screens (for pictures also their
    /// difference), and a script that plays the program to that point. It is created if needed.
    #[arg(long, value_name = "FOLDER", default_value = "divergences")]
    pub(crate) divergences: PathBuf,
    /// Do only part I of N; other processes do the others, and `oxbox merge` joins them
    #[arg(long, value_name = "I/N", requires = "out")]
    pub(crate) shard: Option<Shard>,
    /// The output file of the part
    #[arg(long, value_name = "PART", requires = "shard")]
    pub(crate) out: Option<PathBuf>,
    /// Write a page with every line of play and the program's screens, to browse
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    pub(crate) html: Option<PathBuf>,
    /// The address of a page written by `oxbox publish`: every position gets a link to the machine
    /// there
    #[arg(long, value_name = "ADDRESS", requires = "html", value_parser = Live::parse)]
    pub(crate) live: Option<Live>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Arena {
    /// Write a page with the matches as a coloured matrix
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// The address of a page written by `oxbox publish`: every game gets a link to the machine
    /// there
    #[arg(long, value_name = "ADDRESS", requires = "html", value_parser = Live::parse)]
    pub(crate) live: Option<Live>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shown below the help of `claims`.
const CLAIMS_JSON: &str = "\
--json prints {\"claims\": [{\"name\", \"system\", \"claim\", \"where\", \"shown\", \"command\", \"verdict\", \"figure\", \"details\"}]}: \
what the claim is called here, what it is about, what the document says and where; shown is how it was checked, executed (on the \
program), modelled (natively) or read (in the document); the command that shows it; \
the verdict is holds, in_part, fails, answered (the document leaves it open) or open (what is published does not settle it), the figure says so in a \
sentence, and details is a list of lines that it is made of. Every row is computed when it is asked for. The exit code is 0 whatever the verdicts.";

#[derive(Debug, Args)]
#[command(after_help = CLAIMS_JSON)]
pub(crate) struct Claims {
    /// Claims by name, shown with the components of their figures (default: all, without)
    #[arg(value_name = "CLAIM")]
    pub(crate) claims: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shown below the help of `model`.
const MODEL_HELP: &str = "\
Keys are places: 0 to 8 row by row, for eecs2100 1 to 9 as on the keypad, for oxo 1 to 8 clockwise from the upper left. Without \
--keys the lines of play are counted: for course those of each reading, for chip-search the cost of each first reply.";

#[derive(Debug, Args)]
#[command(after_help = MODEL_HELP)]
pub(crate) struct Model {
    /// The model
    #[arg(value_enum)]
    pub(crate) model: ModelName,
    /// The user's moves: shows the board and the model's state after each
    #[arg(long, value_name = "KEYS")]
    pub(crate) keys: Option<String>,
    /// For grid18: the results of the procedures for this grid, 18 bits with bit 17 first
    #[arg(long, value_name = "BITS", conflicts_with = "keys")]
    pub(crate) grid: Option<String>,
}

/// The models of `model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelName {
    /// TTT1 as it executes
    Ttt1,
    /// TTT1 with the intended jump table of its block routine
    Ttt1Mended,
    /// The submitted game
    Eecs2100,
    /// The submitted game, with a corner as reply to the centre
    Eecs2100Corner,
    /// The algorithm printed in the assignment
    Course,
    /// The assignment's words, with a search two moves ahead
    LookAhead,
    /// The grid of 18 bits
    Grid18,
    /// OXO with the text's wrap
    Oxo,
    /// OXO as its listing is printed
    OxoPrinted,
    /// The chip clock by clock
    Chip,
    /// The chip's search compared with minimax
    ChipSearch,
}

/// Shown below the help of `relatives`.
const RELATIVES_HELP: &str = "\
--json prints {\"games\": [{\"game\", \"adjacent\", \"first_player\", \"turns\", \"as_placed\", \"up_to_symmetry\", \"cannot_move\"}]}: \
the first player wins, loses or draws with best play, after so many turns of both players; positions, won, lost and drawn for the \
player to move, all and up to the eight symmetries of the board; positions whose mover cannot move, and has lost.";

#[derive(Debug, Args)]
#[command(after_help = RELATIVES_HELP)]
pub(crate) struct Relatives {
    /// Print the solutions as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = TEST_CODES)]
pub(crate) struct Test {
    /// The suites, TOML files: docs/guide/grade-a-class.md has the format
    #[arg(value_name = "SUITE", required_unless_present = "program")]
    pub(crate) suites: Vec<PathBuf>,
    /// Test this program instead of the suite's own (.COM, .EXE or .ASM, several files of one
    /// joined by `+`); can be repeated for the submissions of a class
    #[arg(long, value_name = "P", num_args = 1.., action = clap::ArgAction::Append)]
    pub(crate) program: Vec<PathBuf>,
    /// Number of tests that run at the same time (default: one per core)
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Run only tests whose name contains this
    #[arg(long, value_name = "NAME")]
    pub(crate) filter: Option<String>,
    /// The folder that is copied to drive C: of every test (default: the suite's own)
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
    /// Write the result for GitHub Classroom's reporter, about one submission
    #[arg(long, value_name = "FILE")]
    pub(crate) classroom: Option<PathBuf>,
    /// Write comments and grade for Moodle's VPL, about one submission; the range is VPL_GRADEMIN
    /// to VPL_GRADEMAX if these variables are set
    #[arg(long, value_name = "FILE")]
    pub(crate) vpl: Option<PathBuf>,
    /// Write the failures as workflow commands, which GitHub displays beside the source lines
    #[arg(long, value_name = "FILE")]
    pub(crate) annotations: Option<PathBuf>,
    /// Write the failures as SARIF 2.1.0, for code scanning and editors
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write one row per submission, for a spreadsheet
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write which source lines all tests together have executed, as LCOV; adds to an existing FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: Option<PathBuf>,
    /// Write a page with the screens side by side
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the similarity of the submissions, by their execution: a page with pairs side by side,
    /// or JSON as .json
    #[arg(long, value_name = "FILE")]
    pub(crate) similar: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) assembler: AssemblerOptions,
    #[command(flatten)]
    pub(crate) sandbox: SandboxOptions,
}

/// Shown below the help of `test`.
const TEST_CODES: &str = "\
Exit codes: 0 all tests passed, 1 some failed, 2 a suite is broken or the usage is wrong, 125 the host failed.";
