//! `oxbox relatives`: solves Arabian Millwheel and Achi, and plays them against the user, line by
//! line.

use std::collections::HashMap;
use std::io::{self, BufRead, IsTerminal, Write};

use oxbox::engine::{Mark, Move};
use oxbox::games::relatives::solve::{Count, Solution, Value};
use oxbox::games::relatives::{Position, READINGS, Reach, Reading, Turn};
use serde_json::json;

use super::arguments::{Adjacent, Relative, Relatives};
use super::failure::Failure;
use super::paragraph;

/// A position that occurs this often ends the game as a draw.
const REPETITIONS: u32 = 3;

/// Characters per line of the rules.
const WIDTH: usize = 100;

pub(super) fn run(options: &Relatives) -> Result<u8, Failure> {
    let readings = readings(options)?;
    let mut out = io::stdout().lock();
    if options.json {
        let games: Vec<_> = readings.iter().map(|reading| solution_json(reading)).collect();
        writeln!(out, "{:#}", json!({ "games": games }))?;
    } else if options.game.is_none() {
        write_table(&mut out, &readings)?;
    } else {
        let human = if options.second { Mark::O } else { Mark::X };
        let end = play(readings[0], human, &mut io::stdin().lock(), &mut out)?;
        if end == End::InputEnded && !io::stdin().is_terminal() {
            return Err(Failure::KeysRanOut("the input ended before the game did".to_owned()));
        }
    }
    Ok(0)
}

/// Returns the interpretations selected by the options.
fn readings(options: &Relatives) -> Result<Vec<&'static Reading>, Failure> {
    let adjacent = match (options.game, options.adjacent) {
        (Some(Relative::Millwheel), Some(_)) => {
            let text = "--adjacent is for achi: in Millwheel a stone goes anywhere";
            return Err(Failure::Usage(text.to_owned()));
        }
        (Some(Relative::Millwheel), None) => Some(""),
        (None, None) => None,
        (_, Some(Adjacent::Eight)) => Some("eight"),
        (_, Some(Adjacent::Four)) => Some("four"),
        (_, Some(Adjacent::Lines)) | (Some(Relative::Achi), None) => Some("lines"),
    };
    Ok(READINGS.iter().filter(|reading| adjacent.is_none_or(|name| reading.adjacent == name)).collect())
}

fn solution_json(reading: &Reading) -> serde_json::Value {
    let solution = Solution::new(reading.rules);
    let count = |count: Count| json!({"positions": count.positions(), "won": count.won, "lost": count.lost, "drawn": count.drawn});
    let (first_player, turns) = match solution.value(&Position::start()) {
        Some(Value::Win(turns)) => ("wins", Some(turns)),
        Some(Value::Loss(turns)) => ("loses", Some(turns)),
        Some(Value::Draw) | None => ("draws", None),
    };
    json!({
        "game": reading.game, "adjacent": (!reading.adjacent.is_empty()).then_some(reading.adjacent),
        "first_player": first_player, "turns": turns, "as_placed": count(solution.count()),
        "up_to_symmetry": count(solution.count_up_to_symmetry()), "cannot_move": solution.stuck(),
    })
}

fn write_table(out: &mut impl Write, readings: &[&Reading]) -> io::Result<()> {
    writeln!(
        out,
        "Every position that can come up, won, lost or drawn for the player to move. The report does not say which\n\
         squares of Achi are adjacent, nor what happens if a player cannot move: here that player loses.\n"
    )?;
    writeln!(
        out,
        "{:<11}{:<10}{:<17}{:>10}{:>7}{:>7}{:>7}{:>13}{:>7}{:>7}{:>7}",
        "game",
        "adjacent",
        "first player",
        "positions",
        "won",
        "lost",
        "drawn",
        "symmetric",
        "won",
        "lost",
        "drawn"
    )?;
    for reading in readings {
        let solution = Solution::new(reading.rules);
        let first = match solution.value(&Position::start()) {
            Some(Value::Win(turns)) => format!("wins, turn {turns}"),
            Some(Value::Loss(turns)) => format!("loses, turn {turns}"),
            Some(Value::Draw) | None => "draws".to_owned(),
        };
        let (all, classes) = (solution.count(), solution.count_up_to_symmetry());
        let line = format!(
            "{:<11}{:<10}{first:<17}{:>10}{:>7}{:>7}{:>7}{:>13}{:>7}{:>7}{:>7}",
            reading.game,
            reading.adjacent,
            all.positions(),
            all.won,
            all.lost,
            all.drawn,
            classes.positions(),
            classes.won,
            classes.lost,
            classes.drawn
        );
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "\nTurns count both players'. Play one with 'oxbox relatives achi' or 'oxbox relatives millwheel'."
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Over,
    Left,
    InputEnded,
}

/// Plays a game between a person and the solver, one line per turn.
fn play(reading: &Reading, human: Mark, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<End> {
    let solution = Solution::new(reading.rules);
    introduce(reading, human, out)?;
    let mut position = Position::start();
    let mut seen: HashMap<Position, u32> = HashMap::new();
    writeln!(out, "{}", board(&position))?;
    loop {
        let times = seen.entry(position).or_default();
        *times += 1;
        if let Some(what) = over(&position, &solution, *times, human) {
            writeln!(out, "{what}")?;
            return Ok(End::Over);
        }
        let turn = if position.mover == human {
            match ask(&position, &solution, input, out)? {
                Ok(turn) => turn,
                Err(end) => return Ok(end),
            }
        } else {
            // There is a turn, or the game would be over.
            let Some((turn, _)) = solution.turns(&position).first().copied() else { return Ok(End::Over) };
            writeln!(out, "{} {}.", name(position.mover), in_words(turn))?;
            turn
        };
        position = position.after(turn);
        writeln!(out, "{}", board(&position))?;
    }
}

fn introduce(reading: &Reading, human: Mark, out: &mut impl Write) -> io::Result<()> {
    let rules = &reading.rules;
    let goes = match rules.reach {
        Reach::Anywhere => "any empty square",
        Reach::Eight => "an empty square beside it, also diagonally",
        Reach::Four => "an empty square beside it in its row or column",
        Reach::Lines => "an empty square beside it; diagonally from and to the centre only",
    };
    let begins = if human == Mark::X { "and begin" } else { "and the solver, X, begins" };
    writeln!(out, "{}: you are {} {begins}.", reading.title, name(human))?;
    let text = format!(
        "Each places {} stones in turn; then one goes to {goes}. Three in a row win at any time; a player who cannot move loses. A position that occurs for the third time is a draw.",
        rules.stones
    );
    paragraph::lines(&text, WIDTH).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "5 places a stone on square 5, 5 2 moves one from 5 to 2. ? values your turns, q leaves.\n")
}

/// Returns the message for the end of the game, if it is over.
fn over(position: &Position, solution: &Solution, times: u32, human: Mark) -> Option<String> {
    let wins = |mark: Mark| if mark == human { "you win" } else { "the solver wins" };
    let mover = position.mover;
    match position.winner() {
        Some(mark) => Some(format!("{} has three in a row: {}.", name(mark), wins(mark))),
        None if position.turns(solution.rules()).is_empty() => {
            Some(format!("{} cannot move: {}.", name(mover), wins(mover.other())))
        }
        None if times >= REPETITIONS => Some("The same position for the third time: a draw.".to_owned()),
        None => None,
    }
}

/// Asks until there is a turn, or the input ends.
fn ask(
    position: &Position,
    solution: &Solution,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> io::Result<Result<Turn, End>> {
    let turns = solution.turns(position);
    loop {
        write!(out, "{}> ", name(position.mover))?;
        out.flush()?;
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            writeln!(out)?;
            return Ok(Err(End::InputEnded));
        }
        match String::from_utf8_lossy(&line).trim() {
            "" => {}
            "q" | "Q" => return Ok(Err(End::Left)),
            "?" => {
                for (turn, value) in &turns {
                    writeln!(out, "  {:<5}{}", in_digits(*turn), worth(*value))?;
                }
            }
            text => match parse(text, position, &turns.iter().map(|(turn, _)| *turn).collect::<Vec<_>>()) {
                Ok(turn) => return Ok(Ok(turn)),
                Err(why) => writeln!(out, "{why}")?,
            },
        }
    }
}

/// Parses the turn in a line. Fails with a message.
fn parse(text: &str, position: &Position, turns: &[Turn]) -> Result<Turn, String> {
    let places = matches!(turns.first(), Some(Turn::Place(_)));
    let wanted = if places { "one square, 1 to 9" } else { "two squares, from and to, such as 5 2" };
    let digits: Option<Vec<Move>> = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, ',' | '-'))
        .map(|c| c.to_digit(10).and_then(|digit| Move::new((digit as usize).checked_sub(1)?)))
        .collect();
    let turn = match (digits.as_deref(), places) {
        (Some(&[to]), true) => Turn::Place(to),
        (Some(&[from, to]), false) => Turn::Go(from, to),
        _ => return Err(format!("cannot parse '{text}': type {wanted}, ? or q")),
    };
    if turns.contains(&turn) {
        return Ok(turn);
    }
    let (from, to) = match turn {
        Turn::Place(to) => (None, to),
        Turn::Go(from, to) => (Some(from), to),
    };
    let square = |cell: Move| cell.index() + 1;
    Err(match from {
        Some(from) if position.board.get(from) != Some(position.mover) => {
            format!("square {} has no stone of yours: type {wanted}", square(from))
        }
        _ if position.board.get(to).is_some() => format!("square {} is taken: type {wanted}", square(to)),
        _ => format!("square {} is too far away: ? shows your turns", square(to)),
    })
}

fn name(mark: Mark) -> &'static str {
    match mark {
        Mark::X => "X",
        Mark::O => "O",
    }
}

/// Returns the board with the numbers of its free squares.
fn board(position: &Position) -> String {
    let square = |cell: &Move| match position.board.get(*cell) {
        Some(mark) => name(mark).to_owned(),
        None => (cell.index() + 1).to_string(),
    };
    let rows = Move::ALL
        .chunks(3)
        .map(|row| format!("  {}\n", row.iter().map(square).collect::<Vec<_>>().join(" ")));
    rows.collect()
}

fn in_digits(turn: Turn) -> String {
    match turn {
        Turn::Place(to) => format!("{}", to.index() + 1),
        Turn::Go(from, to) => format!("{} {}", from.index() + 1, to.index() + 1),
    }
}

fn in_words(turn: Turn) -> String {
    match turn {
        Turn::Place(to) => format!("places a stone on {}", to.index() + 1),
        Turn::Go(from, to) => format!("moves from {} to {}", from.index() + 1, to.index() + 1),
    }
}

fn worth(value: Value) -> String {
    match value {
        Value::Win(1) => "wins".to_owned(),
        Value::Win(turns) => format!("wins in {turns} turns"),
        Value::Loss(turns) => format!("loses in {turns} turns"),
        Value::Draw => "holds the draw".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(game: usize, human: Mark, lines: &str) -> (End, String) {
        let mut out = Vec::new();
        let end = play(&READINGS[game], human, &mut lines.as_bytes(), &mut out).unwrap();
        (end, String::from_utf8(out).unwrap())
    }

    #[test]
    fn bad_input_is_told() {
        let cases = [
            ("x\n", "'x': type one square, 1 to 9, ? or q"),
            ("0\n", "cannot parse '0'"),
            ("5 2\n", "cannot parse '5 2'"),
            ("\u{e9}\u{2192}\n", "cannot parse"),
            ("5\n5\n", "square 5 is taken: type one square, 1 to 9"),
            ("?\n", "  5    wins in 11 turns"),
        ];
        for (lines, expected) in cases {
            let (end, text) = session(3, Mark::X, lines);
            assert_eq!(end, End::InputEnded, "{lines:?}");
            assert!(text.contains(expected), "{lines:?}: {text}");
        }
        assert_eq!(session(3, Mark::X, "q\n").0, End::Left);
    }

    #[test]
    fn moves_are_judged() {
        let position = Position { board: "XOX/OXO/O.X".into(), mover: Mark::O };
        let turns = [Turn::Go(Move::ALL[6], Move::ALL[7])];
        let cases = [
            ("7 8", Ok(turns[0])),
            ("7-8", Ok(turns[0])),
            ("78", Ok(turns[0])),
            ("1 8", Err("square 1 has no stone of yours: type two squares, from and to, such as 5 2")),
            ("7 1", Err("square 1 is taken: type two squares, from and to, such as 5 2")),
            ("2 8", Err("square 8 is too far away: ? shows your turns")),
            ("8", Err("cannot parse '8': type two squares, from and to, such as 5 2, ? or q")),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text, &position, &turns), expected.map_err(str::to_owned), "{text}");
        }
    }

    /// The solver wins if it begins, in the announced number of turns, against an opponent that
    /// always takes the first turn.
    #[test]
    fn the_solver_wins_when_it_begins() {
        let lines: String = (1..=9).flat_map(|a| (1..=9).map(move |b| format!("{a}\n{a} {b}\n"))).collect();
        for game in 1..4 {
            let (end, text) = session(game, Mark::O, &lines.repeat(4));
            assert_eq!(end, End::Over);
            assert!(text.ends_with("X has three in a row: the solver wins.\n"), "{text}");
            let turns = text.matches("X places").count() + text.matches("X moves").count();
            assert!(turns <= 6, "{text}");
        }
    }
}
