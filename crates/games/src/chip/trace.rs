//! The chip's signals as a table, one row per clock, in the columns of the published simulation.
//!
//! A [`Stimulus`] drives the pins: stones of the set-up, who starts, the user's moves and pauses.
//! The rows end when the chip has answered the last one. [`Row`] formats itself as CSV;
//! [`table_line`](Row::table_line) is for people.

use super::model::{Chip, Inputs, Outputs, Side, State};
use super::rules::ENDLESS;
use oxbox_proof::engine::Move;
use std::collections::VecDeque;
use std::fmt;

/// The duration of a clock in the published simulation, in ns.
pub const CLOCK_NS: u64 = 200;

/// The inputs of a simulation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stimulus {
    /// Stones placed after reset, in order.
    pub setup: Vec<(Side, Move)>,
    /// Whether the chip starts, on the place in its counter.
    pub chip_begins: bool,
    /// The counter at reset, 0 to 7.
    pub counter: u8,
    /// The user's actions, each done when the chip waits.
    pub steps: Vec<Step>,
}

impl Stimulus {
    /// Returns the stimulus of the published [`SIMULATION`].
    pub fn simulation() -> Stimulus {
        let [one, two, three, four, five, seven, eight] = [1, 2, 3, 4, 5, 7, 8].map(|place| Move::ALL[place]);
        let stones = [
            (Side::User, two),
            (Side::User, three),
            (Side::Chip, one),
            (Side::Chip, four),
            (Side::Chip, five),
        ];
        let steps = [Step::Key(seven), Step::Idle(5), Step::Key(eight), Step::Idle(2)];
        Stimulus { setup: stones.to_vec(), steps: steps.to_vec(), ..Stimulus::default() }
    }
}

/// An action of the user when the chip waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A key. The chip ignores one on a taken place. One after the end of the game is left out.
    Key(Move),
    /// No key for this number of clocks, also after the end of the game.
    Idle(u32),
}

/// The signals of one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Time of the rising edge in ns.
    pub time_ns: u64,
    /// The input pins.
    pub inputs: Inputs,
    /// The outputs.
    pub outputs: Outputs,
}

/// The published simulation, one row per clock, with a heading.
pub const SIMULATION: &str = include_str!("simulation.csv");

/// Column names for `Display` of [`Row`]: the published simulation's, then the other outputs.
pub const HEADER: &str =
    "time_ns,resetN,pi,key,state,wins,choose,toggleN,usei,nexti,sp,i,led,copyboard,state_name,fin,win,prompt";

/// The heading for [`Row::table_line`].
pub const TABLE_HEADER: &str = "    time ns  key  state          sp  i  lamps (* chip, + user)  outputs";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { time_ns, inputs, outputs: o } = self;
        let key = inputs.key.map(|key| key.index().to_string()).unwrap_or_default();
        let i = o.i.map_or("u".to_owned(), |i| i.index().to_string());
        write!(f, "{time_ns},{},{},{key}", u8::from(inputs.reset_n), u8::from(inputs.pi))?;
        write!(f, ",{},{},{}", o.state as u8, u8::from(o.wins), o.choose as u8)?;
        write!(f, ",{},{},{}", u8::from(o.toggle_n), u8::from(o.use_i), u8::from(o.next_i))?;
        write!(f, ",{},{i},{:018b},{},{}", o.sp, o.led, u8::from(o.copyboard), o.state.name())?;
        write!(f, ",{},{},{}", u8::from(o.fin), u8::from(o.win), u8::from(o.prompt))
    }
}

impl Row {
    /// Returns a table line for people: the key, the state, the depth and place of the search, the
    /// lamps by row, and the high outputs.
    pub fn table_line(&self) -> String {
        let Row { time_ns, inputs, outputs: o } = self;
        let place = |place: Option<Move>| place.map_or(String::new(), |place| place.index().to_string());
        let lamp = |cell: Move| match o.led >> (2 * cell.index()) & 3 {
            0 => '.',
            1 => '*',
            _ => '+',
        };
        let rows: Vec<String> =
            Move::ALL.chunks(3).map(|row| row.iter().map(|&cell| lamp(cell)).collect()).collect();
        let pins = [
            ("wins", o.wins),
            ("copyboard", o.copyboard),
            ("fin", o.fin),
            ("win", o.win),
            ("prompt", o.prompt),
        ];
        let high: Vec<&str> = pins.iter().filter(|(_, high)| *high).map(|(name, _)| *name).collect();
        let line = format!(
            "{time_ns:>11}  {:<3}  {:<13}  {:<2}  {:<1}  {:<22}  {}",
            place(inputs.key),
            o.state.name(),
            o.sp,
            place(o.i),
            rows.join(" "),
            high.join(" ")
        );
        line.trim_end().to_owned()
    }
}

/// An iterator over the rows of a stimulus.
#[derive(Debug, Clone)]
pub struct Trace {
    chip: Chip,
    inputs: std::vec::IntoIter<Inputs>,
    steps: VecDeque<Step>,
    clocks: u64,
    done: bool,
}

impl Trace {
    /// Starts at reset.
    pub fn new(stimulus: Stimulus) -> Self {
        let mut chip = Chip::new();
        chip.set_counter(stimulus.counter);
        let mut inputs = Vec::new();
        let mut pi = false;
        for (side, place) in stimulus.setup {
            let next_pi = side == Side::Chip;
            inputs.push(Inputs { pi, next_pi, key: Some(place), ..Inputs::default() });
            pi = next_pi;
        }
        inputs.push(Inputs { pi, chip_begins: stimulus.chip_begins, ..Inputs::default() });
        inputs[0].reset_n = false;
        Trace { chip, inputs: inputs.into_iter(), steps: stimulus.steps.into(), clocks: 0, done: false }
    }
}

impl Trace {
    /// Returns the user's action at this clock, if the chip accepts one.
    fn step(&mut self) -> Option<Step> {
        let finished = match self.chip.state() {
            State::Waiting => false,
            State::Finished => true,
            _ => return None,
        };
        loop {
            match self.steps.front_mut()? {
                Step::Idle(0) => {}
                Step::Idle(clocks) => {
                    *clocks -= 1;
                    return Some(Step::Idle(1));
                }
                Step::Key(_) if finished => {}
                Step::Key(_) => return self.steps.pop_front(),
            }
            self.steps.pop_front();
        }
    }
}

impl Iterator for Trace {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        if self.done {
            return None;
        }
        let step = if self.inputs.len() == 0 { self.step() } else { None };
        let inputs = self.inputs.next().unwrap_or_else(|| Inputs {
            key: if let Some(Step::Key(key)) = step { Some(key) } else { None },
            ..Inputs::default()
        });
        let outputs = self.chip.clock(inputs);
        self.clocks += 1;
        self.done = match outputs.state {
            State::Waiting | State::Finished => step.is_none(),
            _ => self.clocks >= u64::from(ENDLESS) * 9,
        };
        Some(Row { time_ns: self.clocks * CLOCK_NS, inputs, outputs })
    }
}
