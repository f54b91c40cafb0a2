//! Parses the `--keys` of `oxbox chip trace` to a [`Stimulus`].

use super::model::Side;
use super::trace::{Step, Stimulus};
use oxbox_proof::engine::Move;
use std::str::FromStr;

/// An unknown word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot parse '{0}' (uN or cN for a stone of the user or the chip, b or b0 to b7 to let the chip begin, 0 to 8 for a move, w or wN to let clocks pass)"
)]
pub struct UnknownWord(String);

/// `uN` and `cN` place a stone of the user or the chip. `b` or `bN` lets the chip start (with N in
/// its counter). A digit is a move of the user; `w` or `wN` waits N clocks without a key. Places
/// are 0 to 8 in rows.
///
/// ```
/// use oxbox_games::chip::trace::{Stimulus, Trace};
///
/// let stimulus: Stimulus = "u0 c4 1".parse()?;
/// let last = Trace::new(stimulus).last().unwrap();
/// // The chip has taken place 2, beside the user's two.
/// assert_eq!(last.outputs.led >> (2 * 2) & 1, 1);
/// # Ok::<(), oxbox_games::chip::UnknownWord>(())
/// ```
impl FromStr for Stimulus {
    type Err = UnknownWord;

    fn from_str(words: &str) -> Result<Stimulus, UnknownWord> {
        let mut stimulus = Stimulus::default();
        for word in words.split_whitespace() {
            let unknown = || UnknownWord(word.to_owned());
            let place = |digits: &str| digits.parse().ok().and_then(Move::new).ok_or_else(unknown);
            match word.split_at_checked(1) {
                Some(("u", digits)) => stimulus.setup.push((Side::User, place(digits)?)),
                Some(("c", digits)) => stimulus.setup.push((Side::Chip, place(digits)?)),
                Some(("b", "")) => stimulus.chip_begins = true,
                Some(("b", digits)) => {
                    stimulus.chip_begins = true;
                    stimulus.counter =
                        digits.parse().ok().filter(|&counter| counter <= 7).ok_or_else(unknown)?;
                }
                Some(("w", "")) => stimulus.steps.push(Step::Idle(1)),
                Some(("w", digits)) => {
                    stimulus.steps.push(Step::Idle(digits.parse().map_err(|_| unknown())?));
                }
                _ => stimulus.steps.push(Step::Key(place(word)?)),
            }
        }
        Ok(stimulus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stones_and_moves() {
        let cell = |index| Move::ALL[index];
        let setup = vec![(Side::User, cell(4)), (Side::Chip, cell(0))];
        let steps = vec![Step::Key(cell(2)), Step::Idle(1), Step::Idle(12), Step::Key(cell(8))];
        assert_eq!(
            "u4 c0 b5 2 w w12 8".parse(),
            Ok(Stimulus { setup, chip_begins: true, counter: 5, steps })
        );
        for wrong in ["9", "u", "x4", "b8", "u-1", "é", "w-1", "wx"] {
            assert_eq!(wrong.parse::<Stimulus>(), Err(UnknownWord(wrong.to_owned())));
        }
    }
}
