//! Classifies keys by their effects in all explored states.

use super::beside::DIFFERENCE;
use super::covers::KeyClass;
use super::keys::Keyboard;
use super::twin::Twin;
use crate::walk::graph::{EdgeTarget, Graph};
use oxbox_machine::machine::Key;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The possible effects of a key, by bit.
const EFFECTS: [&str; 5] = ["moves", "changes nothing", "answered without a move", "leaves", "differs"];
const MOVES: u8 = 1;
const NOTHING: u8 = 2;
const ANSWERED: u8 = 4;
const LEAVES: u8 = 8;
const DIFFERS: u8 = 16;

#[derive(Debug, Default)]
pub(super) struct Effects {
    keys: HashMap<Key, Effect>,
    /// The keys in the order of their first use.
    order: Vec<Key>,
    /// Whether a key is tried with each value of the clock that it reads.
    pub(super) tries_clock: bool,
}

#[derive(Debug, Default)]
struct Effect {
    kinds: u8,
    /// A hash of the key's result from each state.
    ways: DefaultHasher,
}

impl Effects {
    /// Adds the results of an exploration: visits each state once, with its twin.
    pub(super) fn add<N: Clone>(&mut self, graph: &Graph<N>, keyboard: &Keyboard, twin: &dyn Twin) {
        let EdgeTarget::State(start) = graph.start() else { return };
        let mut twins: HashMap<u32, Box<dyn Twin>> = HashMap::from([(start, twin.boxed())]);
        let mut waiting = VecDeque::from([start]);
        while let Some(state) = waiting.pop_front() {
            let Some(twin) = twins.get(&state).cloned() else { continue };
            let Some(led) = graph.choices(state) else { continue };
            let tried: Vec<_> = keyboard.actions(&*twin).into_iter().zip(led).collect();
            let moves = twin.moves();
            let is_move =
                |character: Option<u8>| character.is_some_and(|character| moves.contains(&character));
            let goals: Vec<EdgeTarget> =
                tried.iter().filter(|(action, _)| is_move(action.character())).map(|&(_, to)| to).collect();
            for (action, to) in tried {
                if let EdgeTarget::State(next) = to
                    && !twins.contains_key(&next)
                {
                    let mut there = twin.clone();
                    action.type_to(&mut *there);
                    twins.insert(next, there);
                    waiting.push_back(next);
                }
                if action.behind.is_some() {
                    continue;
                }
                self.tries_clock |= action.ticks.is_some();
                let kind = match to {
                    EdgeTarget::End(end) if graph.end_name(end) == Some(DIFFERENCE) => DIFFERS,
                    _ if is_move(action.character()) || goals.contains(&to) => MOVES,
                    EdgeTarget::End(_) => LEAVES,
                    EdgeTarget::State(next) if next == state => NOTHING,
                    EdgeTarget::State(_) => ANSWERED,
                };
                self.note(action.stroke.key, kind, state, to);
            }
        }
    }

    fn note(&mut self, key: Key, kind: u8, state: u32, to: EdgeTarget) {
        let effect = self.keys.entry(key).or_insert_with(|| {
            self.order.push(key);
            Effect::default()
        });
        effect.kinds |= kind;
        let goal = match to {
            EdgeTarget::State(next) => (0, next),
            EdgeTarget::End(end) => (1, end),
        };
        (state, goal).hash(&mut effect.ways);
    }

    /// Returns the number of kinds of keys with equal results wherever they were tried.
    pub(super) fn alike(&self) -> usize {
        let ways: BTreeSet<u64> = self.keys.values().map(|effect| effect.ways.finish()).collect();
        ways.len()
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the keys by effect, in the order of their first use.
    pub(super) fn classes(&self) -> Vec<KeyClass> {
        let mut classes: Vec<(u8, Vec<String>)> = Vec::new();
        for key in &self.order {
            let Some(effect) = self.keys.get(key) else { continue };
            match classes.iter_mut().find(|(kinds, _)| *kinds == effect.kinds) {
                Some((_, keys)) => keys.push(key.to_string()),
                None => classes.push((effect.kinds, vec![key.to_string()])),
            }
        }
        let told = |(kinds, keys): (u8, Vec<String>)| {
            let effects = EFFECTS.iter().enumerate().filter(|(bit, _)| kinds & 1 << bit != 0);
            let effects: Vec<&str> = effects.map(|(_, effect)| *effect).collect();
            KeyClass { class: ranges(keys.iter().map(String::as_str).collect()), effect: effects.join(", ") }
        };
        classes.into_iter().map(told).collect()
    }
}

/// Formats names of keys with ranges of adjacent characters: `0-8 ENTER`.
fn ranges(mut keys: Vec<&str>) -> String {
    keys.sort_by_key(|key| (key.len() > 1, *key));
    let mut words: Vec<(String, String)> = Vec::new();
    let follows = |last: &str, next: &str| match (last.as_bytes(), next.as_bytes()) {
        (&[last], &[next]) => {
            last.is_ascii_alphanumeric() && next.is_ascii_alphanumeric() && last + 1 == next
        }
        _ => false,
    };
    for key in keys {
        match words.last_mut() {
            Some((_, last)) if follows(last, key) => key.clone_into(last),
            _ => words.push((key.to_owned(), key.to_owned())),
        }
    }
    let word = |(first, last): &(String, String)| match (first.as_bytes(), last.as_bytes()) {
        _ if first == last => first.clone(),
        (&[a], &[b]) if b == a + 1 => format!("{first} {last}"),
        _ => format!("{first}-{last}"),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_a_range() {
        let rows = [("8 0 1 2 q", "0-2 8 q"), ("b a", "a b"), ("ESC 9 : F1", "9 : ESC F1"), ("", "")];
        for (keys, expected) in rows {
            assert_eq!(ranges(keys.split_whitespace().collect()), expected, "{keys}");
        }
    }
}
