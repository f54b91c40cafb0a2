//! GRID18: the grid and its procedures, the examples of its documents, and the differences of the
//! published core.

use super::{Claim, Finding, Shown, Verdict, thousands};
use crate::games::grid18::{Grid, Grid18, Stone, published};
use oxbox_proof::engine::{Board, Engine, Mark, Move, Outcome, census};
use std::collections::HashSet;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "grid18-grid",
        system: "grid18",
        claim: "010111001111010011 is the grid X . O / X X . / X O O",
        place: "README, The Grid",
        shown: Shown::Modelled,
        command: "oxbox model grid18 --grid 010111001111010011",
        check: reading,
    },
    Claim {
        name: "grid18-bits",
        system: "grid18",
        claim: "the grid has 18 bits; of its 32 bits 20 are actively used",
        place: "README, title and The Grid",
        shown: Shown::Modelled,
        command: "oxbox verify grid18",
        check: bits,
    },
    Claim {
        name: "grid18-pairs",
        system: "grid18",
        claim: "a pair is 00, 01 or 11; 10 never occurs",
        place: "README, The Grid",
        shown: Shown::Modelled,
        command: "oxbox verify grid18",
        check: pairs,
    },
    Claim {
        name: "grid18-tables",
        system: "grid18",
        claim: "the tables of what 0 and 1 stand for",
        place: "docs/get_field.md, Returns and Overview; src/core.asm",
        shown: Shown::Read,
        command: "oxbox model grid18 --grid 010111001111010011",
        check: tables,
    },
    Claim {
        name: "grid18-init",
        system: "grid18",
        claim: "init_grid must be called before any other procedure",
        place: "docs/init_grid.md",
        shown: Shown::Modelled,
        command: "oxbox play grid18 --headless --keys \"2 2 1 1 1 3 3 3 3 1 y\" --text -",
        check: init,
    },
    Claim {
        name: "grid18-masks",
        system: "grid18",
        claim: "the masks 3Fh/15h, 30C3h/1041h, 30303h/10101h and 3330h/1110h with rotations by 6 and 2",
        place: "docs/eval_grid.md",
        shown: Shown::Modelled,
        command: "oxbox model grid18 --grid 111111000000000000",
        check: masks,
    },
    Claim {
        name: "grid18-eval",
        system: "grid18",
        claim: "eval_grid(cross) reports a victory of the cross",
        place: "docs/eval_grid.md, against src/core.asm as published",
        shown: Shown::Modelled,
        command: "oxbox model grid18 --grid 010000000100000001",
        check: evaluation,
    },
    Claim {
        name: "grid18-set-field",
        system: "grid18",
        claim: "set_field is an OR with a * 4^i, a being 3 for a cross and 1 for a circle",
        place: "docs/set_field.md",
        shown: Shown::Modelled,
        command: "oxbox verify grid18 --json",
        check: set_field,
    },
    Claim {
        name: "grid18-get-field",
        system: "grid18",
        claim: "get_field masks with 3 * 4^i, and modulo 3 leaves 0 or 1",
        place: "docs/get_field.md",
        shown: Shown::Modelled,
        command: "oxbox verify grid18 --json",
        check: get_field,
    },
    Claim {
        name: "grid18-examples",
        system: "grid18",
        claim: "the figures of the worked examples: masked grids, a remainder, a mask",
        place: "docs/eval_grid.md, docs/get_field.md, docs/set_field.md, illustrations",
        shown: Shown::Modelled,
        command: "oxbox model grid18 --grid 000111000111000011",
        check: examples,
    },
    Claim {
        name: "grid18-example-register",
        system: "grid18",
        claim: "the assembly example of get_field passes y in RCX",
        place: "docs/get_field.md, Assembly Example",
        shown: Shown::Read,
        command: "oxbox model grid18 --grid 000111000111000011",
        check: example_register,
    },
    Claim {
        name: "grid18-example-jump",
        system: "grid18",
        claim: "in the example JE after AND RAX,1 goes to the circle",
        place: "docs/get_field.md, Assembly Example",
        shown: Shown::Modelled,
        command: "oxbox model grid18 --grid 000111000111000011",
        check: example_jump,
    },
    Claim {
        name: "grid18-example-set",
        system: "grid18",
        claim: "the example of set_field sets a circle at the upper left",
        place: "docs/set_field.md, text and illustrations",
        shown: Shown::Modelled,
        command: "oxbox model grid18 --grid 000000000000000001",
        check: example_set,
    },
    Claim {
        name: "grid18-abi",
        system: "grid18",
        claim: "the procedures are functions that C can call",
        place: "README, About",
        shown: Shown::Read,
        command: "oxbox claims grid18-abi",
        check: abi,
    },
    Claim {
        name: "grid18-ends",
        system: "grid18",
        claim: "the game continues until a player has won",
        place: "src/main.c, the round loop",
        shown: Shown::Modelled,
        command: "oxbox verify grid18",
        check: ends,
    },
];

fn reading() -> Finding {
    let grid = Grid(0b01_01_11_00_11_11_01_00_11);
    let board = grid.board().to_string();
    let (cross, circle) = (grid.eval(Stone::Cross), grid.eval(Stone::Circle));
    Finding::new(Verdict::of(board == "X.O/XX./XOO"), format!("{:018b} is {board}", grid.0)).with([format!(
        "eval_grid: cross {}, circle {}",
        u8::from(cross),
        u8::from(circle)
    )])
}

struct Example {
    what: &'static str,
    printed: u32,
    computed: u32,
}

fn examples() -> Finding {
    // X X X at the bottom, a column of circles at the right, crosses from the upper left to the
    // lower right, and the grid whose centre is read.
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
    Finding::new(
        Verdict::share(right, examples.len()),
        format!("{right} of {} figures are right; 200h modulo 3 is {}, not 1", examples.len(), 0x200 % 3),
    )
    .with(details)
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
        format!("eval_grid(circle) is wrong for {} fillings", others.count()),
        format!(
            "of the {} grids after a cross's move in games, it is wrong for {}: a diagonal of circles has ended the game earlier",
            played().0,
            played().1
        ),
    ];
    Finding::new(Verdict::of(wrong == 0), figure).with(details)
}

/// Returns every position that occurs in a game.
fn positions() -> HashSet<Grid18> {
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
    seen
}

/// Returns the number of grids that occur in games just after a cross, and the number of those on
/// which the published core is wrong.
fn played() -> (String, usize) {
    let mut seen = positions();
    seen.retain(|game| game.board().count(Mark::X) > game.board().count(Mark::O));
    let errs = |game: &&Grid18| published::eval(game.grid(), Stone::Cross) != game.grid().eval(Stone::Cross);
    (thousands(seen.len()), seen.iter().filter(errs).count())
}

/// The two stones, by the number that the procedures take.
const STONES: [Stone; 2] = [Stone::Circle, Stone::Cross];

/// Returns the nine fields as column and line, in the order of their indices.
fn fields() -> impl Iterator<Item = (u32, u32)> {
    (0..9).map(|index| (index % 3, index / 3))
}

/// Returns the bits that a grid of some game uses.
fn bits() -> Finding {
    let used = Grid::fillings().fold(0, |used, grid| used | grid.0);
    let width = 32 - used.leading_zeros();
    Finding::new(
        Verdict::InPart,
        format!("{} bits are used, {} are free: 18 holds, 20 does not", used.count_ones(), 32 - width),
    )
}

/// Returns every grid that occurs in a game.
fn grids() -> HashSet<u32> {
    positions().into_iter().map(|game| game.grid().0).collect()
}

fn pairs() -> Finding {
    let grids = grids();
    let never = grids.iter().filter(|&&grid| (0..9).any(|index| grid >> (2 * index) & 3 == 0b10)).count();
    Finding::new(
        Verdict::of(never == 0),
        format!("in {never} of the {} grids that occur in games, a pair is 10", thousands(grids.len())),
    )
}

fn tables() -> Finding {
    // The result of get_field for either stone, in every field.
    let gives = |stone: Stone| {
        let mut grid = Grid::init();
        fields().for_each(|(x, y)| grid.set_field(x, y, stone));
        fields().map(|(x, y)| grid.get_field(x, y)).max()
    };
    let (circle, cross) = (gives(Stone::Circle).unwrap_or(2), gives(Stone::Cross).unwrap_or(2));
    let set = |stone: Stone| stone as u8;
    Finding::new(
        Verdict::InPart,
        format!(
            "get_field gives {cross} for a cross and {circle} for a circle, as its first table says and its overview \
             does not; set_field takes {} and {}, the other way round",
            set(Stone::Cross),
            set(Stone::Circle)
        ),
    )
    .with(["the overview also has \"even\" for a circle and \"odd\" for a cross, and 0 for both"])
}

fn init() -> Finding {
    // A second game on the grid of the first: the cells of it that set_field leaves.
    let left = Grid::fillings().filter(|&grid| {
        grid.0 != 0
            && fields().any(|(x, y)| {
                let mut next = grid;
                next.set_field(x, y, Stone::Circle);
                next.0 & grid.0 != grid.0
            })
    });
    let cleared = left.count();
    Finding::new(
        Verdict::of(cleared == 0),
        format!(
            "set_field clears nothing: {cleared} of {} grids lose a stone by it, so a second game starts on the first",
            thousands(3usize.pow(9))
        ),
    )
    .with(["before the first game the memory is zero without it: the loader clears .bss, which contains the grid"])
}

fn masks() -> Finding {
    let mask = |cells: [u32; 3], pair: u32| cells.iter().fold(0u32, |mask, cell| mask | pair << (2 * cell));
    let lines: [([u32; 3], u32, u32, u32); 8] = [
        ([0, 1, 2], 0, 0x3F, 0x15),
        ([3, 4, 5], 6, 0x3F, 0x15),
        ([6, 7, 8], 12, 0x3F, 0x15),
        ([0, 3, 6], 0, 0x30C3, 0x1041),
        ([1, 4, 7], 2, 0x30C3, 0x1041),
        ([2, 5, 8], 4, 0x30C3, 0x1041),
        ([0, 4, 8], 0, 0x3_0303, 0x1_0101),
        ([2, 4, 6], 0, 0x3330, 0x1110),
    ];
    let right = lines.iter().filter(|(cells, turn, full, circle)| {
        mask(*cells, 3).rotate_right(*turn) == *full && mask(*cells, 1).rotate_right(*turn) == *circle
    });
    let right = right.count();
    Finding::new(
        Verdict::share(right, lines.len()),
        format!("for {right} of {} lines of the board", lines.len()),
    )
}

fn set_field() -> Finding {
    let (mut right, mut calls) = (0, 0);
    for grid in Grid::fillings() {
        for (index, (x, y)) in fields().enumerate() {
            for (stone, a) in STONES.into_iter().zip([1u32, 3]) {
                let mut next = grid;
                next.set_field(x, y, stone);
                right += usize::from(next.0 == grid.0 | (a * 4u32.pow(index as u32)));
                calls += 1;
            }
        }
    }
    Finding::new(
        Verdict::share(right, calls),
        format!("in {} of {} calls, every field of every filling", thousands(right), thousands(calls)),
    )
}

fn get_field() -> Finding {
    let (mut right, mut calls, mut empty) = (0, 0, 0);
    for grid in Grid::fillings() {
        let board: Board = grid.board();
        for (index, (x, y)) in fields().enumerate() {
            let masked = grid.0 & (3 * 4u32.pow(index as u32));
            let expected = match board.get(Move::ALL[index]) {
                None => 2,
                Some(Mark::X) => 0,
                Some(Mark::O) => 1,
            };
            empty += usize::from(masked == 0);
            let result = if masked == 0 { 2 } else { masked % 3 };
            right += usize::from(result == expected && grid.get_field(x, y) == expected);
            calls += 1;
        }
    }
    Finding::new(
        Verdict::share(right, calls),
        format!(
            "in {} of {} calls; {} of them find the field empty and skip the division",
            thousands(right),
            thousands(calls),
            thousands(empty)
        ),
    )
}

fn example_register() -> Finding {
    // The example's field, and the field that is read if RSI still contains 0.
    let field = Grid(0b00_01_11_00_01_11_00_00_11);
    let (meant, other) = (field.get_field(1, 1), field.get_field(1, 0));
    Finding::new(
        Verdict::Fails,
        format!(
            "the procedure takes y in RSI: with 0 there the example reads {other} where the centre holds {meant}"
        ),
    )
}

/// Returns where the jumps of the document's example lead, by get_field's result.
fn example_goes(returned: u32) -> &'static str {
    // OR and AND set the zero flag by their result: JE jumps if it is 0.
    if returned == 0 {
        "cross"
    } else if returned & 1 == 0 {
        "circle"
    } else {
        "empty"
    }
}

fn example_jump() -> Finding {
    let meant = ["cross", "circle", "empty"];
    let goes: Vec<&str> = (0..3).map(example_goes).collect();
    let right = goes.iter().zip(meant).filter(|(goes, meant)| **goes == *meant).count();
    Finding::new(
        Verdict::share(right, 3),
        format!(
            "{right} of 3 are placed as documented: a circle goes to {}, an empty field to {}",
            goes[1], goes[2]
        ),
    )
}

fn example_set() -> Finding {
    let printed = Grid(0x3);
    let mut circle = Grid::init();
    circle.set_field(0, 0, Stone::Circle);
    Finding::new(
        Verdict::of(printed == circle),
        format!(
            "the mask {:X}h and the picture are a cross, {}; a circle is {:X}h",
            printed.0,
            printed.board(),
            circle.0
        ),
    )
}

fn abi() -> Finding {
    /// The registers that the published get_field pushes and pops, in order.
    const PUSHED: [&str; 2] = ["rbx", "rcx"];
    const POPPED: [&str; 2] = ["rcx", "rdx"];
    /// The registers that a function must preserve in the System V convention.
    const KEPT: [&str; 6] = ["rbx", "rbp", "r12", "r13", "r14", "r15"];
    let taken = |register: &&&str| {
        PUSHED.iter().rev().zip(POPPED).any(|(from, to)| from == *register && to != **register)
    };
    let lost: Vec<&&str> = KEPT.iter().filter(taken).collect();
    Finding::new(
        Verdict::of(lost.is_empty()),
        format!(
            "get_field pops {} where it has pushed {}: {} is lost to its caller, and compiled with optimisation the \
             program hangs",
            POPPED[1],
            PUSHED[0],
            lost.iter().map(|name| name.to_uppercase()).collect::<Vec<_>>().join(", ")
        ),
    )
    .with([
        format!("src/core.asm, get_field: pushes {}, pops {}", PUSHED.join(", "), POPPED.join(", ")),
        format!("a function keeps {} for its caller", KEPT.join(", ")),
    ])
}

fn ends() -> Finding {
    let census = census(&Grid18::new());
    let drawn = census.count(Outcome::Draw);
    Finding::new(
        Verdict::of(drawn == 0),
        format!(
            "{} of {} lines fill the grid without a row: the published program then asks for input indefinitely",
            thousands(drawn),
            thousands(census.ends.len())
        ),
    )
    .with(["ours ends such a game as a draw"])
}
