//! What a user may do at a wait: each choice a few keys, typed one after the other.

use crate::machine::Key;

/// Keys that are typed in a row, each when the program waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// As `--keys` takes them.
    pub name: String,
    /// The keys.
    pub keys: Vec<Key>,
}

/// What is tried at every wait, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices(Vec<Choice>);

/// What is wrong with a list of choices.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ChoicesError {
    /// A word that is no key and no range.
    #[error("'{0}' is no choice: a character, a range like 1-9, or a key's name as in --keys")]
    Word(String),
    /// A line of a file of choices.
    #[error("line {0}: {1}")]
    Line(usize, String),
    /// Nothing to try.
    #[error("there is no choice to try")]
    None,
    /// More than a walk can number.
    #[error("{0} choices: at most {MOST_CHOICES}")]
    TooMany(usize),
}

/// Choices at a wait, at most.
const MOST_CHOICES: usize = 4096;

impl Choices {
    /// Reads words like `1-9 q ENTER`: ranges, characters and names of keys, each word or each character of a range a
    /// choice. What is named twice is tried once.
    ///
    /// ```
    /// use oxbox::walk::Choices;
    ///
    /// let choices = Choices::from_words("1-3 q ENTER").unwrap();
    /// let names: Vec<&str> = choices.iter().map(|choice| choice.name.as_str()).collect();
    /// assert_eq!(names, ["1", "2", "3", "q", "ENTER"]);
    /// ```
    ///
    /// # Errors
    /// The first word that is none of these.
    pub fn from_words(words: &str) -> Result<Choices, ChoicesError> {
        let mut choices = Choices::default();
        for word in words.split_whitespace() {
            match range(word) {
                Some(characters) => {
                    for character in characters {
                        choices.push(character.to_string(), word)?;
                    }
                }
                None => choices.push(word.to_owned(), word)?,
            }
        }
        choices.checked()
    }

    /// Reads a choice a line, each in the syntax of `--keys`; blank lines and those that begin with `;` are passed over.
    ///
    /// # Errors
    /// The first line that names a key which is not there.
    pub fn from_lines(text: &str) -> Result<Choices, ChoicesError> {
        let mut choices = Choices::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(';') {
                continue;
            }
            let name = line.split_whitespace().collect::<Vec<_>>().join(" ");
            let keys = keys(&name).map_err(|error| ChoicesError::Line(number + 1, error))?;
            choices.add(Choice { name, keys });
        }
        choices.checked()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Choice> {
        self.0.iter()
    }

    /// The names of all, in order.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|choice| choice.name.clone()).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A choice by its place in the order.
    pub fn get(&self, number: usize) -> Option<&Choice> {
        self.0.get(number)
    }

    fn push(&mut self, name: String, word: &str) -> Result<(), ChoicesError> {
        let keys = keys(&name).map_err(|_| ChoicesError::Word(word.to_owned()))?;
        self.add(Choice { name, keys });
        Ok(())
    }

    fn add(&mut self, choice: Choice) {
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

/// Keys by their names, as `--keys` has them, without its waits.
///
/// # Errors
/// The first word that names no key.
pub fn keys(names: &str) -> Result<Vec<Key>, String> {
    names.split_whitespace().map(|name| name.parse::<Key>().map_err(|error| error.to_string())).collect()
}

/// The characters of a range like `1-9`.
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
        let rows: [(&str, Result<Vec<&str>, &str>); 7] = [
            ("1-3", Ok(vec!["1", "2", "3"])),
            ("a-c b F1 SP -", Ok(vec!["a", "b", "c", "F1", "SP", "-"])),
            ("--/", Ok(vec!["-", ".", "/"])),
            ("CTRL+C", Ok(vec!["CTRL+C"])),
            ("", Err("there is no choice to try")),
            ("9-1", Err("'9-1' is no choice")),
            ("1-3 NOKEY", Err("'NOKEY' is no choice")),
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
    fn lines_are_choices_of_several_keys() {
        let choices = Choices::from_lines("5  ENTER\n\n; a remark\nq\n5 ENTER\n").expect("choices");
        assert_eq!(names(&choices), ["5 ENTER", "q"]);
        assert_eq!(choices.get(0).map(|choice| choice.keys.len()), Some(2));
        let error = Choices::from_lines("1\nNOKEY").expect_err("no such key");
        assert!(error.to_string().starts_with("line 2: no key is called 'NOKEY'"), "{error}");
    }
}
