//! Tests every reading over every line of play.

use super::*;
use oxbox_proof::engine::census;

/// Lines won by the computer, won by the user, and drawn, in the order of [`Reading::all`].
const LINES: [[usize; 3]; 24] = [
    [177, 367, 181],
    [220, 316, 207],
    [224, 318, 209],
    [344, 29, 166],
    [366, 7, 148],
    [377, 7, 153],
    [314, 245, 162],
    [374, 172, 181],
    [376, 174, 185],
    [344, 29, 166],
    [366, 7, 148],
    [377, 7, 153],
    [177, 367, 181],
    [220, 316, 207],
    [224, 318, 209],
    [330, 37, 144],
    [336, 3, 134],
    [337, 3, 133],
    [314, 245, 162],
    [374, 172, 181],
    [376, 174, 185],
    [330, 37, 144],
    [336, 3, 134],
    [337, 3, 133],
];

#[test]
fn every_reading_loses_and_none_always_wins() {
    assert_eq!(Reading::all().next(), Some(Reading::PRINTED));
    for (reading, expected) in Reading::all().zip(LINES) {
        let census = census(&Course::new(reading));
        let found = [Outcome::Win(Mark::O), Outcome::Win(Mark::X), Outcome::Draw].map(|o| census.count(o));
        assert_eq!(found, expected, "{reading}");
        assert_eq!(found.iter().sum::<usize>(), census.ends.len());
    }
}

#[test]
fn replies() {
    let centre = Reading { first_reply: FirstReply::Centre, ..Reading::PRINTED };
    let rows = Reading { first_free: FirstFree::Rows, ..Reading::PRINTED };
    let cases = [
        // No pattern matches: the first free position.
        (Reading::PRINTED, "0", "XO./.../..."),
        (centre, "0", "X../.O./..."),
        (centre, "4", "O../.X./..."),
        // Pattern 15, the first look-ahead with an X in the centre.
        (Reading::PRINTED, "4", ".O./.X./..."),
        // Array order continues down the right edge, rows continue to the middle left.
        (Reading::PRINTED, "0 2", "XOX/..O/..."),
        (rows, "0 2", "XOX/O../..."),
    ];
    for (reading, moves, expected) in cases {
        let mut game = Course::new(reading);
        for cell in moves.split(' ').filter_map(|digit| Move::new(digit.parse().unwrap())) {
            game.play(cell);
        }
        assert_eq!(game.board().to_string(), expected, "{reading}: {moves}");
    }
}
