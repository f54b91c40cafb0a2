//! The keys that are oxbox's own, the same in the window and in the terminal.
//!
//! F1 opens the help page (a second F1 there goes to the program); on it a letter does what Ctrl and a function key do at
//! any time. DOS programs hardly ever use Ctrl with these function keys, so all others are left to them.

/// What the user wants of oxbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The help page, and back.
    Help,
    /// Stop the clock, and go on.
    Pause,
    /// The guest runs faster.
    Faster,
    /// The guest runs slower.
    Slower,
    /// Sound off, and on.
    Mute,
    /// Write the picture to a file.
    Shot,
    /// Write the keys since the start as a script.
    Record,
    /// Give the program Ctrl-C (in the terminal Ctrl-C itself leaves oxbox).
    CtrlC,
    /// Leave.
    Quit,
}

/// A wish, the function key that goes with Ctrl, the letters on the help page, and what it is called there.
const WISHES: [(Wish, u8, &[char], &str); 8] = [
    (Wish::Pause, 2, &['p'], "pause, and go on"),
    (Wish::Shot, 5, &['s'], "screenshot"),
    (Wish::Record, 6, &['r'], "write the keys so far as a script"),
    (Wish::Mute, 8, &['m'], "sound off, and on"),
    (Wish::Quit, 9, &['q'], "quit"),
    (Wish::CtrlC, 10, &['c'], "give the program a Ctrl-C"),
    (Wish::Slower, 11, &['-', '_'], "slower"),
    (Wish::Faster, 12, &['+', '='], "faster"),
];

/// The wish of Ctrl and a function key.
pub(crate) fn of_function_key(number: u8) -> Option<Wish> {
    WISHES.iter().find(|(_, key, ..)| *key == number).map(|(wish, ..)| *wish)
}

/// The wish of a letter on the help page.
pub(crate) fn of_letter(letter: char) -> Option<Wish> {
    let letter = letter.to_ascii_lowercase();
    WISHES.iter().find(|(_, _, letters, _)| letters.contains(&letter)).map(|(wish, ..)| *wish)
}

/// The lines of the help page: what to press at any time, what on the page, and what it does.
pub(crate) fn lines() -> impl Iterator<Item = (String, char, &'static str)> {
    WISHES
        .iter()
        .map(|&(_, key, letters, what)| (format!("Ctrl+F{key}"), letters[0].to_ascii_uppercase(), what))
}

/// Speeds in instructions a millisecond that the keys step through: each a quarter to a half more than the last.
const SPEEDS: [u32; 18] = [
    100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 4500, 6000, 9000, 12_000, 20_000, 30_000, 50_000,
    75_000, 100_000,
];

/// The next speed up or down; at the ends the same one.
pub(crate) fn next_speed(speed: u32, wish: Wish) -> u32 {
    match wish {
        Wish::Faster => SPEEDS.into_iter().find(|&s| s > speed).unwrap_or(speed),
        Wish::Slower => SPEEDS.into_iter().rev().find(|&s| s < speed).unwrap_or(speed),
        _ => speed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_step_up_and_down() {
        let table = [
            (3000, Wish::Faster, 4500),
            (3000, Wish::Slower, 2000),
            (3100, Wish::Slower, 3000),
            (100, Wish::Slower, 100),
            (100_000, Wish::Faster, 100_000),
            (9, Wish::Faster, 100),
        ];
        for (speed, wish, expected) in table {
            assert_eq!(next_speed(speed, wish), expected, "{speed} {wish:?}");
        }
    }

    #[test]
    fn no_two_wishes_share_a_key() {
        for (index, (wish, key, letters, _)) in WISHES.iter().enumerate() {
            assert_eq!(of_function_key(*key), Some(*wish));
            assert!(letters.iter().all(|&letter| of_letter(letter) == Some(*wish)));
            assert!(WISHES[..index].iter().all(|(_, other, ..)| other != key));
        }
    }
}
