//! The command line for clap: every command, option and help text.
//!
//! Users and scripts depend on it; this module contains no logic.

mod guest;
mod late;
mod programs;
mod proofs;
mod tools;
mod values;
mod walks;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use guest::{FrontOptions, GuestOptions};
use late::Late;
pub(crate) use programs::{AssemblerOptions, Build, Debug, Play, Run, Shell};
pub(crate) use proofs::{Arena, Claims, Model, ModelName, Relatives, Test, Verify};
pub(crate) use tools::{Chip, Explain, JsonOption, Kind, Man, New, Publish, Tune};
use values::EXIT_CODES;
pub(crate) use values::{Coprocessor, Machine, Palette, Processor};
pub(crate) use walks::{CompareOption, Explore, Merge, Referee, Same, Sameness, WalkOptions};

/// A deterministic real-mode DOS machine that plays historic tic-tac-toe programs and proves things about them.
///
/// Without a command: the launcher, a menu of the games. It opens in a window, or in the terminal
/// without a display; without either it plays every game once and prints the result. With a
/// file or a folder instead of a command: `run` or `shell`.
#[derive(Debug, Parser)]
#[command(name = "oxbox", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) front: FrontOptions,
    /// A folder whose programs and sources the launcher shows in addition to the games
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Print more on stderr: -v traces BIOS and DOS calls, -vv also hardware interrupts and details
    /// of the host. RUST_LOG sets it by module.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the games: name, year, author, description, keys
    List(Late<JsonOption>),
    /// Play one of the games
    Play(Late<Play>),
    /// Run any DOS program: .COM, .EXE, .BAT, or .ASM (assembled, then run); or start a disk image or boot sector
    Run(Late<Run>),
    /// Write a commented source that runs, with a test suite and a launch file for the editor
    New(Late<New>),
    /// A DOS prompt in a folder
    Shell(Late<Shell>),
    /// Assemble and link .ASM, .OBJ and .LIB files into an EXE or COM
    Build(Late<Build>),
    /// Compare the emulated games with their native twins over every line of play
    Verify(Late<Verify>),
    /// Debug a program in the terminal, forwards and backwards
    Debug(Late<Debug>),
    /// Debug for editors: the Debug Adapter Protocol on stdin and stdout
    Dap,
    /// Run test suites, over one program or a class of submissions
    Test(Late<Test>),
    /// Find every state that a user can bring a program into, the ways it can end, and the shortest
    /// keys to each requested condition
    Explore(Late<Explore>),
    /// Compare two programs for every possible input: equal, or the shortest keys to a difference
    Same(Late<Same>),
    /// Check any tic-tac-toe program against the rules, with the shortest keys that break one
    Referee(Late<Referee>),
    /// Join the parts written by verify, explore and same with --shard I/N --out PART into the
    /// report of one run
    Merge(Late<Merge>),
    /// Let every engine play every other
    Arena(Late<Arena>),
    /// Write a static web page that plays the games, or programs, in a browser
    Publish(Late<Publish>),
    /// List the claims of the documents about the five systems with the results of checking them,
    /// one row per claim
    Claims(Late<Claims>),
    /// Run the native models used for checking claims: a game key by key, or every line of play
    Model(Late<Model>),
    /// Print the solutions of Arabian Millwheel and Achi, two relatives of tic-tac-toe
    Relatives(Late<Relatives>),
    /// Play or write a sound of a game, with its notes
    Tune(Late<Tune>),
    /// Measure how fast the guest runs on this host, with the built-in kernels
    Bench(Late<JsonOption>),
    /// The tic-tac-toe chip, clock by clock
    #[command(subcommand)]
    Chip(Chip),
    /// Explain a message of the assembler, with an example
    Explain(Late<Explain>),
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write a manual page, or all of them
    Man(Late<Man>),
    /// Print the help of a command, or of `script`: the script format
    Help {
        /// A command, or script
        topic: Vec<String>,
    },
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
            ("oxbox relatives achi", false),
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
            ("oxbox help expressions", true),
            ("oxbox explain", true),
            ("oxbox explain A2102", true),
            ("oxbox build a.asm --dialect tasm", true),
            ("oxbox run a.asm --dialect wasm", false),
            ("oxbox new game", true),
            ("oxbox new tsr folder/clock", true),
            ("oxbox new", false),
            ("oxbox new gmae", false),
        ];
        for (line, good) in table {
            assert_eq!(Arguments::try_parse_from(line.split(' ')).is_ok(), good, "{line}");
        }
    }
}
