//! The module of MIRROR: its rules, its twin and its row, in the form of the built-in games in
//! `src/games`.

use oxbox::engine::arena::Seat;
use oxbox::engine::{Board, Engine, Mark, Move, Outcome};
use oxbox::games::Game;
use oxbox::verify::{Screen, TextPage, Twin, Twins};

/// The computer answers on the opposite cell, or if that is occupied in the first free cell.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Mirror {
    board: Board,
    outcome: Option<Outcome>,
}

impl Mirror {
    fn put(&mut self, cell: Move, mark: Mark) {
        self.board.place(cell, mark);
        if self.board.has_row(mark) {
            self.outcome = Some(Outcome::Win(mark));
        } else if self.board.is_full() {
            self.outcome = Some(Outcome::Draw);
        }
    }

    /// Returns the computer's answer to the user's move on `cell`.
    fn answer(&self, cell: Move) -> Option<Move> {
        let opposite = Move::ALL[8 - cell.index()];
        self.moves().into_iter().find(|&free| free == opposite).or(self.moves().first().copied())
    }
}

impl Engine for Mirror {
    const COMPUTER: Option<Mark> = Some(Mark::O);

    fn board(&self) -> Board {
        self.board
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn play(&mut self, cell: Move) {
        if self.moves().contains(&cell) {
            self.put(cell, Mark::X);
            if let Some(reply) = self.answer(cell) {
                self.put(reply, Mark::O);
            }
        }
    }
}

/// The program at a key wait: all moves in a line, and the result below.
#[derive(Debug, Clone, Hash)]
pub(crate) struct MirrorTwin {
    game: Mirror,
    page: TextPage,
    left: bool,
}

impl MirrorTwin {
    fn new() -> Self {
        let mut page = TextPage::new();
        page.print("MIRROR: 0 to 8 put an X, q leaves\n");
        MirrorTwin { game: Mirror::default(), page, left: false }
    }

    fn play(&mut self, cell: Move) {
        let before = self.game.board();
        self.game.play(cell);
        let after = self.game.board();
        self.page.print(&cell.index().to_string());
        if let Some(reply) = before.free().find(|&free| after.get(free) == Some(Mark::O)) {
            self.page.print(&format!("-{} ", reply.index()));
        }
        self.page.print(match self.game.outcome() {
            None => "",
            Some(Outcome::Win(Mark::X)) => "\nYou win.\n",
            Some(Outcome::Win(Mark::O)) => "\nI win.\n",
            Some(Outcome::Draw) => "\nA draw.\n",
        });
    }
}

fn key_of(cell: Move) -> u8 {
    b'0' + cell.index() as u8
}

impl Twin for MirrorTwin {
    fn computer(&self) -> Option<Mark> {
        Mirror::COMPUTER
    }

    fn press(&mut self, key: u8) {
        if matches!(key, b'q' | b'Q' | 0x1B) {
            self.left = true;
        } else if let Some(cell) = self.game.moves().into_iter().find(|&cell| key_of(cell) == key) {
            self.play(cell);
        }
    }

    fn screen(&self) -> Screen {
        self.page.screen()
    }

    fn prints(&self) -> bool {
        true
    }

    fn ended(&self) -> bool {
        self.left || self.game.outcome().is_some()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> Vec<u8> {
        self.game.moves().into_iter().map(key_of).collect()
    }

    fn asides(&self) -> Vec<Vec<u8>> {
        if self.ended() {
            return Vec::new();
        }
        let moves = self.moves();
        vec![(b'/'..=b'9').filter(|key| !moves.contains(key)).collect(), b"q".to_vec()]
    }
}

/// The row of the table. It does not contain the program, which the test builds.
pub(crate) static MIRROR: Game = Game {
    name: "mirror",
    title: "MIRROR",
    year: 2026,
    author: "the authors of oxbox",
    about: "The computer answers opposite.",
    keys: "0 to 8 play the cell of that number, q or Esc leaves",
    program: &[],
    debug: "",
    file: "MIRROR.EXE",
    sources: &["mirror.asm"],
    sample: "0 1 6",
    sounds: &[],
    proof: &Twins::new(|| vec![Box::new(MirrorTwin::new())]),
    opens: Seat::Vacant,
    answers: Seat::Program(|| vec![Box::new(Mirror::default())]),
};
