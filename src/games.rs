//! The built-in games: one table with one row per game, and a module for each.
//!
//! A game's module contains everything specific to it: its rules as an
//! [`Engine`](oxbox_proof::engine::Engine), its [`Twin`](oxbox_proof::verify::Twin), its tunes and
//! more. Code that handles all games uses [`GAMES`].

mod sources;
#[cfg(test)]
mod tests;

pub use oxbox_games::{chip, course, eecs2100, grid18, oxo, relatives, ttt1};

use oxbox_proof::engine::arena::{self, Participant, Seat};
use oxbox_proof::verify::{GameReport, Proof, ProofPart, Scope, StartError, Tree};
use oxbox_proof::walk::{MergeError, Progress, Shard, WalkError};
pub use sources::source;
use std::fmt;

/// A game: its description, its program, and its proof.
#[derive(Clone, Copy)]
pub struct Game {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// Year of the original.
    pub year: u16,
    /// The author of the original.
    pub author: &'static str,
    /// A description in one sentence.
    pub about: &'static str,
    /// Its keys, in one line.
    pub keys: &'static str,
    /// The built program: our own, with the original's behaviour.
    pub program: &'static [u8],
    /// Its symbols and source lines, for [`debug_file::read`](oxbox_toolchain::debug_file::read);
    /// [`source`] has the sources.
    pub debug: &'static str,
    /// File name of the program in `roms/`.
    pub file: &'static str,
    /// The sources of the program, below `asm/`, in link order.
    pub sources: &'static [&'static str],
    /// A short game in the format of `--keys`, for a demonstration.
    pub sample: &'static str,
    /// Its sounds: the name of each, and keys after the last of which it is heard. `tune` takes the
    /// sound after a rest of 200 ms, so there is a rest before the last key if the key before it
    /// has a sound too.
    pub sounds: &'static [(&'static str, &'static str)],
    /// Its native twin, and further checks of its program.
    pub proof: &'static dyn Proof,
    /// The player that opens for it in the arena.
    pub opens: Seat,
    /// The player that answers for it in the arena.
    pub answers: Seat,
}

impl Game {
    /// Returns the number of complete lines of play.
    pub fn lines(&self) -> usize {
        self.proof.lines()
    }

    /// Compares a program, an EXE or COM file named `file`, with this game's twin, over the game's
    /// own keys. Calls `progress` with the progress of each search.
    ///
    /// ```
    /// let game = oxbox::games::find("oxo").unwrap();
    /// let report = game.verify(game.program, game.file, |_| {})?;
    /// assert_eq!((report.lines, report.divergences), (76, 0));
    /// # Ok::<(), oxbox::walk::WalkError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the program cannot be loaded, or the space for states is used up. Mistakes of the
    /// program are in the report.
    pub fn verify(
        &self,
        program: &[u8],
        file: &str,
        progress: impl Fn(Progress) + Sync,
    ) -> Result<GameReport, WalkError> {
        self.verify_within(program, file, Scope::default(), progress)
    }

    /// Like [`verify`](Self::verify), over the keys of a scope.
    ///
    /// # Errors
    /// Fails like [`verify`](Self::verify).
    pub fn verify_within(
        &self,
        program: &[u8],
        file: &str,
        scope: Scope,
        progress: impl Fn(Progress) + Sync,
    ) -> Result<GameReport, WalkError> {
        let mut report = self.proof.hold(program, file, scope, &progress)?;
        report.game = self.name.to_owned();
        Ok(report)
    }

    /// Compares a program with a part of this game's twin. [`merge`](Self::merge) of all parts
    /// returns the result of [`verify`](Self::verify).
    ///
    /// ```
    /// use oxbox::verify::Scope;
    ///
    /// let oxo = oxbox::games::find("oxo").unwrap();
    /// let mut parts = Vec::new();
    /// for words in ["1/2", "2/2"] {
    ///     let part = oxo.verify_part(oxo.program, oxo.file, Scope::Alphabet, words.parse()?, |_| {})?;
    ///     parts.push((words.to_owned(), part));
    /// }
    /// assert_eq!(oxo.merge(&parts)?.lines, 76);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails like [`verify`](Self::verify).
    pub fn verify_part(
        &self,
        program: &[u8],
        file: &str,
        scope: Scope,
        shard: Shard,
        progress: impl Fn(Progress) + Sync,
    ) -> Result<ProofPart, WalkError> {
        self.proof.verify_part(program, file, scope, shard, &progress)
    }

    /// Returns the report of a proof from all of its parts; each has a name for messages.
    ///
    /// # Errors
    /// Fails if they are not all the parts of one proof.
    pub fn merge(&self, parts: &[(String, ProofPart)]) -> Result<GameReport, MergeError> {
        let mut report = self.proof.merge(parts)?;
        report.game = self.name.to_owned();
        Ok(report)
    }

    /// Returns every line of play with the program's screens, up to its first difference from the
    /// twin.
    ///
    /// ```
    /// let game = oxbox::games::find("eecs2100").unwrap();
    /// let tree = game.tree(game.program, game.file)?;
    /// assert_eq!(tree.lines_to(|node| node.outcome == Some("user")).len(), 14);
    /// # Ok::<(), oxbox::verify::StartError>(())
    /// ```
    ///
    /// # Errors
    /// Fails like [`verify`](Self::verify).
    pub fn tree(&self, program: &[u8], file: &str) -> Result<Tree, StartError> {
        self.proof.tree(program, file)
    }

    /// Returns the game's entrant in the arena.
    pub fn entrant(&self) -> Participant {
        Participant { name: self.name, opens: self.opens, answers: self.answers }
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Every game, in the order of the launcher.
pub static GAMES: &[Game] = &[
    Game {
        name: "ttt1",
        title: "TTT1, bitmap pattern game",
        year: 1996,
        author: "Randall Hyde",
        about: "Two 16-bit boards, turned by one rotate; the computer looks patterns up in two tables.",
        keys: "0 to 8 play the cell of that number, q leaves",
        program: include_bytes!("../roms/TTT1.EXE"),
        debug: include_str!("../roms/TTT1.DBG"),
        file: "TTT1.EXE",
        sources: &["ttt1/ttt1.asm"],
        sample: "0 2 7",
        sounds: &[],
        proof: ttt1::PROOF,
        opens: Seat::Vacant,
        answers: Seat::Program(|| vec![Box::new(ttt1::Ttt1::new())]),
    },
    Game {
        name: "eecs2100",
        title: "EECS 2100 Tic-Tac-Toe",
        year: 2007,
        author: "University of Toledo",
        about: "From the course EECS 2100: unchained VGA graphics and three tunes; it was meant to be unbeatable, and is not.",
        keys: "any key starts, 1 to 9 play as on the keypad, y or n at the end",
        program: include_bytes!("../roms/EECS2100.EXE"),
        debug: include_str!("../roms/EECS2100.DBG"),
        file: "EECS2100.EXE",
        sources: &[
            "eecs2100/main.asm",
            "eecs2100/board.asm",
            "eecs2100/screen.asm",
            "eecs2100/vga.asm",
            "eecs2100/font.asm",
            "eecs2100/sound.asm",
        ],
        sample: "SP 5 1 7",
        sounds: &[("nbc", "SP 5"), ("wah", "SP 1 3 7"), ("castle", "SP 5 1 7 3")],
        proof: eecs2100::PROOF,
        opens: Seat::Vacant,
        answers: Seat::Program(|| vec![Box::new(eecs2100::Eecs2100::new())]),
    },
    Game {
        name: "grid18",
        title: "GRID18, two players",
        year: 2018,
        author: "Patrick Pedersen",
        about: "A board in 18 bits, two a field, turned by a 32-bit rotate; two people at one keyboard.",
        keys: "1 to 3 for Y, then X; at the end n, q or Esc leaves, any other key plays again",
        program: include_bytes!("../roms/GRID18.EXE"),
        debug: include_str!("../roms/GRID18.DBG"),
        file: "GRID18.EXE",
        sources: &["grid18/grid.asm", "grid18/grid18.asm"],
        sample: "2 2 1 1 1 3 3 1 2 1 2 3",
        sounds: &[
            ("move", "2 2"),
            ("win", "2 2 1 1 1 3 3 3 3 @300 1"),
            ("draw", "2 2 1 1 1 2 3 2 2 1 2 3 1 3 3 1 3 @300 3"),
        ],
        proof: grid18::PROOF,
        opens: Seat::People,
        answers: Seat::People,
    },
    Game {
        name: "oxo",
        title: "OXO, from the FIGnition",
        year: 2011,
        author: "Julian Skidmore",
        about: "The computer opens in the centre and never looks at the board again: eight numbers are all it knows.",
        keys: "1 to 8 play the cell of that number, q or Esc leaves",
        program: include_bytes!("../roms/OXO.EXE"),
        debug: include_str!("../roms/OXO.DBG"),
        file: "OXO.EXE",
        sources: &["oxo/oxo.asm"],
        sample: "1 6 3",
        sounds: &[("move", "1"), ("win", "1 @300 5"), ("draw", "1 6 8 4 @300 3")],
        proof: oxo::PROOF,
        opens: Seat::Program(|| vec![Box::new(oxo::Oxo::new())]),
        answers: Seat::Vacant,
    },
    Game {
        name: "chip",
        title: "CHIP, the VLSI player",
        year: 1990,
        author: "P. M. Geiser and A. Marzetta",
        about: "Minimax with alpha-beta on a chip: it never loses, and shows how many clocks it would have taken.",
        keys: "u or c chooses who begins, 0 to 8 play the place of that number, q or Esc leaves",
        program: include_bytes!("../roms/CHIP.EXE"),
        debug: include_str!("../roms/CHIP.DBG"),
        file: "CHIP.EXE",
        sources: &["chip/chip.asm"],
        sample: "u 0 8",
        sounds: &[("move", "c"), ("win", "u 8 7 @300 5"), ("draw", "u 7 0 4 3 @300 2")],
        proof: chip::PROOF,
        opens: Seat::Program(chip::ChipGame::every_opening),
        answers: Seat::Program(|| vec![Box::new(chip::ChipGame::user_begins())]),
    },
];

/// Returns the game with this name, in any case.
pub fn find(name: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.name.eq_ignore_ascii_case(name))
}

/// Returns all entrants of the arena: the games, and the course's algorithm, which is not a
/// program.
pub fn entrants() -> Vec<Participant> {
    GAMES.iter().map(Game::entrant).chain([course::ENTRANT]).collect()
}

/// Plays every entrant against every other.
///
/// ```
/// let table = oxbox::games::arena();
/// let chip = table.totals.iter().find(|total| total.player == "chip").unwrap();
/// assert_eq!(chip.score.losses, 0);
/// ```
pub fn arena() -> arena::Table {
    arena::play_all(&entrants())
}
