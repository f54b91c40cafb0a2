//! The chip's signals as a table: a row a clock, in the columns of the published simulation.
//!
//! A [`Script`] says what happens at the pins: stones of the set-up, who begins, the user's moves. The rows
//! end when the chip has answered the last move.

use super::model::{Chip, Inputs, Outputs, Side, State};
use super::rules::ENDLESS;
use crate::engine::Move;
use std::fmt;

/// One clock of the published simulation in ns.
pub const CLOCK_NS: u64 = 200;

/// What is done to the chip.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Stones put down after reset, in order.
    pub setup: Vec<(Side, Move)>,
    /// The chip begins, on the place its counter holds; else the user.
    pub chip_begins: bool,
    /// What the counter holds at reset, 0 to 7.
    pub counter: u8,
    /// The user's moves, each made as soon as the chip waits. One on a taken place is ignored by the chip.
    pub moves: Vec<Move>,
}

/// One clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Time of the rising edge in ns.
    pub time_ns: u64,
    /// What the pins said.
    pub inputs: Inputs,
    /// What the chip did.
    pub outputs: Outputs,
}

/// The names of the columns that [`Row`]'s `Display` writes.
pub const HEADER: &str =
    "time_ns,resetN,pi,key,state,wins,choose,toggleN,usei,nexti,sp,i,led,copyboard,state_name";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { time_ns, inputs, outputs: o } = self;
        let key = inputs.key.map(|key| key.index().to_string()).unwrap_or_default();
        let i = o.i.map_or("u".to_owned(), |i| i.index().to_string());
        write!(f, "{time_ns},{},{},{key}", u8::from(inputs.reset_n), u8::from(inputs.pi))?;
        write!(f, ",{},{},{}", o.state as u8, u8::from(o.wins), o.choose as u8)?;
        write!(f, ",{},{},{}", u8::from(o.toggle_n), u8::from(o.use_i), u8::from(o.next_i))?;
        write!(f, ",{},{i},{:018b},{},{}", o.sp, o.led, u8::from(o.copyboard), o.state.name())
    }
}

/// The rows of a script.
#[derive(Debug, Clone)]
pub struct Trace {
    chip: Chip,
    inputs: std::vec::IntoIter<Inputs>,
    moves: std::vec::IntoIter<Move>,
    clocks: u64,
    done: bool,
}

impl Trace {
    /// From reset on.
    pub fn new(script: Script) -> Self {
        let mut chip = Chip::new();
        chip.set_counter(script.counter);
        let mut inputs = Vec::new();
        let mut pi = false;
        for (side, place) in script.setup {
            let next_pi = side == Side::Chip;
            inputs.push(Inputs { pi, next_pi, key: Some(place), ..Inputs::default() });
            pi = next_pi;
        }
        inputs.push(Inputs { pi, chip_begins: script.chip_begins, ..Inputs::default() });
        inputs[0].reset_n = false;
        Trace { chip, inputs: inputs.into_iter(), moves: script.moves.into_iter(), clocks: 0, done: false }
    }
}

impl Iterator for Trace {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        if self.done {
            return None;
        }
        let inputs = self.inputs.next().unwrap_or_else(|| Inputs {
            key: if self.chip.state() == State::Waiting { self.moves.next() } else { None },
            ..Inputs::default()
        });
        let outputs = self.chip.clock(inputs);
        self.clocks += 1;
        self.done = match outputs.state {
            State::Waiting => inputs.key.is_none(),
            State::Finished => true,
            _ => self.clocks >= u64::from(ENDLESS) * 9,
        };
        Some(Row { time_ns: self.clocks * CLOCK_NS, inputs, outputs })
    }
}
