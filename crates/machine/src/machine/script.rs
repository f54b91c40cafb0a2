//! The script format: keys, waits, expectations and screenshots, for recording, playback and tests.
//!
#![doc = concat!("```text\n", include_str!("script.txt"), "```")]

use super::button::{MouseButton, ParseButtonError};
use super::key::{Key, ParseKeyError};
use super::settings::{ParseSettingError, Settings};
use std::fmt;
use std::str::FromStr;

/// The action of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Types a key when the program waits for one.
    Key(Key),
    /// Lets this many milliseconds of virtual time pass.
    Wait(u64),
    /// Waits until this many milliseconds after power-on.
    At(u64),
    /// Presses a key.
    Press(Key),
    /// Releases a key.
    Release(Key),
    /// Moves the mouse's pointer to a position when the program waits.
    Mouse(u16, u16),
    /// Presses a button of the mouse when the program waits, and releases it 50 ms later.
    Click(MouseButton),
    /// Presses or releases a button of the mouse.
    Button(MouseButton, bool),
    /// Sets the guest's speed, in instructions per millisecond.
    Speed(u32),
    /// The text screen must contain this.
    Expect(String),
    /// Writes the picture as PNG.
    Shot(String),
    /// Writes the text screen.
    Text(String),
}

/// An action and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Line of the script, from 1; 0 for keys from the command line.
    pub line: usize,
    /// The action.
    pub action: Action,
}

/// A list of steps, and the machine that they are for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Settings before the first step.
    pub settings: Settings,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// The error in a script, and its line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseScriptError {
    /// A word that is not a key.
    #[error("{}{error}", at(*.line))]
    Key {
        /// Line from 1, 0 for the command line.
        line: usize,
        /// The word.
        error: ParseKeyError,
    },
    /// A word that is not a button of the mouse.
    #[error("{}{error}", at(*.line))]
    Button {
        /// Line from 1.
        line: usize,
        /// The word.
        error: ParseButtonError,
    },
    /// A number (of milliseconds, or a speed) was expected.
    #[error("{}'{word}' is not a valid number", at(*.line))]
    Number {
        /// Line from 1, 0 for the command line.
        line: usize,
        /// The word found.
        word: String,
    },
    /// An invalid setting of the machine.
    #[error("{}{error}", at(*.line))]
    Setting {
        /// Line from 1.
        line: usize,
        /// The error in it.
        error: ParseSettingError,
    },
    /// A setting of the machine after a step: the machine is already on.
    #[error("{}'{word}' must come before the first step", at(*.line))]
    LateSetting {
        /// Line from 1.
        line: usize,
        /// The setting.
        word: String,
    },
    /// An unknown step.
    #[error("{}unknown step '{word}' (use clock, cpu, machine, key, wait, at, press, release, mouse, click, speed, expect, shot, text)", at(*.line))]
    Step {
        /// Line from 1.
        line: usize,
        /// The word found.
        word: String,
    },
    /// The step needs an argument.
    #[error("{}'{step}' needs {wanted} after it", at(*.line))]
    Missing {
        /// Line from 1.
        line: usize,
        /// The step's word.
        step: String,
        /// The expected argument.
        wanted: &'static str,
    },
}

/// In a list of keys: the position follows.
const CLICK: &str = "click";

fn at(line: usize) -> String {
    if line == 0 { String::new() } else { format!("line {line}: ") }
}

impl Script {
    /// The description of the script format, printed by `oxbox help script`.
    pub const FORMAT: &str = include_str!("script.txt");

    /// Parses the keys of `--keys`: names, characters, `@MS` for a wait, and `click X Y` or `click
    /// BUTTON X Y`.
    ///
    /// # Errors
    /// Fails with the first word that matches neither form.
    pub fn from_keys(words: &str) -> Result<Script, ParseScriptError> {
        let mut script = Script::default();
        script.push_keys(0, words)?;
        Ok(script)
    }

    /// Adds a step without a line of its own, for recording.
    pub fn push(&mut self, action: Action) {
        self.steps.push(Step { line: self.steps.len() + 1, action });
    }

    /// Returns the actions that release everything that is pressed at the end.
    ///
    /// ```
    /// use oxbox_machine::machine::Script;
    ///
    /// let script: Script = "press a\npress LSHIFT\nrelease a\n".parse()?;
    /// let up: Vec<String> = script.still_down().iter().map(ToString::to_string).collect();
    /// assert_eq!(up, ["release LSHIFT"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn still_down(&self) -> Vec<Action> {
        let mut down: Vec<Action> = Vec::new();
        for step in &self.steps {
            match &step.action {
                Action::Press(key) => down.push(Action::Release(*key)),
                Action::Button(button, true) => down.push(Action::Button(*button, false)),
                up => down.retain(|action| action != up),
            }
        }
        down.dedup();
        down
    }

    fn push_keys(&mut self, line: usize, words: &str) -> Result<(), ParseScriptError> {
        let mut words = words.split_whitespace();
        while let Some(word) = words.next() {
            let action = match word.strip_prefix('@') {
                Some(ms) if !ms.is_empty() => Action::Wait(number(line, ms)?),
                _ if word == CLICK => self.push_place(line, &mut words)?,
                _ => Action::Key(key(line, word)?),
            };
            self.steps.push(Step { line, action });
        }
        Ok(())
    }

    /// Adds the move to the position of a click in a list of keys, and the click.
    fn push_place<'a>(
        &mut self,
        line: usize,
        words: &mut impl Iterator<Item = &'a str>,
    ) -> Result<Action, ParseScriptError> {
        let wanted = "two numbers, across and down,";
        let mut word =
            || words.next().ok_or_else(|| ParseScriptError::Missing { line, step: CLICK.to_owned(), wanted });
        let mut x = word()?;
        let mut button = MouseButton::Left;
        if let Ok(named) = x.parse() {
            (button, x) = (named, word()?);
        }
        let action = Action::Mouse(number(line, x)?, number(line, word()?)?);
        self.steps.push(Step { line, action });
        Ok(Action::Click(button))
    }
}

impl FromStr for Script {
    type Err = ParseScriptError;

    fn from_str(text: &str) -> Result<Script, ParseScriptError> {
        let mut script = Script::default();
        for (index, source) in text.lines().enumerate() {
            let line = index + 1;
            let source = source.trim();
            if source.is_empty() || source.starts_with('#') {
                continue;
            }
            let (word, rest) = source.split_once(char::is_whitespace).unwrap_or((source, ""));
            let rest = rest.trim();
            let need = |wanted| {
                if rest.is_empty() {
                    Err(ParseScriptError::Missing { line, step: word.to_owned(), wanted })
                } else {
                    Ok(rest)
                }
            };
            if script.settings.set(word, rest).map_err(|error| ParseScriptError::Setting { line, error })? {
                if !script.steps.is_empty() {
                    return Err(ParseScriptError::LateSetting { line, word: word.to_owned() });
                }
                continue;
            }
            let action = match word {
                "key" => {
                    script.push_keys(line, need("names of keys")?)?;
                    continue;
                }
                "wait" => Action::Wait(number(line, need("milliseconds")?)?),
                "at" => Action::At(number(line, need("milliseconds since power-on")?)?),
                "press" | "release" => {
                    let name = need("the name of a key or a button")?;
                    let down = word == "press";
                    // Buttons have lower-case names: LEFT is a key.
                    match name.parse() {
                        Ok(button) if !name.contains(char::is_uppercase) => Action::Button(button, down),
                        _ if down => Action::Press(key(line, name)?),
                        _ => Action::Release(key(line, name)?),
                    }
                }
                "mouse" => {
                    let place = need("two numbers, across and down,")?;
                    let (x, y) = place.split_once(char::is_whitespace).unwrap_or((place, ""));
                    Action::Mouse(number(line, x)?, number(line, y.trim())?)
                }
                CLICK => {
                    let button = if rest.is_empty() { "left" } else { rest };
                    Action::Click(button.parse().map_err(|error| ParseScriptError::Button { line, error })?)
                }
                "speed" => Action::Speed(number(line, need("instructions a millisecond")?)?),
                "expect" => Action::Expect(unquoted(need("the text to find")?)),
                "shot" => Action::Shot(unquoted(need("a file name")?)),
                "text" => Action::Text(unquoted(need("a file name")?)),
                _ => return Err(ParseScriptError::Step { line, word: word.to_owned() }),
            };
            script.steps.push(Step { line, action });
        }
        Ok(script)
    }
}

fn key(line: usize, word: &str) -> Result<Key, ParseScriptError> {
    word.parse().map_err(|error| ParseScriptError::Key { line, error })
}

fn number<T: FromStr>(line: usize, word: &str) -> Result<T, ParseScriptError> {
    word.parse().map_err(|_| ParseScriptError::Number { line, word: word.to_owned() })
}

/// Removes quotes, which preserve the blanks of a text and are optional.
fn unquoted(text: &str) -> String {
    text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(text).to_owned()
}

/// Returns a file name for a step, in quotes if it needs them.
fn quoted(file: &str) -> std::borrow::Cow<'_, str> {
    let survives = !file.is_empty() && file.trim() == file && unquoted(file) == file;
    if survives { file.into() } else { format!("\"{file}\"").into() }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Key(key) => write!(f, "key {key}"),
            Action::Wait(ms) => write!(f, "wait {ms}"),
            Action::At(ms) => write!(f, "at {ms}"),
            Action::Press(key) => write!(f, "press {key}"),
            Action::Release(key) => write!(f, "release {key}"),
            Action::Mouse(x, y) => write!(f, "mouse {x} {y}"),
            Action::Click(button) => write!(f, "click {button}"),
            Action::Button(button, true) => write!(f, "press {button}"),
            Action::Button(button, false) => write!(f, "release {button}"),
            Action::Speed(speed) => write!(f, "speed {speed}"),
            Action::Expect(text) => write!(f, "expect \"{text}\""),
            Action::Shot(file) => write!(f, "shot {}", quoted(file)),
            Action::Text(file) => write!(f, "text {}", quoted(file)),
        }
    }
}

/// Formats the text that [`Script::from_str`] parses.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.settings)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "{}", step.action))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_and_written_back() {
        let text = "# a game\nclock 1999-12-31 23:59\ncpu 80286\nmachine cga\nkey SP 5 @500 q\n\n  wait 20\nspeed 600\nat 1500\npress UP\nrelease LEFT\nmouse 8  16\nclick\npress right\nrelease middle\nexpect \" X \"\nshot a b.png\ntext -\n";
        let script: Script = text.parse().expect("a script");
        let written = "clock 1999-12-31 23:59:00\ncpu 286\nmachine cga\nkey SP\nkey 5\nwait 500\nkey q\nwait 20\nspeed 600\nat 1500\npress UP\nrelease LEFT\nmouse 8 16\nclick left\npress right\nrelease middle\nexpect \" X \"\nshot a b.png\ntext -\n";
        assert_eq!(script.to_string(), written);
        let actions =
            |script: &Script| script.steps.iter().map(|step| step.action.clone()).collect::<Vec<_>>();
        assert_eq!(actions(&written.parse().expect("the same script")), actions(&script));
    }

    #[test]
    fn file_names_come_back_as_they_are() {
        for name in ["a.png", " a.png", "a.png ", "\"a.png\"", "\"", "\"\"", " ", "", "-", "#1.png", "a\tb"] {
            for action in [Action::Shot(name.to_owned()), Action::Text(name.to_owned())] {
                let script = Script { steps: vec![Step { line: 1, action }], ..Script::default() };
                assert_eq!(script.to_string().parse::<Script>(), Ok(script), "{name:?}");
            }
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let rows = [
            ("key FOO", "line 1: unknown key 'FOO'"),
            ("\n\nwait x", "line 3: 'x' is not a valid number"),
            ("wait -1", "line 1: '-1' is not a valid number"),
            ("mouse 5", "line 1: '' is not a valid number"),
            ("mouse 70000 1", "line 1: '70000' is not a valid number"),
            ("click twice", "line 1: unknown button 'twice'"),
            ("key click 5", "line 1: 'click' needs two numbers, across and down, after it"),
            ("key click left 5 x", "line 1: 'x' is not a valid number"),
            ("jump 5", "line 1: unknown step 'jump'"),
            ("clock noon", "line 1: cannot parse 'noon' as a date and time"),
            ("cpu 68000", "line 1: unknown processor '68000'"),
            ("machine", "line 1: unknown display adapter ''"),
            ("key a\ncpu 286", "line 2: 'cpu' must come before the first step"),
            ("expect", "line 1: 'expect' needs the text to find after it"),
            ("key @1x", "line 1: '1x' is not a valid number"),
        ];
        for (text, message) in rows {
            let error = text.parse::<Script>().expect_err(text).to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
        assert!(
            Script::from_keys("SP FOO").expect_err("no key").to_string().starts_with("unknown key 'FOO'")
        );
    }

    #[test]
    fn clicks_among_keys() {
        let script = Script::from_keys("a click 8 16 c click Right 0 0").expect("keys");
        assert_eq!(script.to_string(), "key a\nmouse 8 16\nclick left\nkey c\nmouse 0 0\nclick right\n");
    }

    #[test]
    fn an_at_sign_alone_is_a_key() {
        let script = Script::from_keys("@ @5").expect("keys");
        assert_eq!(script.to_string(), "key @\nwait 5\n");
    }
}
