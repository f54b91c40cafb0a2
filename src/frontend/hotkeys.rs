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
    /// One picture further, while the clock stands.
    Step,
    /// Run backwards, for as long as the key is held.
    Back,
    /// The page on which a state is saved.
    Save,
    /// The page on which a state is gone back to.
    Load,
    /// The guest runs faster.
    Faster,
    /// The guest runs slower.
    Slower,
    /// Sound off, and on.
    Mute,
    /// A little louder.
    Louder,
    /// A little quieter.
    Quieter,
    /// Write the picture to a file.
    Shot,
    /// Begin, or end, a moving picture.
    Film,
    /// Write the keys since the start as a script.
    Record,
    /// Light on black, and back.
    Contrast,
    /// The whole screen, and back to a window.
    Fullscreen,
    /// Give the program Ctrl-C (in the terminal Ctrl-C itself leaves oxbox).
    CtrlC,
    /// Leave.
    Quit,
}

/// How a wish is made at any time: by Ctrl, perhaps with Shift, and a function key, or by keys of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chord {
    Ctrl(u8),
    CtrlShift(u8),
    Own(&'static str),
}

/// A wish, its keys, the letters on the help page, and what it is called there.
#[rustfmt::skip]
const WISHES: [(Wish, Chord, &[char], &str); 17] = [
    (Wish::Pause, Chord::Ctrl(2), &['p'], "pause, and go on"),
    (Wish::Step, Chord::Ctrl(1), &['n'], "paused: the next picture"),
    (Wish::Back, Chord::Ctrl(7), &['b'], "run backwards, while held (here: 5 seconds)"),
    (Wish::Save, Chord::Ctrl(3), &['w'], "save the state in a slot"),
    (Wish::Load, Chord::Ctrl(4), &['l'], "go back to the state of a slot"),
    (Wish::Shot, Chord::Ctrl(5), &['s'], "screenshot"),
    (Wish::Film, Chord::CtrlShift(5), &['g'], "begin, or end, a moving picture (GIF)"),
    (Wish::Record, Chord::Ctrl(6), &['r'], "write the keys so far as a script"),
    (Wish::Mute, Chord::Ctrl(8), &['m'], "sound off, and on"),
    (Wish::Quieter, Chord::CtrlShift(11), &['[', ','], "quieter"),
    (Wish::Louder, Chord::CtrlShift(12), &[']', '.'], "louder"),
    (Wish::Slower, Chord::Ctrl(11), &['-', '_'], "slower"),
    (Wish::Faster, Chord::Ctrl(12), &['+', '='], "faster"),
    (Wish::Contrast, Chord::CtrlShift(8), &['h'], "high contrast, and back"),
    (Wish::Fullscreen, Chord::Own("F11, Alt+Enter"), &['f'], "the whole screen (in a window)"),
    (Wish::CtrlC, Chord::Ctrl(10), &['c'], "give the program a Ctrl-C"),
    (Wish::Quit, Chord::Ctrl(9), &['q'], "quit"),
];

/// The wish of Ctrl and a function key.
pub(crate) fn of_function_key(number: u8, shift: bool) -> Option<Wish> {
    let of = |chord| WISHES.iter().find(|(_, known, ..)| *known == chord).map(|(wish, ..)| *wish);
    if shift { of(Chord::CtrlShift(number)) } else { of(Chord::Ctrl(number)) }
}

/// The wish of a letter on the help page.
pub(crate) fn of_letter(letter: char) -> Option<Wish> {
    let letter = letter.to_ascii_lowercase();
    WISHES.iter().find(|(_, _, letters, _)| letters.contains(&letter)).map(|(wish, ..)| *wish)
}

/// The lines of the help page: what to press at any time, what on the page, and what it does.
pub(crate) fn lines() -> impl Iterator<Item = (String, char, &'static str)> {
    WISHES.iter().map(|&(_, chord, letters, what)| {
        let keys = match chord {
            Chord::Ctrl(number) => format!("Ctrl+F{number}"),
            Chord::CtrlShift(number) => format!("Ctrl+Shift+F{number}"),
            Chord::Own(keys) => keys.to_owned(),
        };
        (keys, letters[0].to_ascii_uppercase(), what)
    })
}

/// Speeds in instructions a millisecond that the keys step through: each a quarter to a half more than the last.
const SPEEDS: [u32; 18] = [
    100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 4500, 6000, 9000, 12_000, 20_000, 30_000, 50_000,
    75_000, 100_000,
];

/// The next speed up or down; at the ends the same one.
pub(crate) fn next_speed(speed: u32, faster: bool) -> u32 {
    let next = if faster {
        SPEEDS.into_iter().find(|&s| s > speed)
    } else {
        SPEEDS.into_iter().rev().find(|&s| s < speed)
    };
    next.unwrap_or(speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_step_up_and_down() {
        let table = [
            (3000, true, 4500),
            (3000, false, 2000),
            (3100, false, 3000),
            (100, false, 100),
            (100_000, true, 100_000),
            (9, true, 100),
        ];
        for (speed, faster, expected) in table {
            assert_eq!(next_speed(speed, faster), expected, "{speed} {faster}");
        }
    }

    #[test]
    fn no_two_wishes_share_a_key() {
        for (index, (wish, chord, letters, _)) in WISHES.iter().enumerate() {
            match *chord {
                Chord::Ctrl(number) => assert_eq!(of_function_key(number, false), Some(*wish)),
                Chord::CtrlShift(number) => assert_eq!(of_function_key(number, true), Some(*wish)),
                Chord::Own(_) => {}
            }
            assert!(letters.iter().all(|&letter| of_letter(letter) == Some(*wish)));
            assert!(WISHES[..index].iter().all(|(_, other, ..)| other != chord));
        }
    }
}
