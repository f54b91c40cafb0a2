//! `oxbox model`: runs the native models used for checking claims, key by key or over every line.

use std::io::{self, Write};

use oxbox::engine::board::RING;
use oxbox::engine::{Engine, Mark, Move, Outcome, census};
use oxbox::games::chip::ChipGame;
use oxbox::games::chip::search::{Cuts, search};
use oxbox::games::course::{Course, LookAhead, Reading};
use oxbox::games::eecs2100::{Eecs2100, keypad};
use oxbox::games::grid18::{Grid, Grid18, Stone, published};
use oxbox::games::oxo::Oxo;
use oxbox::games::ttt1::{Ttt1, turned};

use super::arguments::{Model, ModelName};
use super::failure::Failure;

/// Plays the keys on a model, or counts its lines of play.
pub(super) fn run(options: &Model) -> Result<u8, Failure> {
    let mut out = io::stdout().lock();
    if let Some(bits) = &options.grid {
        if options.model != ModelName::Grid18 {
            return Err(Failure::Usage("--grid is for the model grid18".to_owned()));
        }
        write_grid(&mut out, parse_grid(bits)?)?;
        return Ok(0);
    }
    let cells = options
        .keys
        .as_deref()
        .map(|keys| keys.split_whitespace().map(|word| cell(options.model, word)).collect())
        .transpose()?;
    match options.model {
        ModelName::Ttt1 => show(&mut out, Ttt1::new(), cells, bitmaps)?,
        ModelName::Ttt1Mended => show(&mut out, Ttt1::mended(), cells, bitmaps)?,
        ModelName::Eecs2100 => show(&mut out, Eecs2100::new(), cells, |_| None)?,
        ModelName::Eecs2100Corner => show(&mut out, Eecs2100::with_corner_reply(), cells, |_| None)?,
        ModelName::Course if cells.is_none() => write_readings(&mut out)?,
        ModelName::Course => show(&mut out, Course::new(Reading::PRINTED), cells, |_| None)?,
        ModelName::LookAhead => show(&mut out, LookAhead::new(), cells, |_| None)?,
        ModelName::Grid18 => show(&mut out, Grid18::new(), cells, bits)?,
        ModelName::Oxo => show(&mut out, Oxo::new(), cells, entry)?,
        ModelName::OxoPrinted => show(&mut out, Oxo::as_printed(), cells, entry)?,
        ModelName::Chip => show(&mut out, ChipGame::user_begins(), cells, clocks)?,
        ModelName::ChipSearch => write_searches(&mut out, cells.unwrap_or_default())?,
    }
    Ok(0)
}

/// Returns the cell that a key selects in the modelled game.
fn cell(model: ModelName, word: &str) -> Result<Move, Failure> {
    let digit = word.parse::<usize>().ok();
    let (cell, keys) = match model {
        ModelName::Eecs2100 | ModelName::Eecs2100Corner => (
            Move::ALL.into_iter().find(|&cell| word.as_bytes() == [keypad(cell)]),
            "1 to 9, as on the keypad",
        ),
        ModelName::Oxo | ModelName::OxoPrinted => (
            digit.and_then(|digit| RING[..8].get(digit.checked_sub(1)?).copied()),
            "1 to 8, clockwise from the upper left",
        ),
        _ => (digit.and_then(Move::new), "0 to 8, row by row"),
    };
    cell.ok_or_else(|| Failure::Usage(format!("--keys: cannot parse '{word}'; the keys are {keys}")))
}

/// Prints the board after each key, with the state of `more`; without keys the lines of play.
fn show<E: Engine>(
    out: &mut impl Write,
    mut game: E,
    cells: Option<Vec<Move>>,
    more: impl Fn(&E) -> Option<String>,
) -> Result<(), Failure> {
    let Some(cells) = cells else {
        let census = census(&game);
        let [won, lost] = match E::COMPUTER {
            Some(mark) => [mark, mark.other()],
            None => [Mark::X, Mark::O],
        };
        let names = if E::COMPUTER.is_some() { ["the computer", "the user"] } else { ["X", "O"] };
        writeln!(out, "{} lines of play", census.ends.len())?;
        for (who, outcome) in [(names[0], Outcome::Win(won)), (names[1], Outcome::Win(lost))] {
            writeln!(out, "{:>7} won by {who}", census.count(outcome))?;
        }
        writeln!(out, "{:>7} drawn", census.count(Outcome::Draw))?;
        for mark in [Mark::X, Mark::O] {
            let rows = census.ends.iter().filter(|(_, board)| board.has_row(mark)).count();
            writeln!(out, "{rows:>7} end with a row of {mark:?}")?;
        }
        return Ok(());
    };
    let line = |out: &mut dyn Write, game: &E| {
        let more = more(game).map_or(String::new(), |more| format!("  {more}"));
        writeln!(out, "{}{more}", game.board())
    };
    line(out, &game)?;
    for cell in cells {
        if !game.moves().contains(&cell) {
            let why = if game.outcome().is_some() { "the game is over" } else { "that cell is taken" };
            return Err(Failure::Usage(format!("--keys: no move on cell {}: {why}", cell.index())));
        }
        game.play(cell);
        line(out, &game)?;
    }
    match game.outcome() {
        Some(outcome) => writeln!(out, "{}", outcome.label(E::COMPUTER))?,
        None => writeln!(out, "{:?} to move", game.turn())?,
    }
    Ok(())
}

fn bitmaps(game: &Ttt1) -> Option<String> {
    let (x, o) = game.bitmaps();
    Some(format!("X {x:09b} turned {:09b}  O {o:09b} turned {:09b}", turned(x), turned(o)))
}

fn bits(game: &Grid18) -> Option<String> {
    Some(format!("bits {:018b}", game.grid().0))
}

fn clocks(game: &ChipGame) -> Option<String> {
    Some(format!("{} clocks", game.clocks().0))
}

fn entry(game: &Oxo) -> Option<String> {
    let outside = game.outside().map(|cell| format!(", a stone on cell {cell}, outside the board"));
    Some(format!("entry {} of the table{}", game.entry()?, outside.unwrap_or_default()))
}

/// Prints the lines of play of each interpretation of the assignment.
fn write_readings(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "   won   lost  drawn  reading")?;
    for reading in Reading::all() {
        let census = census(&Course::new(reading));
        let [won, lost, drawn] = [Outcome::Win(Mark::O), Outcome::Win(Mark::X), Outcome::Draw]
            .map(|outcome| census.count(outcome));
        writeln!(out, "{won:>6} {lost:>6} {drawn:>6}  {reading}")?;
    }
    writeln!(out, "\nBy the text's words instead of its patterns: oxbox model look-ahead")
}

/// Prints the cost of the search after each user's key; without keys after each first move.
fn write_searches(out: &mut impl Write, cells: Vec<Move>) -> Result<(), Failure> {
    writeln!(
        out,
        "{:<13}{:>6}{:>12}{:>12}{:>12}{:>8}",
        "board", "place", "alpha-beta", "figure 1", "exhaustive", "calls"
    )?;
    let mut game = ChipGame::user_begins();
    let one = |out: &mut dyn Write, game: &ChipGame, cell: Move| -> io::Result<()> {
        let mut board = game.board();
        board.place(cell, Mark::X);
        let [with, at_win, without] =
            [Cuts::AlphaBeta, Cuts::AtWin, Cuts::None].map(|cuts| search(board, Mark::O, cuts));
        let place = with.place.map_or("-".to_owned(), |place| place.index().to_string());
        writeln!(
            out,
            "{:<13}{place:>6}{:>12}{:>12}{:>12}{:>8}",
            board.to_string(),
            with.stones,
            at_win.stones,
            without.stones,
            with.calls
        )
    };
    if cells.is_empty() {
        return Move::ALL.into_iter().try_for_each(|cell| one(out, &game, cell)).map_err(Failure::from);
    }
    for cell in cells {
        if !game.moves().contains(&cell) {
            return Err(Failure::Usage(format!("--keys: no move on cell {}", cell.index())));
        }
        one(out, &game, cell)?;
        game.play(cell);
    }
    Ok(())
}

/// Parses eighteen bits without a pair 10.
fn parse_grid(bits: &str) -> Result<Grid, Failure> {
    let grid = u32::from_str_radix(bits, 2).ok().filter(|_| bits.len() == 18).map(Grid);
    let wrong = || {
        Failure::Usage(format!(
            "--grid: '{bits}' is not a grid; give 18 bits, bit 17 first, without a pair 10"
        ))
    };
    let is_grid = |grid: &Grid| (0..9).all(|index| grid.0 >> (2 * index) & 3 != 0b10);
    grid.filter(is_grid).ok_or_else(wrong)
}

/// Prints the results of the four procedures for a grid, as documented and as published.
fn write_grid(out: &mut impl Write, grid: Grid) -> io::Result<()> {
    writeln!(out, "{:018b}  {:05X}h  {}", grid.0, grid.0, grid.board())?;
    for (index, cell) in Move::ALL.into_iter().enumerate() {
        let mask = 3u32 << (2 * index);
        let masked = grid.0 & mask;
        let (x, y) = (cell.x() as u32, cell.y() as u32);
        writeln!(
            out,
            "get_field({x}, {y}): AND {mask:05X}h is {masked:05X}h, modulo 3 is {}, the answer {}",
            masked % 3,
            grid.get_field(x, y)
        )?;
    }
    for stone in [Stone::Circle, Stone::Cross] {
        writeln!(
            out,
            "eval_grid({}): {} as documented, {} as published",
            stone as u8,
            u8::from(grid.eval(stone)),
            u8::from(published::eval(grid, stone))
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_game() {
        let cases = [
            (ModelName::Ttt1, "8", Some(8)),
            (ModelName::Ttt1, "9", None),
            (ModelName::Eecs2100, "7", Some(0)),
            (ModelName::Eecs2100, "0", None),
            (ModelName::Oxo, "8", Some(3)),
            (ModelName::OxoPrinted, "9", None),
            (ModelName::Oxo, "0", None),
            (ModelName::Course, "x", None),
        ];
        for (model, word, expected) in cases {
            assert_eq!(cell(model, word).ok().map(Move::index), expected, "{model:?} {word}");
        }
    }

    #[test]
    fn grids_are_eighteen_bits() {
        for (bits, valid) in [
            ("010111001111010011", true),
            ("000000000000000000", true),
            ("100000000000000000", false),
            ("0", false),
            ("0101110011110100112", false),
        ] {
            assert_eq!(parse_grid(bits).is_ok(), valid, "{bits}");
        }
    }
}
