//! Locates the board in memory: nine cells that games change one at a time, with three values.
//!
//! Candidates are nine addresses at equal distances, or three rows of three at equal distances:
//! bytes with either mark, or two sets of bits, one per mark. The samples decide which candidate
//! behaves like a board.

use super::samples::{SCREEN, Samples};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The largest distance in bytes between two columns, and between two rows.
const MOST_STRIDE: u32 = 40;
const MOST_ROW: u32 = 1000;

/// The minimum percentage of the samples' steps that must look like moves.
const LEAST_GOOD: usize = 80;

/// The minimum number of moves that must occur in the samples.
const LEAST_MOVES: usize = 30;

/// The contents of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// No mark.
    Empty,
    /// The mark that the report calls X.
    X,
    /// The mark that the report calls O.
    O,
    /// Another value: no game is in progress.
    Other,
}

/// The location of the nine cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// A byte for each cell.
    Bytes {
        /// Linear addresses, in the order of the cells.
        cells: [u32; 9],
        /// The values of an empty cell, for each cell.
        empty: [Vec<u8>; 9],
        /// The values of X and O.
        marks: [u8; 2],
    },
    /// Two bits per cell, one per mark, as linear address times 8 plus bit number.
    Bits {
        /// The bits of X.
        x: [u32; 9],
        /// The bits of O.
        o: [u32; 9],
    },
}

#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) layout: Layout,
    /// The number of steps that look like moves.
    pub(super) moves: usize,
    /// The percentage of steps that look like moves, among those that change a cell.
    pub(super) good: usize,
}

impl Layout {
    /// Returns the contents of the cells. `read` returns the byte at an address.
    pub fn cells(&self, read: impl Fn(u32) -> Option<u8>) -> [Cell; 9] {
        let bit = |place: u32| read(place / 8).map(|byte| byte >> (place % 8) & 1 == 1);
        std::array::from_fn(|cell| match self {
            Layout::Bytes { cells, empty, marks } => match read(cells[cell]) {
                Some(value) if value == marks[0] => Cell::X,
                Some(value) if value == marks[1] => Cell::O,
                Some(value) if empty[cell].contains(&value) => Cell::Empty,
                _ => Cell::Other,
            },
            Layout::Bits { x, o } => match (bit(x[cell]), bit(o[cell])) {
                (Some(false), Some(false)) => Cell::Empty,
                (Some(true), Some(false)) => Cell::X,
                (Some(false), Some(true)) => Cell::O,
                _ => Cell::Other,
            },
        })
    }

    /// Returns whether the cells are characters of the screen.
    pub fn is_on_screen(&self) -> bool {
        matches!(self, Layout::Bytes { cells, .. } if cells[0] >= SCREEN)
    }

    /// Returns the row and column of each cell on the text screen.
    pub(super) fn places_on_screen(&self) -> Option<[(u32, u32); 9]> {
        match self {
            Layout::Bytes { cells, .. } if self.is_on_screen() => {
                Some(cells.map(|cell| ((cell - SCREEN) / 80, (cell - SCREEN) % 80)))
            }
            _ => None,
        }
    }
}

/// Returns candidates in the program's memory and on its screen, the likeliest first. If the first
/// cell is specified, less evidence is required.
pub(super) fn boards(samples: &Samples, is_named: bool) -> Vec<Found> {
    let columns = samples.columns();
    let steps: Vec<(usize, usize)> = samples.steps().collect();
    let mut found: Vec<Found> = bytes(&columns, &steps, samples);
    if !found
        .iter()
        .any(|found| !found.layout.is_on_screen() && found.good >= LEAST_GOOD && found.moves >= LEAST_MOVES)
    {
        found.extend(bits(&columns, &steps));
    }
    let (good, moves) = if is_named { (LEAST_GOOD / 2, LEAST_MOVES / 10) } else { (LEAST_GOOD, LEAST_MOVES) };
    found.retain(|found| found.good >= good && found.moves >= moves);
    found.sort_by_key(|found| (found.layout.is_on_screen(), std::cmp::Reverse((found.moves, found.good))));
    found
}

/// Returns the addresses of nine cells in three rows.
fn nine(first: u32, stride: u32, row: u32) -> [u32; 9] {
    std::array::from_fn(|cell| first + cell as u32 / 3 * row + cell as u32 % 3 * stride)
}

/// Returns candidates with one byte per cell.
///
/// The centre may never change: a computer that starts may always have taken it before the first
/// prompt.
fn bytes(columns: &BTreeMap<u32, Vec<u8>>, steps: &[(usize, usize)], samples: &Samples) -> Vec<Found> {
    let few = |values: &Vec<u8>| (2..=5).contains(&values.iter().collect::<HashSet<_>>().len());
    let places: BTreeSet<u32> =
        columns.iter().filter(|(_, values)| few(values)).map(|(&place, _)| place).collect();
    let mut found = Vec::new();
    for &first in &places {
        for second in places.range(first + 1..=first + MOST_STRIDE).copied() {
            let stride = second - first;
            let is_across_rows = first >= SCREEN && (first - SCREEN) % 80 + 2 * stride >= 80;
            if is_across_rows {
                continue;
            }
            if !places.contains(&(second + stride)) {
                continue;
            }
            for third in places.range(second + stride..=first + MOST_ROW).copied() {
                let row = third - first;
                if row <= 2 * stride {
                    continue;
                }
                let cells = nine(first, stride, row);
                let centre = cells[4];
                if !cells.iter().all(|cell| *cell == centre || places.contains(cell)) {
                    continue;
                }
                let still =
                    (!columns.contains_key(&centre)).then(|| vec![samples.first(centre); samples.all.len()]);
                if still.is_some() || places.contains(&centre) {
                    let value_of = |cell: &u32| columns.get(cell).or(still.as_ref());
                    found.extend(board_of_bytes(cells, &value_of, steps));
                }
            }
        }
    }
    found
}

fn board_of_bytes<'a>(
    cells: [u32; 9],
    value_of: &dyn Fn(&u32) -> Option<&'a Vec<u8>>,
    steps: &[(usize, usize)],
) -> Option<Found> {
    let values: Vec<&Vec<u8>> = cells.iter().map(value_of).collect::<Option<_>>()?;
    let is_still = |cell: usize| values[cell].iter().all(|value| *value == values[cell][0]);
    let mut targets: HashMap<u8, usize> = HashMap::new();
    let mut sources: HashMap<(usize, u8), usize> = HashMap::new();
    for &(from, to) in steps {
        let changed: Vec<usize> = (0..9).filter(|&cell| values[cell][from] != values[cell][to]).collect();
        if (1..=2).contains(&changed.len()) {
            for cell in changed {
                *targets.entry(values[cell][to]).or_default() += 1;
                *sources.entry((cell, values[cell][from])).or_default() += 1;
            }
        }
    }
    let mut targets: Vec<(u8, usize)> = targets.into_iter().collect();
    targets.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    let &[(a, often), (b, times), ..] = targets.as_slice() else { return None };
    if times * 5 < often {
        return None;
    }
    let empty: [Vec<u8>; 9] = std::array::from_fn(|cell| {
        let mut empty: Vec<u8> = sources
            .keys()
            .filter(|(at, value)| *at == cell && ![a, b].contains(value))
            .map(|&(_, value)| value)
            .collect();
        empty.sort_unstable();
        empty
    });
    let is_cell = |cell: usize| match is_still(cell) {
        true => [a, b].contains(&values[cell][0]),
        false => (1..=2).contains(&empty[cell].len()),
    };
    if !(0..9).all(is_cell) {
        return None;
    }
    let marks = in_order(a, b, &values, steps);
    weighed(Layout::Bytes { cells, empty, marks }, value_of, steps)
}

/// Orders the values of X and O: by their characters, otherwise X is the first to occur.
fn in_order(a: u8, b: u8, values: &[&Vec<u8>], steps: &[(usize, usize)]) -> [u8; 2] {
    let is_x = |value: u8| value.eq_ignore_ascii_case(&b'x');
    let is_o = |value: u8| value.eq_ignore_ascii_case(&b'o') || value == b'0';
    if is_x(b) || is_o(a) {
        return [b, a];
    }
    if is_x(a) || is_o(b) {
        return [a, b];
    }
    let count = |sample: usize, value: u8| values.iter().filter(|column| column[sample] == value).count();
    let alone = |mark: u8, other: u8| {
        steps.iter().filter(|&&(_, to)| count(to, mark) == 1 && count(to, other) == 0).count()
    };
    if alone(b, a) > alone(a, b) { [b, a] } else { [a, b] }
}

/// Returns candidates with two bits per cell.
fn bits(columns: &BTreeMap<u32, Vec<u8>>, steps: &[(usize, usize)]) -> Vec<Found> {
    let mut places: BTreeSet<u32> = BTreeSet::new();
    for (&address, values) in columns.range(..SCREEN) {
        let all_or = values.iter().fold(0, |all, value| all | value);
        let all_and = values.iter().fold(0xFF, |all, value| all & value);
        places.extend((0..8).filter(|bit| (all_or ^ all_and) >> bit & 1 == 1).map(|bit| address * 8 + bit));
    }
    let mut halves: Vec<[u32; 9]> = Vec::new();
    for &first in &places {
        for stride in [1, 2, 8, 16, 32] {
            let cells = nine(first, stride, 3 * stride);
            if cells.iter().all(|cell| places.contains(cell)) && is_half(&cells, columns, steps) {
                halves.push(cells);
            }
        }
    }
    halves.truncate(60);
    let mut found = Vec::new();
    for (number, &x) in halves.iter().enumerate() {
        for &o in &halves[number + 1..] {
            if x.iter().any(|bit| o.contains(bit)) {
                continue;
            }
            found.extend(weighed(Layout::Bits { x, o }, &|place: &u32| columns.get(place), steps));
        }
    }
    found
}

fn bit_at(columns: &BTreeMap<u32, Vec<u8>>, place: u32, sample: usize) -> bool {
    columns.get(&(place / 8)).is_some_and(|values| values[sample] >> (place % 8) & 1 == 1)
}

/// Returns whether nine bits are set one at a time.
fn is_half(cells: &[u32; 9], columns: &BTreeMap<u32, Vec<u8>>, steps: &[(usize, usize)]) -> bool {
    let (mut single, mut other) = (0, 0);
    for &(from, to) in steps {
        let map = |sample| {
            (0..9)
                .filter(|&cell| bit_at(columns, cells[cell], sample))
                .fold(0_u16, |map, cell| map | 1 << cell)
        };
        let (was, is) = (map(from), map(to));
        if was == is || is == 0 {
            continue;
        }
        if was & !is == 0 && (is & !was).count_ones() == 1 { single += 1 } else { other += 1 }
    }
    single > 20 && other * 10 < single
}

/// Returns how well a candidate explains the samples; `None` if it does not.
fn weighed<'a>(
    layout: Layout,
    value_of: &dyn Fn(&u32) -> Option<&'a Vec<u8>>,
    steps: &[(usize, usize)],
) -> Option<Found> {
    let position =
        |sample: usize| layout.cells(|address| Some(value_of(&address).map_or(0, |values| values[sample])));
    let (mut moves, mut bad, mut overwrites) = (0, 0, 0);
    let mut seen = [[false; 2]; 9];
    for &(from, to) in steps {
        let (was, is) = (position(from), position(to));
        if was == is {
            continue;
        }
        let is_cleared = is.iter().filter(|&&cell| cell != Cell::Empty).count() <= 1;
        let gained: Vec<usize> = (0..9).filter(|&cell| was[cell] != is[cell]).collect();
        let is_move = gained.len() <= 2
            && gained.iter().all(|&cell| was[cell] == Cell::Empty && matches!(is[cell], Cell::X | Cell::O))
            && (gained.len() == 1 || is[gained[0]] != is[gained[1]]);
        let count = |mark| is.iter().filter(|&&cell| cell == mark).count();
        if is_move && count(Cell::X).abs_diff(count(Cell::O)) <= 3 {
            moves += 1;
            gained.iter().for_each(|&cell| seen[cell][usize::from(is[cell] == Cell::O)] = true);
        } else if gained.len() == 1
            && matches!((was[gained[0]], is[gained[0]]), (Cell::X, Cell::O) | (Cell::O, Cell::X))
        {
            overwrites += 1;
        } else if !is_cleared && !was.contains(&Cell::Other) {
            bad += 1;
        }
    }
    // A program may permit taking a taken square, but then also free ones.
    bad += usize::from(overwrites > 2 * moves) * overwrites;
    let good = 100 * moves / (moves + bad).max(1);
    let is_whole = (0..9).all(|cell| cell == 4 || seen[cell] != [false; 2]);
    (is_whole && moves > 0).then_some(Found { layout, moves, good })
}
