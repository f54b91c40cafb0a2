//! GRID18: the examples of its document, and where the published core does something else.

use super::{Claim, Finding, Verdict, thousands};
use crate::engine::{Engine, Mark};
use crate::games::grid18::{Grid, Grid18, Stone, published};
use std::collections::HashSet;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "grid18-grid",
        system: "grid18",
        claim: "010111001111010011 is the grid X . O / X X . / X O O",
        place: "README, The Grid",
        command: "oxbox claims grid18-grid",
        check: reading,
    },
    Claim {
        name: "grid18-examples",
        system: "grid18",
        claim: "the figures of the worked examples: masked grids, a remainder, a mask",
        place: "docs/eval_grid.md, docs/get_field.md, docs/set_field.md, illustrations",
        command: "oxbox claims grid18-examples",
        check: examples,
    },
    Claim {
        name: "grid18-eval",
        system: "grid18",
        claim: "eval_grid(cross) reports a victory of the cross",
        place: "docs/eval_grid.md, against src/core.asm as published",
        command: "oxbox claims grid18-eval",
        check: evaluation,
    },
];

fn reading() -> Finding {
    let grid = Grid(0b01_01_11_00_11_11_01_00_11);
    let board = grid.board().to_string();
    let (cross, circle) = (grid.eval(Stone::Cross), grid.eval(Stone::Circle));
    Finding {
        verdict: Verdict::of(board == "X.O/XX./XOO"),
        figure: format!("{:018b} is {board}", grid.0),
        details: vec![format!("eval_grid: cross {}, circle {}", u8::from(cross), u8::from(circle))],
    }
}

/// A figure of the document and how it comes out.
struct Example {
    what: &'static str,
    printed: u32,
    computed: u32,
}

fn examples() -> Finding {
    // X X X at the bottom, a column of circles at the right, crosses from the upper left to the lower right, and the
    // grid in which the centre is asked for.
    let row = Grid(0b11_11_11_00_00_01_00_01_01);
    let column = Grid(0b01_11_11_01_00_00_01_00_11);
    let diagonal = Grid(0b11_00_00_00_11_01_00_01_11);
    let field = Grid(0b00_01_11_00_01_11_00_00_11);
    let turned = |grid: Grid, by: u32, mask: u32| grid.0.rotate_right(by) & mask;
    let mut circle = Grid::init();
    circle.set_field(0, 0, Stone::Circle);
    let example = |what, printed, computed| Example { what, printed, computed };
    let examples = [
        example("eval_grid, first row AND 3F", 0x05, turned(row, 0, 0x3F)),
        example("eval_grid, second row AND 3F", 0x40, turned(row, 6, 0x3F)),
        example("eval_grid, third row AND 3F", 0xFC0, turned(row, 12, 0x3F)),
        example("eval_grid, first column AND 30C3", 0x3003, turned(column, 0, 0x30C3)),
        example("eval_grid, second column AND 30C3", 0x3000, turned(column, 2, 0x30C3)),
        example("eval_grid, third column AND 30C3", 0x1041, turned(column, 4, 0x30C3)),
        example("eval_grid, diagonal AND 30303", 0x3003, turned(diagonal, 0, 0x30303)),
        example("get_field, centre AND 300", 0x200, turned(field, 0, 0x300)),
        example("get_field, 200 modulo 3", 1, 0x200 % 3),
        example("set_field, mask of a circle at the upper left", 0x3, circle.0),
    ];
    let right = examples.iter().filter(|example| example.printed == example.computed).count();
    let mut details: Vec<String> = examples.iter().map(describe).collect();
    let conclusions = row.eval(Stone::Cross)
        && column.eval(Stone::Circle)
        && diagonal.eval(Stone::Cross)
        && field.get_field(1, 1) == 1;
    details.push(format!(
        "what the examples conclude (three victories, a circle in the centre) is {}",
        if conclusions { "right" } else { "wrong" }
    ));
    Finding {
        verdict: if right == examples.len() { Verdict::Holds } else { Verdict::InPart },
        figure: format!("{right} of {} figures are right; 200h modulo 3 is 2, not 1", examples.len()),
        details,
    }
}

fn describe(example: &Example) -> String {
    let Example { what, printed, computed } = *example;
    if printed == computed {
        format!("right: {what} is {printed:X}h")
    } else {
        format!("wrong: {what} is {computed:X}h, not {printed:X}h")
    }
}

fn evaluation() -> Finding {
    let mut wrong = 0;
    let mut diagonals = 0;
    for grid in Grid::fillings() {
        if published::eval(grid, Stone::Cross) != grid.eval(Stone::Cross) {
            wrong += 1;
            let circles = |fields: [u32; 3]| fields.iter().all(|&n| grid.get_field(n % 3, n / 3) == 1);
            diagonals += usize::from(circles([0, 4, 8]) || circles([2, 4, 6]));
        }
    }
    let others =
        Grid::fillings().filter(|grid| published::eval(*grid, Stone::Circle) != grid.eval(Stone::Circle));
    let figure = format!(
        "it reports one for {} of {} fillings that have none, {} of them with a diagonal of circles",
        thousands(wrong),
        thousands(3usize.pow(9)),
        thousands(diagonals)
    );
    let details = vec![
        "the code for a cross falls through into the code for a circle when it has found no diagonal"
            .to_owned(),
        format!("eval_grid(circle) errs for {} fillings", others.count()),
        format!(
            "of the {} grids that games come to with a cross's move it errs for {}: who has a diagonal of circles has won before",
            played().0,
            played().1
        ),
    ];
    Finding { verdict: Verdict::of(wrong == 0), figure, details }
}

/// Grids that come up in games when a cross has just been set, and those on which the published core errs.
fn played() -> (String, usize) {
    fn walk(game: Grid18, seen: &mut HashSet<Grid18>) {
        if seen.insert(game) {
            for cell in game.moves() {
                let mut next = game;
                next.play(cell);
                walk(next, seen);
            }
        }
    }
    let mut seen = HashSet::new();
    walk(Grid18::new(), &mut seen);
    seen.retain(|game| game.board().count(Mark::X) > game.board().count(Mark::O));
    let errs = |game: &&Grid18| published::eval(game.grid(), Stone::Cross) != game.grid().eval(Stone::Cross);
    (thousands(seen.len()), seen.iter().filter(errs).count())
}
