//! `oxbox relatives`: the solutions of Arabian Millwheel and Achi.

use std::io::{self, Write};

use oxbox::games::relatives::solve::{Count, Solution, Value};
use oxbox::games::relatives::{Position, READINGS, Reading};
use serde_json::json;

use super::arguments::Relatives;
use super::failure::Failure;

pub(super) fn run(options: &Relatives) -> Result<u8, Failure> {
    let mut out = io::stdout().lock();
    if options.json {
        let games: Vec<_> = READINGS.iter().map(solution_json).collect();
        writeln!(out, "{:#}", json!({ "games": games }))?;
    } else {
        write_table(&mut out)?;
    }
    Ok(0)
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

fn write_table(out: &mut impl Write) -> io::Result<()> {
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
    for reading in &READINGS {
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
    writeln!(out, "\nTurns count those of both players.")
}
