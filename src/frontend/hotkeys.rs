//! The hotkeys of oxbox, the same in the window and in the terminal.
//!
//! F1 opens the help page (a second F1 there goes to the program). On the page a letter has the
//! same effect as Ctrl and a function key at any time. DOS programs hardly ever use Ctrl with these
//! function keys, so all other keys are left to them.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    /// Stops or continues the clock.
    Pause,
    /// Advances by one picture while the clock is stopped.
    Step,
    /// Runs backwards as long as the key is held.
    Back,
    /// Opens the page for saving a state.
    Save,
    /// Opens the list of saved states.
    Load,
    Faster,
    Slower,
    Mute,
    Louder,
    Quieter,
    /// Writes the picture to a file.
    Shot,
    /// Starts or ends an animated GIF.
    Film,
    /// Writes the keys since the start as a script.
    Record,
    /// Switches high contrast (light on black) on or off.
    Contrast,
    /// Switches between full screen and window.
    Fullscreen,
    /// Passes Ctrl-C to the program (in the terminal Ctrl-C itself quits oxbox).
    CtrlC,
    Quit,
}

/// The keys of a command at any time: Ctrl, optionally Shift, and a function key, or other keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chord {
    Ctrl(u8),
    CtrlShift(u8),
    Own(&'static str),
}

/// A command, its keys, the letters on the help page, and its description there.
#[rustfmt::skip]
const COMMANDS: [(Command, Chord, &[char], &str); 17] = [
    (Command::Pause, Chord::Ctrl(2), &['p'], "pause, and continue"),
    (Command::Step, Chord::Ctrl(1), &['n'], "paused: the next picture"),
    (Command::Back, Chord::Ctrl(7), &['b'], "rewind while held (here: 5 seconds)"),
    (Command::Save, Chord::Ctrl(3), &['w'], "save the state in a slot"),
    (Command::Load, Chord::Ctrl(4), &['l'], "load the state of a slot"),
    (Command::Shot, Chord::Ctrl(5), &['s'], "screenshot"),
    (Command::Film, Chord::CtrlShift(5), &['g'], "start or stop an animation (GIF)"),
    (Command::Record, Chord::Ctrl(6), &['r'], "write the keys so far as a script"),
    (Command::Mute, Chord::Ctrl(8), &['m'], "sound off or on"),
    (Command::Quieter, Chord::CtrlShift(11), &['[', ','], "quieter"),
    (Command::Louder, Chord::CtrlShift(12), &[']', '.'], "louder"),
    (Command::Slower, Chord::Ctrl(11), &['-', '_'], "slower"),
    (Command::Faster, Chord::Ctrl(12), &['+', '='], "faster"),
    (Command::Contrast, Chord::CtrlShift(8), &['h'], "high contrast on or off"),
    (Command::Fullscreen, Chord::Own("F11, Alt+Enter"), &['f'], "full screen (in a window)"),
    (Command::CtrlC, Chord::Ctrl(10), &['c'], "give the program a Ctrl-C"),
    (Command::Quit, Chord::Ctrl(9), &['q'], "quit"),
];

pub(crate) fn of_function_key(number: u8, shift: bool) -> Option<Command> {
    let of = |chord| COMMANDS.iter().find(|(_, known, ..)| *known == chord).map(|(command, ..)| *command);
    if shift { of(Chord::CtrlShift(number)) } else { of(Chord::Ctrl(number)) }
}

/// Returns the command of a letter on the help page.
pub(crate) fn of_letter(letter: char) -> Option<Command> {
    let letter = letter.to_ascii_lowercase();
    COMMANDS.iter().find(|(_, _, letters, _)| letters.contains(&letter)).map(|(command, ..)| *command)
}

/// Returns the lines of the help page: keys at any time, letter on the page, and effect.
pub(crate) fn lines() -> impl Iterator<Item = (String, char, &'static str)> {
    COMMANDS.iter().map(|&(_, chord, letters, what)| {
        let keys = match chord {
            Chord::Ctrl(number) => format!("Ctrl+F{number}"),
            Chord::CtrlShift(number) => format!("Ctrl+Shift+F{number}"),
            Chord::Own(keys) => keys.to_owned(),
        };
        (keys, letters[0].to_ascii_uppercase(), what)
    })
}

/// Speeds in instructions per millisecond for the keys: each a quarter to a half faster.
const SPEEDS: [u32; 18] = [
    100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 4500, 6000, 9000, 12_000, 20_000, 30_000, 50_000,
    75_000, 100_000,
];

/// Returns the next speed up or down; at the ends the same one.
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
    fn no_two_commands_share_a_key() {
        for (index, (command, chord, letters, _)) in COMMANDS.iter().enumerate() {
            match *chord {
                Chord::Ctrl(number) => assert_eq!(of_function_key(number, false), Some(*command)),
                Chord::CtrlShift(number) => assert_eq!(of_function_key(number, true), Some(*command)),
                Chord::Own(_) => {}
            }
            assert!(letters.iter().all(|&letter| of_letter(letter) == Some(*command)));
            assert!(COMMANDS[..index].iter().all(|(_, other, ..)| other != chord));
        }
    }
}
