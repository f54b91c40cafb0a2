//! The input alphabet: each choice is a sequence of keys, clicks and pauses.

use oxbox_machine::machine::{Action, Key, MouseButton, Script};

/// An action of a user while the program waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Types a key.
    Key(Key),
    /// Presses and holds a key.
    Press(Key),
    /// Releases a key.
    Release(Key),
    /// Presses or releases a mouse button.
    Button(MouseButton, bool),
    /// Moves the mouse to a position in INT 33h coordinates and clicks.
    Click(MouseButton, u16, u16),
    /// Advances virtual time by this number of ms.
    Pause(u64),
}

/// A sequence of actions, each done when the program waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The name, in the form of `--keys`.
    pub name: String,
    /// The keys, clicks and pauses.
    pub acts: Vec<Act>,
}

/// The choices that are tried at every wait, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices(Vec<Choice>);

/// An error in a list of choices.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChoicesError {
    /// A word that is neither a key nor a range.
    #[error(
        "'{0}' is not a choice: a character, a range like 1-9, a key's name as in --keys, @MS, or click X Y"
    )]
    Word(String),
    /// An error in a line of a file of choices.
    #[error("line {0}: {1}")]
    Line(usize, String),
    /// The list is empty.
    #[error("no choices are given")]
    None,
    /// More choices than a search can number.
    #[error("{0} choices: at most {MOST_CHOICES}")]
    TooMany(usize),
}

/// The name of doing nothing for a tick, in the form of `--keys`.
pub(super) const NOTHING: &str = "@54";

const ANY: &str = "any";

/// Returns the names of all keys that type a character or have a name, without Ctrl and Alt:
/// characters first, ordered by code.
fn any_key() -> impl Iterator<Item = String> {
    let characters = ('!'..='~').map(String::from);
    let named = [
        "SP", "ENTER", "ESC", "TAB", "BKSP", "UP", "DOWN", "LEFT", "RIGHT", "HOME", "END", "PGUP", "PGDN",
        "INS", "DEL",
    ];
    let functions = (1..=12).map(|number| format!("F{number}"));
    characters.chain(named.map(str::to_owned)).chain(functions)
}

const MOST_CHOICES: usize = 4096;

impl Choices {
    /// Parses words like `1-9 q ENTER click 320 96`: ranges, characters, names of keys, and clicks,
    /// each of them or each character of a range a choice; `any` is every key without Ctrl and Alt.
    /// Duplicates are ignored.
    ///
    /// ```
    /// use oxbox_proof::walk::Choices;
    ///
    /// let choices = Choices::from_words("1-3 q ENTER click 320 96").unwrap();
    /// let names: Vec<&str> = choices.iter().map(|choice| choice.name.as_str()).collect();
    /// assert_eq!(names, ["1", "2", "3", "q", "ENTER", "click 320 96"]);
    /// ```
    ///
    /// # Errors
    /// Fails with the first invalid word.
    pub fn from_words(words: &str) -> Result<Choices, ChoicesError> {
        let mut choices = Choices::default();
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut words = words.as_slice();
        while let [word, rest @ ..] = words {
            let len = if *word == "click" { length_of_click(rest) } else { 1 };
            let (name, rest) = words.split_at(len);
            words = rest;
            if *word == ANY {
                for name in any_key() {
                    choices.push(name, word)?;
                }
                continue;
            }
            match range(word) {
                Some(characters) => {
                    for character in characters {
                        choices.push(character.to_string(), word)?;
                    }
                }
                None => {
                    let name = name.join(" ");
                    choices.push(name.clone(), &name)?;
                }
            }
        }
        choices.checked()
    }

    /// Parses one choice per line in the syntax of `--keys`. Blank lines and lines that start with
    /// `;` are ignored.
    ///
    /// # Errors
    /// Fails with the first line that contains an unknown key.
    pub fn from_lines(text: &str) -> Result<Choices, ChoicesError> {
        let mut choices = Choices::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(';') {
                continue;
            }
            let name = line.split_whitespace().collect::<Vec<_>>().join(" ");
            let acts = acts(&name).map_err(|error| ChoicesError::Line(number + 1, error.to_string()))?;
            choices.add(Choice { name, acts });
        }
        choices.checked()
    }

    /// Returns an iterator over the choices.
    pub fn iter(&self) -> impl Iterator<Item = &Choice> {
        self.0.iter()
    }

    /// Returns the names in order.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|choice| choice.name.clone()).collect()
    }

    /// Returns the number of choices.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a choice by its index.
    pub fn get(&self, number: usize) -> Option<&Choice> {
        self.0.get(number)
    }

    fn push(&mut self, name: String, word: &str) -> Result<(), ChoicesError> {
        let acts = acts(&name).map_err(|_| ChoicesError::Word(word.to_owned()))?;
        self.add(Choice { name, acts });
        Ok(())
    }

    /// Adds a choice, unless it is already in the list.
    pub fn add(&mut self, choice: Choice) {
        if !self.0.contains(&choice) {
            self.0.push(choice);
        }
    }

    fn checked(self) -> Result<Choices, ChoicesError> {
        match self.0.len() {
            0 => Err(ChoicesError::None),
            many if many > MOST_CHOICES => Err(ChoicesError::TooMany(many)),
            _ => Ok(self),
        }
    }
}

/// An input that a user cannot perform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActError {
    /// A word that `--keys` does not accept.
    #[error("{0}")]
    Word(String),
    /// A step of a script that is not an action of a user.
    #[error("'{0}' is neither a key, a wait, nor a click at a place")]
    Step(String),
}

/// Parses actions of a user in the words of `--keys`.
///
/// # Errors
/// Fails with the first invalid word.
pub fn acts(words: &str) -> Result<Vec<Act>, ActError> {
    acts_of(&Script::from_keys(words).map_err(|error| ActError::Word(error.to_string()))?)
}

/// Converts a script that only contains actions of a user.
///
/// # Errors
/// Fails with the first step that is not such an action.
pub fn acts_of(script: &Script) -> Result<Vec<Act>, ActError> {
    let mut acts = Vec::new();
    let mut place = None;
    for step in &script.steps {
        let act = match (&step.action, place.take()) {
            (Action::Key(key), None) => Act::Key(*key),
            (Action::Press(key), None) => Act::Press(*key),
            (Action::Release(key), None) => Act::Release(*key),
            (&Action::Button(button, down), None) => Act::Button(button, down),
            (Action::Wait(ms), None) => Act::Pause(*ms),
            (&Action::Mouse(x, y), None) => {
                place = Some((x, y));
                continue;
            }
            (&Action::Click(button), Some((x, y))) => Act::Click(button, x, y),
            (action, _) => {
                return Err(ActError::Step(action.to_string()));
            }
        };
        acts.push(act);
    }
    Ok(acts)
}

/// Returns the number of words of a click, including `click`: a button may precede the two numbers.
fn length_of_click(rest: &[&str]) -> usize {
    let has_button = rest.first().is_some_and(|word| word.parse::<MouseButton>().is_ok());
    (3 + usize::from(has_button)).min(1 + rest.len())
}

/// Returns the characters of a range like `1-9`.
fn range(word: &str) -> Option<std::ops::RangeInclusive<char>> {
    let mut characters = word.chars();
    let (first, dash, last) = (characters.next()?, characters.next()?, characters.next()?);
    (dash == '-' && characters.next().is_none() && first.is_ascii() && last.is_ascii() && first <= last)
        .then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(choices: &Choices) -> Vec<&str> {
        choices.iter().map(|choice| choice.name.as_str()).collect()
    }

    #[test]
    fn words_and_ranges() {
        let rows: [(&str, Result<Vec<&str>, &str>); 11] = [
            ("1-3", Ok(vec!["1", "2", "3"])),
            ("a-c b F1 SP -", Ok(vec!["a", "b", "c", "F1", "SP", "-"])),
            ("--/", Ok(vec!["-", ".", "/"])),
            ("CTRL+C", Ok(vec!["CTRL+C"])),
            ("click 8 16 @50 click right 0 0 c", Ok(vec!["click 8 16", "@50", "click right 0 0", "c"])),
            ("click 8 16 click 8 16", Ok(vec!["click 8 16"])),
            ("1 click 8", Err("'click 8' is not a choice")),
            ("click 8 q", Err("'click 8 q' is not a choice")),
            ("", Err("no choices are given")),
            ("9-1", Err("'9-1' is not a choice")),
            ("1-3 NOKEY", Err("'NOKEY' is not a choice")),
        ];
        for (words, expected) in rows {
            match (Choices::from_words(words), expected) {
                (Ok(choices), Ok(expected)) => assert_eq!(names(&choices), expected, "{words}"),
                (Err(error), Err(expected)) => assert!(error.to_string().starts_with(expected), "{error}"),
                (found, _) => panic!("{words}: {found:?}"),
            }
        }
    }

    #[test]
    fn any_is_every_key_once() {
        let choices = Choices::from_words("5 any a").expect("choices");
        let names = names(&choices);
        assert_eq!((names.len(), names[0], names[1]), (121, "5", "!"));
        for name in ["A", "a", "~", "SP", "ENTER", "F12"] {
            assert_eq!(names.iter().filter(|&&other| other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn lines_are_choices_of_several_keys() {
        let text = "5  ENTER\n\n; a remark\nq\n5 ENTER\n@55 click 8 16 c\n";
        let choices = Choices::from_lines(text).expect("choices");
        assert_eq!(names(&choices), ["5 ENTER", "q", "@55 click 8 16 c"]);
        let lengths: Vec<usize> = choices.iter().map(|choice| choice.acts.len()).collect();
        assert_eq!(lengths, [2, 1, 3]);
        let error = Choices::from_lines("1\nNOKEY").expect_err("no such key");
        assert!(error.to_string().starts_with("line 2: unknown key 'NOKEY'"), "{error}");
    }
}
