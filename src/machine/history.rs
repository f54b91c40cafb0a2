//! A run that can be walked in both directions.
//!
//! What comes from outside is recorded with its moment, and checkpoints are kept at growing distances: any moment is the checkpoint
//! before it, run again from there. The machine is deterministic, so it is the same moment to the bit. An input in the past begins
//! a new branch: what came after it is forgotten.
//!
//! What the program writes into files stays in the machine's state, so that it is undone and done again with all else: the host's
//! folder is read and not changed.

mod checkpoints;

use super::{
    button::MouseButton,
    key::Key,
    observer::Observer,
    pc::Machine,
    playback::{Playback, Played},
    record::{Input, Position, Recorded},
    script::Script,
    stop::{Stop, Until},
};
use crate::cpu::Registers;
use crate::hardware::speaker::Segment;
use checkpoints::Checkpoints;

/// Bytes of output that are kept.
const MOST_PRINTED: usize = 4 << 20;

/// A machine and all of its past.
///
/// ```
/// use oxbox::machine::{Config, History, Machine, Stop, Until};
///
/// let mut machine = Machine::new(&Config::default())?;
/// // again: inc ax; loop again; int 20h
/// machine.load(&[0xB9, 0x00, 0x10, 0x40, 0xE2, 0xFD, 0xCD, 0x20], "COUNT.COM", "")?;
/// let mut history = History::new(machine, 1 << 20);
/// assert_eq!(history.run(&Until::KEY_WAIT, &mut ()), Stop::Exited(0));
///
/// history.go_to_instruction(2001);
/// assert_eq!(history.machine().cpu().regs.ax(), 1000);
/// history.step_back();
/// history.step_back();
/// assert_eq!(history.machine().cpu().regs.ax(), 999);
/// // The same end a second time.
/// assert_eq!(history.run(&Until::KEY_WAIT, &mut ()), Stop::Exited(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct History {
    machine: Machine,
    checkpoints: Checkpoints,
    inputs: Vec<Recorded>,
    /// Inputs before the present.
    done: usize,
    /// The furthest moment that was reached.
    end: Position,
    /// How the run ended, when it has.
    finale: Option<Stop>,
    /// What was printed before the checkpoint that the present was reached from; the machine holds the rest.
    printed: Vec<u8>,
    printed_before: usize,
    /// What is typed on new ground.
    playback: Option<Playback>,
    /// What the speaker did before the last checkpoint, for somebody who listens.
    sound: Option<Vec<Segment>>,
}

impl History {
    /// Begins with the machine's present. Checkpoints hold `most_bytes` or little more.
    pub fn new(mut machine: Machine, most_bytes: usize) -> History {
        machine.keep_printout();
        machine.take_printout();
        machine.take_sound();
        machine.dos.rehearse(true);
        machine.record = Some(Vec::new());
        let checkpoints = Checkpoints::new(&mut machine, most_bytes);
        History {
            end: machine.moment(),
            machine,
            checkpoints,
            inputs: Vec::new(),
            done: 0,
            finale: None,
            printed: Vec::new(),
            printed_before: 0,
            playback: None,
            sound: None,
        }
    }

    /// The machine at the present moment.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The same, for looking at what wants `&mut` ([`Machine::read_memory`], [`Machine::take_notices`]). To run or change the machine
    /// past its history makes nonsense of it.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Gives the machine back.
    pub fn into_machine(mut self) -> Machine {
        self.machine.record = None;
        self.machine.dos.rehearse(false);
        self.machine
    }

    /// The present moment.
    pub fn position(&self) -> Position {
        self.machine.moment()
    }

    /// The first moment.
    pub fn start(&self) -> Position {
        self.checkpoints.get(0).map(|first| first.position).unwrap_or_default()
    }

    /// The furthest moment that was reached.
    pub fn end(&self) -> Position {
        self.end
    }

    /// How the run ended, if the present is its end.
    pub fn finale(&self) -> Option<&Stop> {
        self.finale.as_ref().filter(|_| !self.is_past())
    }

    /// Whether something that has been seen lies ahead.
    pub fn is_past(&self) -> bool {
        self.position().cycle < self.end.cycle
    }

    /// Checkpoints, and the bytes that they hold, about.
    pub fn checkpoints(&self) -> (usize, usize) {
        (self.checkpoints.len(), self.checkpoints.bytes())
    }

    /// What teletype output has printed up to the present, in code page 437.
    pub fn printed(&mut self) -> Vec<u8> {
        let mut printed = self.printed[..self.printed_before.min(self.printed.len())].to_vec();
        printed.extend(self.machine.hardware.printout.characters());
        printed
    }

    /// Keeps what the speaker does from now on, for [`History::take_sound`].
    pub fn keep_sound(&mut self) {
        self.machine.take_sound();
        self.sound = Some(Vec::new());
    }

    /// Hands over what the speaker has done since the last call, after [`History::keep_sound`]. After a jump in time it begins anew.
    pub fn take_sound(&mut self) -> Vec<Segment> {
        let mut sound = self.sound.as_mut().map(std::mem::take).unwrap_or_default();
        sound.extend(self.machine.take_sound());
        sound
    }

    /// What has been done to the machine before the present.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs[..self.done].iter().map(|recorded| &recorded.input)
    }

    /// Runs on, first through what has been seen already; there the inputs come as they came, and no wait for a key stops it.
    pub fn run(&mut self, until: &Until, observer: &mut impl Observer) -> Stop {
        loop {
            if self.is_past() {
                let stop = self.replay(until, observer);
                match stop {
                    Stop::Cycle if self.position().cycle < until.cycle => continue,
                    stop => return stop,
                }
            }
            if let Some(finale) = &self.finale {
                return finale.clone();
            }
            let instructions = until.instructions.min(self.checkpoints.next_due());
            let stop = self.run_live(&Until { instructions, ..*until }, observer);
            self.advance_end(&stop);
            match stop {
                Stop::Instructions if self.machine.instructions() < until.instructions => {}
                stop => return stop,
            }
        }
    }

    /// Plays a script from now on: its keys, waits and changes of speed, wherever the run gains new ground. An expectation, a shot or
    /// a text ends it.
    pub fn set_script(&mut self, script: Script) {
        self.playback = Some(Playback::new(script));
    }

    /// Runs the machine on new ground, with the keys of the script.
    fn run_live(&mut self, until: &Until, observer: &mut impl Observer) -> Stop {
        let Some(playback) = &mut self.playback else { return self.machine.run(until, observer) };
        match playback.run(&mut self.machine, until, &mut (), observer) {
            Played::Stopped(stop) => stop,
            Played::Failed(..) | Played::Unwritten(..) => {
                self.playback = None;
                self.machine.run(until, observer)
            }
        }
    }

    /// New ground has been gained.
    fn advance_end(&mut self, stop: &Stop) {
        self.keep_inputs();
        self.end = self.position();
        if matches!(stop, Stop::Exited(_) | Stop::Crashed(_) | Stop::Dead(_)) {
            self.finale = Some(stop.clone());
        } else if self.machine.instructions() >= self.checkpoints.next_due() {
            let fresh = self.machine.take_printout();
            self.printed.truncate(self.printed_before);
            let room = MOST_PRINTED.saturating_sub(self.printed.len());
            self.printed.extend(fresh.iter().take(room));
            self.printed_before = self.printed.len();
            let sound = self.machine.take_sound();
            if let Some(kept) = &mut self.sound {
                kept.extend(sound);
            }
            self.checkpoints.push(&mut self.machine, self.done, self.printed_before);
        }
    }

    fn keep_inputs(&mut self) {
        if let Some(record) = &mut self.machine.record {
            self.inputs.append(record);
        }
        self.done = self.inputs.len();
    }

    /// Runs within what has been seen, to the next input or to its end at the most.
    fn replay(&mut self, until: &Until, observer: &mut impl Observer) -> Stop {
        let next = self.inputs.get(self.done).map_or(self.end.cycle, |input| input.position.cycle);
        let cycle = until.cycle.min(next.max(self.position().cycle));
        let record = self.machine.record.take();
        let stop = self.machine.run(&Until { cycle, key_wait: false, ..*until }, observer);
        self.repeat_inputs();
        self.machine.record = record;
        stop
    }

    /// Does again what was done at this cycle.
    fn repeat_inputs(&mut self) {
        let cycle = self.position().cycle;
        while let Some(recorded) = self.inputs.get(self.done)
            && recorded.position.cycle <= cycle
        {
            self.machine.do_again(recorded);
            self.done += 1;
        }
    }

    /// Goes to a moment of the history, or to the nearest one.
    pub fn go_to(&mut self, position: Position) {
        let target = position.clamp(self.start(), self.end);
        let index = self.checkpoints.before(target);
        let now = self.position();
        let is_nearer = self.checkpoints.get(index).is_some_and(|nearest| nearest.position > now);
        if now > target || is_nearer {
            self.restore(index);
        }
        self.replay_to(target, &mut ());
    }

    /// Goes to where so many instructions have been done since power-on.
    pub fn go_to_instruction(&mut self, instructions: u64) {
        self.restore(self.checkpoints.before_instruction(instructions));
        let until = Until { cycle: self.end.cycle, instructions, key_wait: false };
        while self.is_past() && self.replay(&until, &mut ()) == Stop::Cycle {}
    }

    /// Goes to before the last instruction, or out of an interrupt that has just been taken. False at the beginning.
    pub fn step_back(&mut self) -> bool {
        let now = self.position();
        if now <= self.start() {
            return false;
        }
        if now.interrupted {
            self.go_to(Position { interrupted: false, ..now });
        } else {
            self.go_to_instruction(self.machine.instructions().saturating_sub(1));
        }
        true
    }

    /// Executes an instruction; an interrupt that is due is taken before it. None when that is done, otherwise what stood in the way.
    pub fn step(&mut self) -> Option<Stop> {
        let until = Until { instructions: self.machine.instructions() + 1, ..Until::KEY_WAIT };
        Some(self.run(&until, &mut ())).filter(|stop| *stop != Stop::Instructions)
    }

    /// Takes the interrupt that is due at this moment, if one is.
    pub fn enter_interrupt(&mut self) {
        self.machine.enter_interrupt();
        self.end = self.end.max(self.position());
    }

    /// Runs through the past up to a moment of it.
    pub fn replay_to(&mut self, target: Position, observer: &mut impl Observer) -> Stop {
        self.repeat_inputs_at_rest();
        let until = Until::cycle(target.cycle);
        let mut stop = Stop::Cycle;
        while self.position().cycle < target.cycle {
            stop = self.replay(&until, observer);
            if stop != Stop::Cycle {
                return stop;
            }
        }
        if target.interrupted && !self.position().interrupted {
            self.machine.enter_interrupt();
        }
        stop
    }

    fn repeat_inputs_at_rest(&mut self) {
        let record = self.machine.record.take();
        self.repeat_inputs();
        self.machine.record = record;
    }

    /// Goes to a checkpoint.
    pub(crate) fn restore(&mut self, index: usize) {
        let Some(checkpoint) = self.checkpoints.get(index) else { return };
        self.machine.restore(&checkpoint.snapshot);
        if checkpoint.position.interrupted {
            self.machine.interrupted_at = Some(checkpoint.position.cycle);
        }
        self.done = checkpoint.inputs;
        self.printed_before = checkpoint.printed;
        self.repeat_inputs_at_rest();
    }

    /// A stretch by its number, from 0.
    pub(crate) fn stretch(&self, number: usize) -> Option<Stretch> {
        self.checkpoints.get(number)?;
        let next = self.checkpoints.get(number + 1);
        Some(Stretch { number, to: next.map_or(self.end, |next| next.position) })
    }

    /// The number of the stretch that a moment lies in.
    pub(crate) fn stretch_of(&self, position: Position) -> usize {
        self.checkpoints.before(position)
    }

    /// Whether a byte of memory may have been written in a stretch.
    pub(crate) fn may_write_byte(&self, stretch: &Stretch, address: u32) -> bool {
        self.written(stretch).is_none_or(|written| written.hold_byte(address))
    }

    /// Whether a plane address of video memory may have been written in a stretch.
    pub(crate) fn may_write_plane(&self, stretch: &Stretch, address: u16) -> bool {
        self.written(stretch).is_none_or(|written| written.hold_plane(address))
    }

    /// Whether a colour of the DAC may have been written in a stretch.
    pub(crate) fn may_write_colour(&self, stretch: &Stretch) -> bool {
        let first = self.checkpoints.get(stretch.number).map(|checkpoint| checkpoint.colours);
        let last = self.checkpoints.get(stretch.number + 1).map(|checkpoint| checkpoint.colours);
        last.is_none() || first != last
    }

    /// The registers at both ends of a stretch that lies between checkpoints.
    pub(crate) fn registers_around(&self, number: usize) -> Option<(&Registers, &Registers)> {
        let (first, last) = (self.checkpoints.get(number)?, self.checkpoints.get(number + 1)?);
        Some((&first.registers, &last.registers))
    }

    fn written(&self, stretch: &Stretch) -> Option<&checkpoints::Pages> {
        self.checkpoints.get(stretch.number + 1).map(|next| &next.written)
    }

    /// What follows is new: the future that was is forgotten.
    fn branch(&mut self) {
        if self.is_past() || self.done < self.inputs.len() {
            let now = self.position();
            self.inputs.truncate(self.done);
            self.checkpoints.truncate(now);
            self.printed.truncate(self.printed_before);
            self.finale = None;
            self.playback = None;
            self.end = now;
        }
    }

    /// Does something to the machine from outside; in the past it begins a new branch.
    fn intervene(&mut self, act: impl FnOnce(&mut Machine)) {
        self.branch();
        act(&mut self.machine);
        self.keep_inputs();
        self.end = self.position();
    }

    /// A key goes down; see [`Machine::key_down`].
    pub fn key_down(&mut self, key: Key) {
        self.intervene(|machine| machine.key_down(key));
    }

    /// A key goes up; see [`Machine::key_up`].
    pub fn key_up(&mut self, key: Key) {
        self.intervene(|machine| machine.key_up(key));
    }

    /// A key is pressed and released.
    pub fn type_key(&mut self, key: Key) {
        self.intervene(|machine| machine.type_key(key));
    }

    /// The mouse goes to a place; see [`Machine::move_mouse`].
    pub fn move_mouse(&mut self, x: u16, y: u16) {
        self.intervene(|machine| machine.move_mouse(x, y));
    }

    /// A button of the mouse goes down or up.
    pub fn set_mouse_button(&mut self, button: MouseButton, down: bool) {
        self.intervene(|machine| machine.set_mouse_button(button, down));
    }

    /// Another speed; see [`Machine::set_speed`].
    pub fn set_speed(&mut self, speed: u32) {
        self.intervene(|machine| machine.set_speed(speed));
    }

    /// Bytes for the redirected standard input; see [`Machine::feed_input`].
    pub fn feed_input(&mut self, bytes: &[u8]) {
        self.intervene(|machine| machine.feed_input(bytes));
    }

    /// Changes memory; see [`Machine::write_memory`].
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) {
        self.intervene(|machine| machine.write_memory(address, bytes));
    }

    /// Changes registers; see [`Machine::set_registers`].
    pub fn set_registers(&mut self, registers: &Registers) {
        self.intervene(|machine| machine.set_registers(registers));
    }
}

/// What lies between two checkpoints, or between the last one and the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    number: usize,
    pub(crate) to: Position,
}
