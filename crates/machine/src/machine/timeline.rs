//! A machine and its recent past: checkpoints, and the inputs between them.
//!
//! A run is deterministic, so recording the inputs is enough. Any position is reached by restoring
//! the checkpoint before it and running again, with identical results. An input in the past begins
//! a new branch: the timeline discards everything after it.

mod checkpoints;
mod recall;
mod stretches;

use super::{
    key::Key,
    observer::Observer,
    pc::Machine,
    playback::{Playback, Played, ScriptHost},
    record::{Input, Position, Recorded},
    script::Script,
    snapshot::Snapshot,
    stop::{Stop, Until},
};
use crate::hardware::speaker::Segment;
pub(super) use checkpoints::Moment;
use checkpoints::{Checkpoints, Keep, Pages};
use oxbox_cpu::Registers;

/// The maximum number of bytes of printed output that a timeline keeps.
const MOST_PRINTED: usize = 4 << 20;

/// A machine and its whole past.
///
/// ```
/// use oxbox_machine::machine::{Config, Timeline, Machine, Stop, Until};
///
/// let mut machine = Machine::new(&Config::default())?;
/// // again: inc ax; loop again; int 20h
/// machine.load(&[0xB9, 0x00, 0x10, 0x40, 0xE2, 0xFD, 0xCD, 0x20], "COUNT.COM", "")?;
/// let mut timeline = Timeline::new(machine, 1 << 20);
/// assert_eq!(timeline.run(&Until::KEY_WAIT, &mut ()), Stop::Exited(0));
///
/// timeline.go_to_instruction(2001);
/// assert_eq!(timeline.machine().cpu().regs.ax(), 1000);
/// timeline.step_back();
/// timeline.step_back();
/// assert_eq!(timeline.machine().cpu().regs.ax(), 999);
/// // The same end a second time.
/// assert_eq!(timeline.run(&Until::KEY_WAIT, &mut ()), Stop::Exited(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Timeline {
    machine: Machine,
    checkpoints: Checkpoints,
    /// Inputs since the first checkpoint.
    inputs: Vec<Recorded>,
    /// The number of these inputs before the current position.
    done: usize,
    /// Number of inputs before the first checkpoint.
    dropped: usize,
    /// The furthest position that was reached.
    end: Position,
    /// The end of the run, if it has ended.
    finale: Option<Stop>,
    /// The script that is played where the run continues beyond the recorded part.
    playback: Option<Playback>,
    /// Whether the program's files stay in the state, and the timeline takes printed output.
    keeps_output: bool,
    /// Output before the last checkpoint; the machine contains the rest.
    printed: Vec<u8>,
    printed_before: usize,
    /// Whether the first checkpoint is the beginning.
    is_whole: bool,
    /// The speaker's record before the last checkpoint, if it is kept.
    sound: Option<Vec<Segment>>,
}

impl Timeline {
    /// Returns a timeline that starts at the machine's current state and always reaches back to it.
    /// Checkpoints take about `most_bytes`; if that is too little, the distance between them grows.
    /// Host folders are read and not written.
    pub fn new(mut machine: Machine, most_bytes: usize) -> Timeline {
        machine.keep_printout();
        machine.take_printout();
        machine.take_sound();
        Timeline::with(machine, Keep::All(most_bytes))
    }

    /// Returns a timeline with the last two checkpoints, enough to show the last instructions
    /// again. The program's files are stored on the host.
    pub fn latest(machine: Machine) -> Timeline {
        Timeline::with(machine, Keep::Last)
    }

    fn with(mut machine: Machine, keep: Keep) -> Timeline {
        machine.record = Some(Vec::new());
        let mut timeline = Timeline {
            end: machine.moment(),
            machine,
            keeps_output: matches!(keep, Keep::All(_)),
            is_whole: matches!(keep, Keep::All(_)),
            checkpoints: Checkpoints::new(keep),
            inputs: Vec::new(),
            done: 0,
            dropped: 0,
            finale: None,
            playback: None,
            printed: Vec::new(),
            printed_before: 0,
            sound: None,
        };
        timeline.set_dry_run(false);
        timeline.begin();
        timeline
    }

    /// Makes the first checkpoint, if the timeline must reach back to the current state. Otherwise
    /// the first run does; until then the owner may redirect the program's standard streams.
    fn begin(&mut self) {
        if self.keeps_output {
            self.mark();
        }
    }

    /// Keeps the latest checkpoints, up to about `most_bytes` and ten minutes, for rewinding.
    pub fn keep_recent(&mut self, most_bytes: usize) {
        self.checkpoints.keep(Keep::Recent(most_bytes));
        self.mark();
    }

    /// Returns the machine at the current position.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the machine, for calls that need `&mut` ([`Machine::read_memory`],
    /// [`Machine::take_notices`]). Running it or changing its state this way breaks the timeline.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Returns the machine.
    pub fn into_machine(self) -> Machine {
        self.into_parts().0
    }

    /// Returns the machine and the rest of its script.
    pub fn into_parts(mut self) -> (Machine, Option<Playback>) {
        self.machine.record = None;
        self.machine.dos.set_dry_run(false);
        (self.machine, self.playback)
    }

    /// Returns the current position.
    pub fn position(&self) -> Position {
        self.machine.moment()
    }

    /// Returns the first position that can be reached.
    pub fn start(&self) -> Position {
        self.checkpoints.get(0).map(|first| first.moment.position).unwrap_or_default()
    }

    /// Returns the furthest position that was reached.
    pub fn end(&self) -> Position {
        self.end
    }

    /// Returns how the run ended, if the current position is its end.
    pub fn finale(&self) -> Option<&Stop> {
        self.finale.as_ref().filter(|_| !self.is_past())
    }

    /// Whether there are recorded positions after the current one.
    pub fn is_past(&self) -> bool {
        self.position().cycle < self.end.cycle
    }

    /// Whether the timeline reaches back to the state that it began with.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the number of checkpoints, and about how many bytes they take.
    pub fn checkpoints(&self) -> (usize, usize) {
        (self.checkpoints.len(), self.checkpoints.bytes())
    }

    /// Returns the teletype output up to the current position, in code page 437.
    pub fn printed(&mut self) -> Vec<u8> {
        let mut printed = self.printed[..self.printed_before.min(self.printed.len())].to_vec();
        printed.extend(self.machine.hardware.teletype_log.characters());
        printed
    }

    /// Starts to keep the speaker's record for [`Timeline::take_sound`].
    pub fn keep_sound(&mut self) {
        self.machine.take_sound();
        self.sound = Some(Vec::new());
    }

    /// Returns and clears the speaker's record since the last call, after [`Timeline::keep_sound`].
    /// After a jump in time it starts again.
    pub fn take_sound(&mut self) -> Vec<Segment> {
        let mut sound = self.sound.as_mut().map(std::mem::take).unwrap_or_default();
        sound.extend(self.machine.take_sound());
        sound
    }

    /// Returns the inputs between the first checkpoint and the current position.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs[..self.done].iter().map(|recorded| &recorded.input)
    }

    /// Returns the number of inputs before the current position, since the timeline began.
    pub fn input_count(&self) -> usize {
        self.dropped + self.done
    }

    /// Plays a script from now on: its keys, waits and changes of speed, where the run continues
    /// beyond the recorded part.
    pub fn set_script(&mut self, script: Script) {
        self.playback = Some(Playback::new(script));
    }

    /// Whether the script has been played to its end.
    pub fn is_script_over(&self) -> bool {
        self.playback.as_ref().is_none_or(Playback::is_over)
    }

    /// Returns the time in cycles at which the script had ended; `None` before, and without a script.
    pub fn script_end(&self) -> Option<u64> {
        self.playback.as_ref().and_then(Playback::end)
    }

    /// Continues the run, first through the recorded part, where the inputs are repeated and no
    /// wait for a key stops the run. A step of the script that fails ends the script.
    pub fn run(&mut self, until: &Until, observer: &mut impl Observer) -> Stop {
        loop {
            match self.play(until, &mut (), observer) {
                Played::Stopped(stop) => return stop,
                Played::Failed(_) | Played::Unwritten(..) => self.playback = None,
            }
        }
    }

    /// Continues like [`Timeline::run`]; the host takes the pictures and texts of the script.
    pub fn play(
        &mut self,
        until: &Until,
        host: &mut impl ScriptHost,
        observer: &mut impl Observer,
    ) -> Played {
        loop {
            if self.is_past() {
                match self.replay(until, observer) {
                    Stop::Cycle if self.position().cycle < until.cycle => continue,
                    stop => return Played::Stopped(stop),
                }
            }
            if let Some(finale) = &self.finale {
                return Played::Stopped(finale.clone());
            }
            if self.checkpoints.is_due(&self.machine) {
                self.mark();
            }
            self.set_dry_run(false);
            let instructions = until.instructions.min(self.checkpoints.next_due());
            let chunk = Until { instructions, ..*until };
            let played = match &mut self.playback {
                Some(playback) => playback.run(&mut self.machine, &chunk, host, observer),
                None => Played::Stopped(self.machine.run(&chunk, observer)),
            };
            self.keep_inputs();
            self.end = self.position();
            if let Played::Stopped(stop @ (Stop::Exited(_) | Stop::Crashed(_) | Stop::Dead(_))) = &played {
                self.finale = Some(stop.clone());
            }
            let is_chunk = instructions < until.instructions && self.machine.instructions() >= instructions;
            if !is_chunk || played != Played::Stopped(Stop::Instructions) {
                return played;
            }
        }
    }

    /// Makes a checkpoint of the current state, which is the end of the run.
    pub fn mark(&mut self) {
        self.keep_inputs();
        if self.keeps_output {
            let fresh = self.machine.take_printout();
            self.printed.truncate(self.printed_before);
            let room = MOST_PRINTED.saturating_sub(self.printed.len());
            self.printed.extend(fresh.iter().take(room));
            self.printed_before = self.printed.len();
            let sound = self.machine.take_sound();
            if let Some(kept) = &mut self.sound {
                kept.extend(sound);
            }
        }
        let written = Pages::written(&self.machine);
        let moment = self.moment();
        let dropped = self.checkpoints.push(moment, &self.machine, written, self.printed_before);
        self.inputs.drain(..dropped);
        self.done -= dropped;
        self.dropped += dropped;
    }

    fn keep_inputs(&mut self) {
        if let Some(record) = self.machine.record.as_mut().filter(|record| !record.is_empty()) {
            self.inputs.append(record);
        }
        self.done = self.inputs.len();
    }

    /// Sets whether the program's files stay in guest state: always if the timeline keeps its
    /// output, and during replay.
    fn set_dry_run(&mut self, replays: bool) {
        self.machine.dos.set_dry_run(self.keeps_output || replays);
    }

    /// Runs within the recorded part, at most to the next input or the end.
    fn replay(&mut self, until: &Until, observer: &mut impl Observer) -> Stop {
        let next = self.inputs.get(self.done).map_or(self.end.cycle, |input| input.position.cycle);
        let cycle = until.cycle.min(next.max(self.position().cycle));
        let record = self.machine.record.take();
        self.set_dry_run(true);
        let stop = self.machine.run(&Until { cycle, key_wait: false, ..*until }, observer);
        self.repeat_inputs();
        self.machine.record = record;
        stop
    }

    fn repeat_inputs(&mut self) {
        let cycle = self.position().cycle;
        let record = self.machine.record.take();
        while let Some(recorded) = self.inputs.get(self.done)
            && recorded.position.cycle <= cycle
        {
            self.machine.do_again(recorded);
            self.done += 1;
        }
        self.machine.record = record;
    }

    /// Moves to a recorded position, or to the nearest one.
    pub fn go_to(&mut self, position: Position) {
        let target = position.clamp(self.start(), self.end);
        let index = self.checkpoints.before(target);
        let now = self.position();
        let is_nearer = self.checkpoints.get(index).is_some_and(|nearest| nearest.moment.position > now);
        if now > target || is_nearer {
            self.restore(index);
        }
        self.replay_to(target, &mut ());
    }

    /// Moves to the position after this many instructions since power-on.
    pub fn go_to_instruction(&mut self, instructions: u64) {
        self.restore(self.checkpoints.before_instruction(instructions));
        let until = Until { instructions, ..Until::cycle(self.end.cycle) };
        while self.is_past() && self.replay(&until, &mut ()) == Stop::Cycle {}
    }

    /// Moves to before the last instruction, or before an interrupt that has just been taken.
    /// Returns false at the beginning.
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

    /// Executes an instruction; an interrupt that is due is taken before it. Returns `None` if it
    /// was executed, otherwise what prevented it.
    pub fn step(&mut self) -> Option<Stop> {
        let until = Until { instructions: self.machine.instructions() + 1, ..Until::KEY_WAIT };
        Some(self.run(&until, &mut ())).filter(|stop| *stop != Stop::Instructions)
    }

    /// Takes an interrupt that is due at this position.
    pub fn enter_interrupt(&mut self) {
        self.machine.enter_interrupt();
        self.end = self.end.max(self.position());
    }

    /// Runs through the recorded part up to a position.
    pub fn replay_to(&mut self, target: Position, observer: &mut impl Observer) -> Stop {
        self.repeat_inputs();
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

    /// Restores a checkpoint.
    pub fn restore(&mut self, index: usize) {
        let Some(checkpoint) = self.checkpoints.get(index) else { return };
        checkpoint.moment.restore(&mut self.machine);
        self.done = checkpoint.moment.done;
        self.printed_before = checkpoint.printed;
        self.repeat_inputs();
    }

    /// Starts a new branch here: discards everything recorded after the current position.
    pub fn forget_future(&mut self) {
        if self.is_past() || self.done < self.inputs.len() {
            let now = self.position();
            self.inputs.truncate(self.done);
            self.checkpoints.truncate(now);
            self.printed.truncate(self.printed_before);
            self.finale = None;
            self.playback = None;
            self.end = now;
            self.set_dry_run(false);
        }
    }

    /// Discards the past, too: the timeline starts again with another state of the machine.
    pub fn restart_at(&mut self, snapshot: &Snapshot) {
        self.machine.restore(snapshot);
        self.machine.record = Some(Vec::new());
        (self.inputs, self.done, self.dropped) = (Vec::new(), 0, 0);
        self.checkpoints.clear();
        self.is_whole = false;
        self.end = self.position();
        self.finale = None;
        self.begin();
    }

    /// Changes the machine from outside; in the past this begins a new branch.
    fn intervene(&mut self, act: impl FnOnce(&mut Machine)) {
        self.forget_future();
        act(&mut self.machine);
        self.keep_inputs();
        self.end = self.position();
    }

    /// Gives the machine an input; in the past this begins a new branch.
    pub fn give(&mut self, input: &Input) {
        self.intervene(|machine| machine.repeat(input));
    }

    /// Presses and releases a key.
    pub fn type_key(&mut self, key: Key) {
        self.intervene(|machine| machine.type_key(key));
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
