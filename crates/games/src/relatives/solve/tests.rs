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
