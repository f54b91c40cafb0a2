//! Generated input: draws the values of each case, and shrinks failing cases.
//!
//! The same seed gives the same cases on every host. If a test asks for at least as many cases as
//! exist, all are tried in order.

use std::fmt;

const MOST_CHARACTERS: u64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Number(i64),
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// The values of a case, in the order of the variables.
pub(super) type Case = Vec<Value>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Domain {
    /// Integers from `first` to `last`, inclusive.
    Number {
        first: i64,
        last: i64,
    },
    Text {
        shortest: u64,
        longest: u64,
        alphabet: Vec<char>,
    },
}

impl Domain {
    /// Reads `0..65535` or `string 1..20 of a-z`. Fails with a one-line reason.
    pub(super) fn parse(text: &str) -> Result<Domain, String> {
        let form =
            || format!("{text:?} is not a range of inputs; write \"0..65535\" or \"string 1..20 of a-z\"");
        let range = |text: &str| {
            let (first, last) = text.trim().split_once("..")?;
            Some((first.trim().parse::<i64>().ok()?, last.trim().parse::<i64>().ok()?))
        };
        let Some(rest) = text.trim().strip_prefix("string ") else {
            let (first, last) = range(text).ok_or_else(form)?;
            if first > last || first < i64::from(i32::MIN) || last > i64::from(u32::MAX) {
                return Err(format!("{text:?}: a range must ascend, within -2147483648 to 4294967295"));
            }
            return Ok(Domain::Number { first, last });
        };
        let (lengths, alphabet) = rest.split_once(" of ").ok_or_else(form)?;
        let (shortest, longest) = range(lengths).ok_or_else(form)?;
        let bound = |length: i64| u64::try_from(length).ok().filter(|length| *length <= MOST_CHARACTERS);
        match (bound(shortest), bound(longest)) {
            (Some(shortest), Some(longest)) if shortest <= longest => {
                Ok(Domain::Text { shortest, longest, alphabet: characters(alphabet)? })
            }
            _ => Err(format!("{text:?}: a text has 0 to {MOST_CHARACTERS} characters")),
        }
    }

    /// Returns the number of values, saturated to 128 bits.
    fn count(&self) -> u128 {
        match self {
            Domain::Number { first, last } => (last - first) as u128 + 1,
            Domain::Text { shortest, longest, alphabet } => {
                let power = |length: u64| {
                    let length = u32::try_from(length).unwrap_or(u32::MAX);
                    (alphabet.len() as u128).checked_pow(length).unwrap_or(u128::MAX)
                };
                (*shortest..=*longest).fold(0, |sum: u128, length| sum.saturating_add(power(length)))
            }
        }
    }

    /// Returns the value with an index below [`Domain::count`].
    fn value(&self, mut number: u128) -> Value {
        match self {
            Domain::Number { first, .. } => Value::Number(first + number as i64),
            Domain::Text { shortest, alphabet, .. } => {
                let letters = alphabet.len() as u128;
                let mut length = *shortest;
                while let Some(more) = letters.checked_pow(length as u32).filter(|more| number >= *more) {
                    number -= more;
                    length += 1;
                }
                let mut text = Vec::new();
                for _ in 0..length {
                    text.push(alphabet[(number % letters) as usize]);
                    number /= letters;
                }
                Value::Text(text.into_iter().rev().collect())
            }
        }
    }

    /// Returns the simplest value: the number nearest to 0, or the first of the shortest texts.
    fn simplest(&self) -> Value {
        match self {
            Domain::Number { first, last } => Value::Number(0.clamp(*first, *last)),
            Domain::Text { shortest, alphabet, .. } => {
                Value::Text(alphabet.iter().take(1).cycle().take(*shortest as usize).collect())
            }
        }
    }

    /// Draws a value at an edge of the domain, where mistakes are likely.
    fn edge(&self, random: &mut Random) -> Value {
        match self {
            Domain::Number { first, last } => {
                let edges =
                    [*first, *last, first + 1, last - 1, 0, 1, -1, 9, 10, 127, 128, 255, 256, 32767, 32768];
                Value::Number(edges[random.below(edges.len() as u64) as usize].clamp(*first, *last))
            }
            Domain::Text { shortest, longest, alphabet } => {
                let length = if random.below(2) == 0 { *shortest } else { *longest };
                let letter = alphabet[random.below(alphabet.len() as u64) as usize];
                Value::Text(std::iter::repeat_n(letter, length as usize).collect())
            }
        }
    }

    /// Draws a value. All text lengths are equally likely.
    fn any(&self, random: &mut Random) -> Value {
        match self {
            Domain::Number { first, last } => {
                Value::Number(first + random.below((last - first) as u64 + 1) as i64)
            }
            Domain::Text { shortest, longest, alphabet } => {
                let length = shortest + random.below(longest - shortest + 1);
                let letter = |_| alphabet[random.below(alphabet.len() as u64) as usize];
                Value::Text((0..length).map(letter).collect())
            }
        }
    }

    /// Returns smaller values than `value`, the smallest first.
    fn smaller(&self, value: &Value) -> Vec<Value> {
        match (self, value) {
            (Domain::Number { first, last }, Value::Number(number)) => {
                let goal = 0.clamp(*first, *last);
                let mut distance = number - goal;
                let mut found = Vec::new();
                while distance != 0 {
                    found.push(Value::Number(number - distance));
                    distance /= 2;
                }
                found
            }
            (Domain::Text { shortest, alphabet, .. }, Value::Text(text)) => {
                let letters: Vec<char> = text.chars().collect();
                let of = |letters: &[char]| Value::Text(letters.iter().collect());
                let mut found = Vec::new();
                let half = (letters.len() / 2).max(*shortest as usize);
                if half < letters.len() {
                    found.push(of(&letters[..half]));
                    found.push(of(&letters[letters.len() - half..]));
                }
                for at in 0..letters.len() {
                    if letters.len() as u64 > *shortest {
                        found.push(of(&[&letters[..at], &letters[at + 1..]].concat()));
                    }
                    if letters[at] != alphabet[0] {
                        let mut simpler = letters.clone();
                        simpler[at] = alphabet[0];
                        found.push(of(&simpler));
                    }
                }
                found
            }
            _ => Vec::new(),
        }
    }
}

/// Returns the characters of a set such as `a-zA-Z0-9 `: ranges and single characters. A final
/// hyphen is a character.
fn characters(text: &str) -> Result<Vec<char>, String> {
    let letters: Vec<char> = text.chars().collect();
    let (mut at, mut found) = (0, Vec::new());
    while at < letters.len() {
        let first = letters[at];
        if letters.get(at + 1) == Some(&'-') && at + 2 < letters.len() {
            let last = letters[at + 2];
            if first > last {
                return Err(format!("{first}-{last}: a range of characters must ascend"));
            }
            found.extend(first..=last);
            at += 3;
        } else {
            found.push(first);
            at += 1;
        }
    }
    found.sort_unstable();
    found.dedup();
    match found.first() {
        None => Err("\"of\" needs characters after it".to_owned()),
        Some(_) => match found.iter().find(|letter| super::bytes::from_text(&letter.to_string()).is_err()) {
            Some(letter) => Err(format!("{letter:?} is not in code page 437")),
            None => Ok(found),
        },
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Inputs {
    pub(super) domains: Vec<(String, Domain)>,
    pub(super) cases: u64,
    pub(super) seed: u64,
}

impl Inputs {
    pub(super) fn count(&self) -> u64 {
        if self.is_exhaustive() { self.all() as u64 } else { self.cases }
    }

    /// Returns whether every possible input is tried.
    pub(super) fn is_exhaustive(&self) -> bool {
        self.all() <= u128::from(self.cases)
    }

    fn all(&self) -> u128 {
        self.domains.iter().fold(1, |all: u128, (_, domain)| all.saturating_mul(domain.count()))
    }

    /// Returns the case with this number. Case 0 is the simplest, unless all are tried.
    pub(super) fn case(&self, number: u64) -> Case {
        let domains = self.domains.iter().map(|(_, domain)| domain);
        if self.is_exhaustive() {
            let mut rest = u128::from(number);
            let digit = |domain: &Domain| {
                let value = domain.value(rest % domain.count());
                rest /= domain.count();
                value
            };
            return domains.map(digit).collect();
        }
        let mut random = Random(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
        random.next();
        let draw = |domain: &Domain| match number {
            0 => domain.simplest(),
            _ if random.below(4) == 0 => domain.edge(&mut random),
            _ => domain.any(&mut random),
        };
        domains.map(draw).collect()
    }

    /// Returns the cases with one value smaller than in `case`.
    pub(super) fn smaller(&self, case: &Case) -> Vec<Case> {
        let mut found = Vec::new();
        for (at, (_, domain)) in self.domains.iter().enumerate() {
            for value in domain.smaller(&case[at]) {
                let mut smaller = case.clone();
                smaller[at] = value;
                found.push(smaller);
            }
        }
        found
    }

    /// Formats a case: `n = 5, s = "ab"`.
    pub(super) fn told(&self, case: &Case) -> String {
        let parts = self.domains.iter().zip(case).map(|((name, _), value)| format!("{name} = {value}"));
        super::bytes::shortened(&parts.collect::<Vec<_>>().join(", "), 500)
    }
}

/// The random number generator SplitMix64 (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number below a bound, which must not be 0.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(words: &[(&str, &str)], cases: u64) -> Inputs {
        let domain = |(name, text): &(&str, &str)| ((*name).to_owned(), Domain::parse(text).unwrap());
        Inputs { domains: words.iter().map(domain).collect(), cases, seed: 1 }
    }

    #[test]
    fn ranges_and_texts_are_read() {
        for (text, expected) in [
            ("0..65535", Ok(65536)),
            ("-3..3", Ok(7)),
            ("string 0..2 of ab", Ok(7)),
            ("string 1..1 of a-z0-9-", Ok(37)),
            ("5..4", Err("ascend")),
            ("string 1..20", Err("is not a range")),
            ("string 1..20 of z-a", Err("ascend")),
            ("string 1..20 of €", Err("code page 437")),
            ("any", Err("is not a range")),
        ] {
            match (Domain::parse(text), expected) {
                (Ok(domain), Ok(count)) => assert_eq!(domain.count(), count, "{text}"),
                (Err(error), Err(part)) => assert!(error.contains(part), "{text}: {error}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }

    #[test]
    fn all_cases_are_tried_where_there_are_no_more() {
        let few = inputs(&[("n", "-1..1"), ("s", "string 0..2 of ab")], 21);
        assert!(few.is_exhaustive());
        let mut all: Vec<String> = (0..few.count()).map(|number| few.told(&few.case(number))).collect();
        assert_eq!(all[0], "n = -1, s = \"\"");
        assert_eq!(all[20], "n = 1, s = \"bb\"");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 21);
    }

    #[test]
    fn a_seed_gives_the_same_cases() {
        let many = inputs(&[("n", "0..65535"), ("s", "string 1..8 of a-z")], 20);
        let first: Vec<Case> = (0..20).map(|number| many.case(number)).collect();
        assert_eq!(many.told(&first[0]), "n = 0, s = \"a\"");
        assert_eq!(first, (0..20).map(|number| many.case(number)).collect::<Vec<_>>());
        let other = Inputs { seed: 2, ..many.clone() };
        assert_ne!(first[5], other.case(5));
        for case in &first {
            let [Value::Number(number), Value::Text(text)] = &case[..] else { panic!("{case:?}") };
            assert!((0..65536).contains(number) && (1..=8).contains(&text.len()), "{case:?}");
        }
    }

    /// Tests that shrinking finds the smallest input for which a predicate fails.
    #[test]
    fn cases_get_smaller_down_to_the_edge() {
        let many = inputs(&[("n", "-100..65535"), ("s", "string 0..20 of a-z")], 10);
        let fails = |case: &Case| matches!(&case[..], [Value::Number(n), Value::Text(s)] if *n >= 256 && s.contains('q'));
        let mut case = vec![Value::Number(40_000), Value::Text("xyqzzy".to_owned())];
        while let Some(smaller) = many.smaller(&case).into_iter().find(|case| fails(case)) {
            case = smaller;
        }
        assert_eq!(many.told(&case), "n = 256, s = \"q\"");
    }
}
