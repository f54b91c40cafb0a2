//! Tests each interpretation of the rules: the value of the empty board, the counts, and the
//! consistency of all values.

use super::super::Reach;
use super::*;

/// The rules, the value of the empty board, positions won, lost and drawn, the same up to symmetry,
/// and the number of stuck ones.
const TABLE: [(Rules, Value, [usize; 3], [usize; 3], usize); 4] = [
    (Rules::MILLWHEEL, Value::Draw, [3334, 1084, 972], [450, 157, 137], 0),
    (Rules::achi(Reach::Eight), Value::Win(11), [3535, 2185, 0], [489, 305, 0], 8),
    (Rules::achi(Reach::Four), Value::Win(11), [3482, 2150, 0], [479, 301, 0], 45),
    (Rules::achi(Reach::Lines), Value::Win(11), [3527, 2189, 0], [487, 306, 0], 12),
];

fn figures(count: Count) -> [usize; 3] {
    [count.won, count.lost, count.drawn]
}

#[test]
fn every_reading_is_solved() {
    for (rules, value, all, symmetric, stuck) in TABLE {
        let solution = Solution::new(rules);
        assert_eq!(solution.value(&Position::start()), Some(value), "{rules:?}");
        assert_eq!(figures(solution.count()), all, "{rules:?}");
        assert_eq!(figures(solution.count_up_to_symmetry()), symmetric, "{rules:?}");
        assert_eq!(solution.stuck(), stuck, "{rules:?}");
    }
}

/// Tests that the first player wins equally fast whether a stuck player loses or draws.
#[test]
fn the_report_s_silence_does_not_matter() {
    for (rules, value, ..) in TABLE {
        let solution = Solution::new(Rules { stuck: Stuck::Draws, ..rules });
        assert_eq!(solution.value(&Position::start()), Some(value), "{rules:?}");
    }
}

/// Tests the definition of a value for each position, and its symmetry.
#[test]
fn values_follow_from_the_next_positions() {
    for (rules, ..) in TABLE {
        let solution = Solution::new(rules);
        for (position, &value) in &solution.values {
            let next: Vec<Value> =
                position.turns(&rules).iter().map(|&turn| solution.values[&position.after(turn)]).collect();
            let lost = next.iter().filter_map(|v| if let Value::Loss(n) = v { Some(*n) } else { None }).min();
            let won = next.iter().filter_map(|v| if let Value::Win(n) = v { Some(*n) } else { None }).max();
            let expected = match (lost, won) {
                (Some(turns), _) => Value::Win(turns + 1),
                (None, _) if next.contains(&Value::Draw) => Value::Draw,
                (None, won) => Value::Loss(won.map_or(0, |turns| turns + 1)),
            };
            assert_eq!(value, expected, "{position:?}");
            for other in position.symmetric() {
                assert_eq!(solution.value(&other), Some(value), "{position:?}");
            }
        }
    }
}

#[test]
fn turns_are_ranked() {
    let solution = Solution::new(Rules::MILLWHEEL);
    // X has all of the left column except one square, and O is to move.
    let position = Position { board: "X.O/X../O.X".into(), mover: oxbox_proof::engine::Mark::O };
    let turns = solution.turns(&position);
    assert_eq!(turns.len(), 4);
    for ((_, value), (_, next)) in turns.iter().zip(&turns[1..]) {
        let rank = |value: &Value| match value {
            Value::Win(_) => 0,
            Value::Draw => 1,
            Value::Loss(_) => 2,
        };
        assert!(rank(value) <= rank(next));
    }
    assert_eq!(turns[0].1, Value::Win(1), "O completes the diagonal: {turns:?}");
}
