//! The games that oxbox carries: what is known of each, its keys, and the built program; a room for each.

pub mod chip;
pub mod eecs2100;
pub mod grid18;
pub mod oxo;
pub mod ttt1;

pub mod course;
pub mod relatives;

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
    /// Its sounds: the name of each, and keys after the last of which it is heard. `tune` takes what comes after a
    /// rest of 200 ms, so there is one before the last key where the one before it is heard too.
    pub sounds: &'static [(&'static str, &'static str)],
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
        sounds: &[],
    },
    Game {
        name: "eecs2100",
        title: "EECS 2100 Tic-Tac-Toe",
        year: 2007,
        author: "University of Toledo",
        about: "From the course EECS 2100: unchained VGA graphics and three tunes; it was meant to be unbeatable, and is not.",
        keys: "any key starts, 1 to 9 play as on the keypad, y or n at the end",
        program: include_bytes!("../roms/EECS2100.EXE"),
        file: "EECS2100.EXE",
        sample: "SP 5 1 7",
        sounds: &[("nbc", "SP 5"), ("wah", "SP 1 3 7"), ("castle", "SP 5 1 7 3")],
    },
    Game {
        name: "grid18",
        title: "GRID18, two players",
        year: 2018,
        author: "Patrick Pedersen",
        about: "A board in 18 bits, two a field, turned by a 32-bit rotate; two people at one keyboard.",
        keys: "1 to 3 for Y, then X; at the end n, q or Esc leaves, any other key plays again",
        program: include_bytes!("../roms/GRID18.EXE"),
        file: "GRID18.EXE",
        sample: "2 2 1 1 1 3 3 1 2 1 2 3",
        sounds: &[
            ("move", "2 2"),
            ("win", "2 2 1 1 1 3 3 3 3 @300 1"),
            ("draw", "2 2 1 1 1 2 3 2 2 1 2 3 1 3 3 1 3 @300 3"),
        ],
    },
    Game {
        name: "oxo",
        title: "OXO, from the FIGnition",
        year: 2011,
        author: "Julian Skidmore",
        about: "The computer opens in the centre and never looks at the board again: eight numbers are all it knows.",
        keys: "1 to 8 play the cell of that number, q or Esc leaves",
        program: include_bytes!("../roms/OXO.EXE"),
        file: "OXO.EXE",
        sample: "1 6 3",
        sounds: &[("move", "1"), ("win", "1 @300 5"), ("draw", "1 6 8 4 @300 3")],
    },
    Game {
        name: "chip",
        title: "CHIP, the VLSI player",
        year: 1990,
        author: "P. M. Geiser and A. Marzetta",
        about: "Minimax with alpha-beta on a chip: it never loses, and shows how many clocks it would have taken.",
        keys: "u or c chooses who begins, 0 to 8 play the place of that number, q or Esc leaves",
        program: include_bytes!("../roms/CHIP.EXE"),
        file: "CHIP.EXE",
        sample: "u 0 8",
        sounds: &[("move", "c"), ("win", "u 8 7 @300 5"), ("draw", "u 7 0 4 3 @300 2")],
    },
];

/// The game of that name, in any case.
pub fn find(name: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.name.eq_ignore_ascii_case(name))
}
