//! The recorded moves of a program: the effect of each choice on the board, and the texts that came
//! with it.

use super::layout::Cell;
use crate::engine::{Board, Mark, Move};
use crate::walk::{Atlas, Target};
use std::collections::HashMap;

/// The visible state on arrival at a wait or an end.
#[derive(Debug, Clone)]
pub(super) struct Arrival {
    pub(super) cells: [Cell; 9],
    /// Lines with words, from the screen and the console.
    pub(super) lines: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Step<'a> {
    pub(super) from: usize,
    pub(super) choice: usize,
    pub(super) to: Target,
    pub(super) before: Board,
    /// `None` if the program no longer has a board.
    pub(super) after: Option<Board>,
    pub(super) gained: Vec<(Move, Mark)>,
    /// The number of marks removed or replaced.
    pub(super) lost: usize,
    pub(super) replaced: usize,
    /// The position that announcements refer to: after the step, or before the board's clearing.
    pub(super) outcome: Option<Board>,
    pub(super) lines: &'a [String],
}

impl Step<'_> {
    /// Returns whether marks were added and nothing else changed.
    pub(super) fn is_move(&self) -> bool {
        !self.gained.is_empty() && self.lost == 0 && self.replaced == 0
    }

    /// Returns the number of cells that received this mark.
    pub(super) fn gained_by(&self, mark: Mark) -> usize {
        self.gained.iter().filter(|gained| gained.1 == mark).count()
    }
}

#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) atlas: &'a Atlas<Arrival>,
    /// The boards of the states; `None` if no game is in progress.
    pub(super) boards: Vec<Option<Board>>,
    pub(super) steps: Vec<Step<'a>>,
    /// The cell that a choice takes whenever it is free.
    pub(super) cell_of: HashMap<usize, Move>,
    /// Whether most moves are answered in the same step.
    pub(super) is_against_computer: bool,
    /// The mark of the first moves on empty boards.
    pub(super) first: Option<Mark>,
    /// The user's mark in games against the computer.
    pub(super) user: Option<Mark>,
    geometry: [usize; 9],
}

/// Returns the renumbered board; `None` if a cell has another value.
pub(super) fn board(cells: &[Cell; 9], geometry: &[usize; 9]) -> Option<Board> {
    let mut board = Board::default();
    for (index, cell) in cells.iter().enumerate() {
        let place = Move::new(geometry[index])?;
        match cell {
            Cell::Empty => {}
            Cell::X => board.place(place, Mark::X),
            Cell::O => board.place(place, Mark::O),
            Cell::Other => return None,
        }
    }
    Some(board)
}

impl<'a> Record<'a> {
    /// Creates the record with the cells in the order of the geometry.
    pub(super) fn new(atlas: &'a Atlas<Arrival>, geometry: &[usize; 9]) -> Record<'a> {
        let mut boards = vec![None; atlas.places.len()];
        if let (Some(first), Some(start)) = (boards.first_mut(), &atlas.start) {
            *first = board(&start.cells, geometry);
        }
        for way in atlas.places.iter().flat_map(|place| &place.ways) {
            if let (Target::State(to), Some(seen)) = (way.to, &way.seen) {
                boards[to] = boards[to].or_else(|| board(&seen.cells, geometry));
            }
        }
        let mut steps = Vec::new();
        for (from, place) in atlas.places.iter().enumerate() {
            let Some(before) = boards[from] else { continue };
            for (choice, way) in place.ways.iter().enumerate() {
                let Some(seen) = &way.seen else { continue };
                let after = board(&seen.cells, geometry);
                steps.push(step(from, choice, way.to, before, after, &seen.lines));
            }
        }
        let mut record = Record {
            atlas,
            boards,
            steps,
            cell_of: HashMap::new(),
            is_against_computer: false,
            first: None,
            user: None,
            geometry: *geometry,
        };
        record.learn();
        record
    }

    pub(super) fn board_of(&self, seen: &Arrival) -> Option<Board> {
        board(&seen.cells, &self.geometry)
    }

    /// Returns the shortest keys that end with a step.
    pub(super) fn path(&self, step: &Step) -> Vec<usize> {
        let mut path = self.atlas.path(step.from);
        path.push(step.choice);
        path
    }

    /// Returns the lines visible when a state was first reached.
    pub(super) fn lines_at(&self, state: usize) -> &[String] {
        let way = self.atlas.places[state]
            .origin
            .and_then(|(from, choice)| self.atlas.places[from].ways.get(choice));
        way.and_then(|way| way.seen.as_ref()).map_or(&[], |seen| &seen.lines)
    }

    fn learn(&mut self) {
        let moves: Vec<&Step> = self.steps.iter().filter(|step| step.is_move()).collect();
        let answered =
            moves.iter().filter(|step| step.gained_by(Mark::X) == 1 && step.gained_by(Mark::O) == 1).count();
        self.is_against_computer = answered * 2 > moves.len();
        let opening = |mark| {
            moves
                .iter()
                .filter(|step| {
                    step.before == Board::default() && step.gained.iter().all(|gained| gained.1 == mark)
                })
                .count()
        };
        self.first = match (opening(Mark::X), opening(Mark::O)) {
            (0, 0) => None,
            (x, o) => Some(if x >= o { Mark::X } else { Mark::O }),
        };
        let choices: usize = moves.iter().map(|step| step.choice + 1).max().unwrap_or_default();
        let mut cell_of = HashMap::new();
        for choice in 0..choices {
            let of_choice: Vec<&&Step> = moves.iter().filter(|step| step.choice == choice).collect();
            for cell in Move::ALL {
                let free: Vec<_> = of_choice.iter().filter(|step| step.before.get(cell).is_none()).collect();
                let taken =
                    free.iter().filter(|step| step.gained.iter().any(|gained| gained.0 == cell)).count();
                // A reply of the computer takes varying cells.
                if taken >= 3 && (free.len() - taken) * 20 <= free.len() && taken * 2 > of_choice.len() {
                    cell_of.insert(choice, cell);
                    break;
                }
            }
        }
        if self.is_against_computer {
            let of_user = |step: &&&Step| {
                let cell = cell_of.get(&step.choice)?;
                step.gained.iter().find(|gained| gained.0 == *cell).map(|gained| gained.1)
            };
            let marks: Vec<Mark> = moves.iter().filter_map(|step| of_user(&step)).collect();
            let x = marks.iter().filter(|&&mark| mark == Mark::X).count();
            // Both, if the user can choose a mark.
            self.user = [(Mark::X, x), (Mark::O, marks.len() - x)]
                .into_iter()
                .find(|(_, times)| times * 20 > marks.len() * 19)
                .map(|(mark, _)| mark);
        }
        self.cell_of = cell_of;
        for number in 0..self.steps.len() {
            self.steps[number].outcome = self.outcome(&self.steps[number]);
        }
    }

    fn outcome(&self, step: &Step) -> Option<Board> {
        if step.lost == 0 && step.replaced == 0 && step.after.is_some() {
            return step.after;
        }
        // The board was cleared after the move of this choice.
        let cell = self.cell_of.get(&step.choice).filter(|&&cell| step.before.get(cell).is_none())?;
        let (x, o) = (step.before.count(Mark::X), step.before.count(Mark::O));
        let mark = match (self.is_against_computer, x.cmp(&o)) {
            (true, _) => self.user?,
            (false, std::cmp::Ordering::Equal) => self.first?,
            (false, std::cmp::Ordering::Greater) => Mark::O,
            (false, std::cmp::Ordering::Less) => Mark::X,
        };
        let mut board = step.before;
        board.place(*cell, mark);
        // An unknown reply may have followed.
        let is_over = board.has_row(mark) || board.is_full();
        (is_over || !self.is_against_computer).then_some(board)
    }
}

fn step<'a>(
    from: usize,
    choice: usize,
    to: Target,
    before: Board,
    after: Option<Board>,
    lines: &'a [String],
) -> Step<'a> {
    let mut step = Step {
        from,
        choice,
        to,
        before,
        after,
        gained: Vec::new(),
        lost: 0,
        replaced: 0,
        outcome: None,
        lines,
    };
    for cell in Move::ALL {
        match (before.get(cell), after.and_then(|after| after.get(cell))) {
            (None, Some(mark)) => step.gained.push((cell, mark)),
            (Some(_), None) => step.lost += 1,
            (Some(was), Some(is)) if was != is => step.replaced += 1,
            _ => {}
        }
    }
    step
}
