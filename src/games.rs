//! The games that oxbox carries: what is known of each, its keys, and the built program.

/// A game in the box.
#[derive(Debug, Clone, Copy)]
pub struct Game {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// Year of the original.
    pub year: u16,
    /// Who wrote the original.
    pub author: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Its keys, in a line.
    pub keys: &'static str,
    /// The built program: our own, with the original's behaviour.
    pub program: &'static [u8],
    /// File name of the program in `roms/`.
    pub file: &'static str,
    /// A short game, as `--keys` takes it, for a showing without a player.
    pub sample: &'static str,
}

/// Every game, in the order of the launcher.
pub const GAMES: &[Game] = &[
    Game {
        name: "ttt1",
        title: "TTT1, bitmap pattern game",
        year: 1996,
        author: "Randall Hyde",
        about: "Two 16-bit boards, turned by one rotate; the computer looks patterns up in two tables.",
        keys: "0 to 8 play the cell of that number, q leaves",
        program: include_bytes!("../roms/TTT1.EXE"),
        file: "TTT1.EXE",
        sample: "0 2 7",
    },
    Game {
        name: "eecs2100",
        title: "EECS 2100 Tic-Tac-Toe",
        year: 2007,
        author: "University of Toledo, course EECS 2100",
        about: "Unchained VGA graphics and three tunes; it was meant to be unbeatable, and is not.",
        keys: "any key starts, 1 to 9 play as on the keypad, y or n at the end",
        program: include_bytes!("../roms/EECS2100.EXE"),
        file: "EECS2100.EXE",
        sample: "SP 5 1 7",
    },
];

/// The game of that name, in any case.
pub fn find(name: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.name.eq_ignore_ascii_case(name))
}
