//! Plays a script on a machine.

use super::button::MouseButton;
use super::key::Key;
use super::script::{Action, Script, Step};
use super::script_failure::{ScriptFailure, ScriptFailureKind};
use super::{
    observer::Observer,
    pc::Machine,
    stop::{Polls, Stop, Until},
};
use crate::firmware;
use crate::hardware::vga::Frame;
use crate::hardware::{IRQ_KEYBOARD, linear};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};
use oxbox_cpu::Flags;
use std::collections::VecDeque;

/// Duration in milliseconds for which a key is held down, and up, for a program that reads the
/// keyboard itself.
const PORT_KEY_MS: u64 = Stroke::MS;

/// A repeating cycle of the program is checked for once per second.
const LOOKS_A_SECOND: u32 = (1000 / PORT_KEY_MS) as u32;

/// The host of a script.
pub trait ScriptHost {
    /// Writes a picture.
    ///
    /// # Errors
    /// Fails with a message of one line.
    fn shot(&mut self, file: &str, frame: &Frame) -> Result<(), String>;

    /// Writes a text screen.
    ///
    /// # Errors
    /// Fails with a message of one line.
    fn text(&mut self, file: &str, text: &str) -> Result<(), String>;

    /// Called when the program waits for a key and is about to get one.
    fn typing(&mut self, machine: &Machine) {
        let _ = machine;
    }
}

/// A host without files: pictures and texts fail.
impl ScriptHost for () {
    fn shot(&mut self, file: &str, _: &Frame) -> Result<(), String> {
        Err(format!("cannot write {file} here"))
    }

    fn text(&mut self, file: &str, _: &str) -> Result<(), String> {
        Err(format!("cannot write {file} here"))
    }
}

/// The result of playing a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Played {
    /// The machine stopped; `Stop::KeyWait` only if no key is left.
    Stopped(Stop),
    /// A step's expectation was not met.
    Failed(ScriptFailure),
    /// The host could not write a file: line of the script, and the reason.
    Unwritten(usize, String),
}

/// A key or a button that is held for a while: longer if the program has not read it by then.
#[derive(Debug, Clone, Copy)]
pub struct Stroke {
    /// The number of reads by the program when it was pressed.
    key_reads: u64,
    /// The number of times that it may still be extended.
    more: u32,
}

impl Stroke {
    /// Duration in milliseconds for which it is held before [`Stroke::is_held`] is called.
    pub const MS: u64 = 50;

    /// The maximum number of these periods: shorter than the delay before a key repeats.
    const MOST: u32 = 9;

    /// Starts when a key or a button has just been pressed.
    pub fn new(machine: &Machine) -> Stroke {
        // A handler of IRQ 1 receives each code as it arrives.
        let more = if firmware::unhooked(&machine.hardware, 0x09) { Stroke::MOST - 1 } else { 0 };
        Stroke { key_reads: machine.key_reads(), more }
    }

    /// Whether it is held for another period.
    pub fn is_held(&mut self, machine: &Machine) -> bool {
        let is_held = self.more > 0 && machine.key_reads() == self.key_reads;
        self.more = self.more.saturating_sub(1);
        is_held
    }
}

/// A key or button that a script holds for a while.
#[derive(Debug, Clone, Copy)]
struct Hold {
    what: HeldInput,
    stroke: Stroke,
    /// When it will be released, in cycles.
    until: u64,
}

#[derive(Debug, Clone, Copy)]
enum HeldInput {
    Key(Key),
    Button(MouseButton),
}

/// A script and its progress.
#[derive(Debug, Clone)]
pub struct Playback {
    steps: VecDeque<Step>,
    /// The end (in cycles) of the current wait.
    waiting_until: Option<u64>,
    /// The held key (for a program that reads the keyboard itself) or button.
    held: Option<Hold>,
    /// The time (in cycles) until which the next key waits for a read or poll, before other ways to
    /// read keys are checked for. Several runs may pass until then.
    patience: Option<u64>,
    /// The number of times that this time has passed for the same key.
    in_vain: u32,
    /// Whether the last step was a wait: the next check of the screen is at this time.
    timed: bool,
    /// The time (in cycles) at which all steps had been played.
    over_since: Option<u64>,
}

impl Playback {
    /// Starts a script.
    pub fn new(script: Script) -> Playback {
        Playback {
            steps: script.steps.into(),
            waiting_until: None,
            held: None,
            patience: None,
            in_vain: 0,
            timed: false,
            over_since: None,
        }
    }

    /// Whether all steps have been played and nothing is held.
    pub fn is_over(&self) -> bool {
        self.steps.is_empty() && self.held.is_none() && self.waiting_until.is_none()
    }

    /// Returns the time in cycles at which the script had ended; `None` before.
    pub fn end(&self) -> Option<u64> {
        self.over_since
    }

    /// Runs the machine and plays, until the machine stops.
    pub fn run(
        &mut self,
        machine: &mut Machine,
        until: &Until,
        host: &mut impl ScriptHost,
        observer: &mut impl Observer,
    ) -> Played {
        loop {
            let stop = if let Some(end) = self.pause_end(machine) {
                machine.run(&Until { cycle: until.cycle.min(end), key_wait: false, ..*until }, observer)
            } else if let Some(step) = self.steps.front() {
                match self.play(machine, until, &step.clone(), host, observer) {
                    Ok(None) => continue,
                    Ok(Some(stop)) => stop,
                    Err(failed) => return failed,
                }
            } else {
                self.over_since.get_or_insert(machine.now());
                return Played::Stopped(machine.run(until, observer));
            };
            if stop != Stop::Cycle || machine.now() >= until.cycle {
                return Played::Stopped(stop);
            }
        }
    }

    /// Returns the end of the current wait. Releases a held key that is due.
    fn pause_end(&mut self, machine: &mut Machine) -> Option<u64> {
        if let Some(hold) = &mut self.held {
            if machine.now() < hold.until {
                return Some(hold.until);
            }
            if hold.stroke.is_held(machine) {
                hold.until = later(machine, PORT_KEY_MS);
                return Some(hold.until);
            }
            match hold.what {
                HeldInput::Key(key) => machine.key_up(key),
                HeldInput::Button(button) => machine.set_mouse_button(button, false),
            }
            self.held = None;
            self.waiting_until = Some(later(machine, PORT_KEY_MS));
        }
        if let Some(end) = self.waiting_until {
            if machine.now() < end {
                return Some(end);
            }
            self.waiting_until = None;
        }
        None
    }

    /// Plays the first step. `Ok(None)`: done; `Ok(Some(stop))`: the machine stopped early.
    fn play(
        &mut self,
        machine: &mut Machine,
        until: &Until,
        step: &Step,
        host: &mut impl ScriptHost,
        observer: &mut impl Observer,
    ) -> Result<Option<Stop>, Played> {
        let timed = std::mem::take(&mut self.timed);
        match &step.action {
            Action::Key(key) => {
                if let Some(stop) = self.give(machine, until, *key, host, observer) {
                    return Ok(Some(stop));
                }
            }
            Action::Wait(ms) => {
                self.waiting_until = Some(later(machine, *ms));
                self.timed = true;
            }
            Action::At(ms) => {
                self.waiting_until = Some(machine.cycle_at_ms(*ms));
                self.timed = true;
            }
            Action::Mouse(x, y) => {
                if !timed && let Some(stop) = self.until_asked(machine, until, observer) {
                    return Ok(Some(stop));
                }
                machine.move_mouse(*x, *y);
            }
            Action::Click(button) => {
                if !timed && let Some(stop) = self.until_asked(machine, until, observer) {
                    return Ok(Some(stop));
                }
                self.hold(machine, HeldInput::Button(*button));
            }
            Action::Button(button, down) => machine.set_mouse_button(*button, *down),
            Action::Press(key) => machine.key_down(*key),
            Action::Release(key) => machine.key_up(*key),
            Action::Speed(speed) => machine.set_speed(*speed),
            Action::Expect(_) | Action::Shot(_) | Action::Text(_) => {
                if !timed {
                    match machine.run(&Until { key_wait: true, polls: Polls::Rests, ..*until }, observer) {
                        Stop::KeyWait | Stop::Exited(_) => {}
                        stop => return Ok(Some(stop)),
                    }
                }
                look(machine, step, host)?;
                self.timed = timed;
            }
        }
        self.steps.pop_front();
        Ok(None)
    }

    /// Runs until the program reads the mouse or waits; or for a while if it has a mouse handler
    /// and so never reads it. Returns another stop.
    fn until_asked(
        &mut self,
        machine: &mut Machine,
        until: &Until,
        observer: &mut impl Observer,
    ) -> Option<Stop> {
        match self.run_to_wait(machine, &Until { polls: Polls::Mouse, ..*until }, observer) {
            (Stop::KeyWait, _) => None,
            (Stop::Cycle, true) if machine.program_listens_to_mouse() => None,
            (stop, _) => Some(stop),
        }
    }

    /// Runs until the program waits for a key, or the time for that has passed. Returns the stop,
    /// and whether the program waits.
    fn run_to_wait(
        &mut self,
        machine: &mut Machine,
        until: &Until,
        observer: &mut impl Observer,
    ) -> (Stop, bool) {
        let patience = *self.patience.get_or_insert_with(|| later(machine, PORT_KEY_MS));
        let stop =
            machine.run(&Until { cycle: until.cycle.min(patience), key_wait: true, ..*until }, observer);
        let is_over = machine.now() >= patience;
        if !matches!(stop, Stop::Cycle | Stop::Instructions) || is_over {
            self.patience = None;
        }
        (stop, is_over)
    }

    /// Whether the program reads keys in another way: from the ports, or as flags of the shift
    /// keys, through INT 16h or in the data area.
    fn is_looked_for(&mut self, machine: &mut Machine) -> bool {
        self.in_vain += 1;
        machine.program_reads_keyboard()
            || machine.program_polls_shift_keys()
            || self.in_vain.is_multiple_of(LOOKS_A_SECOND) && machine.spins()
    }

    /// Types a key if the program reads or polls for one and finds none. If the program reads keys
    /// in another way, presses it for a while.
    fn give(
        &mut self,
        machine: &mut Machine,
        until: &Until,
        key: Key,
        host: &mut impl ScriptHost,
        observer: &mut impl Observer,
    ) -> Option<Stop> {
        match self.run_to_wait(machine, &Until { polls: Polls::Keys, ..*until }, observer) {
            (Stop::KeyWait, _) => {
                host.typing(machine);
                if key.is_modifier() || machine.program_reads_keyboard() {
                    self.hold(machine, HeldInput::Key(key));
                } else {
                    machine.type_key(key);
                }
            }
            (Stop::Cycle, true) if self.is_looked_for(machine) => {
                host.typing(machine);
                self.hold(machine, HeldInput::Key(key));
            }
            (stop, _) => return Some(stop),
        }
        self.in_vain = 0;
        None
    }

    /// Presses a key or a button for a while.
    fn hold(&mut self, machine: &mut Machine, what: HeldInput) {
        match what {
            HeldInput::Key(key) => machine.key_down(key),
            HeldInput::Button(button) => machine.set_mouse_button(button, true),
        }
        let (until, stroke) = (later(machine, PORT_KEY_MS), Stroke::new(machine));
        self.held = Some(Hold { what, stroke, until });
    }
}

fn later(machine: &Machine, ms: u64) -> u64 {
    let end = machine.nanoseconds().saturating_add(ms.saturating_mul(1_000_000));
    machine.hardware.clock.cycle_at_nanoseconds(end)
}

fn look(machine: &Machine, step: &Step, host: &mut impl ScriptHost) -> Result<(), Played> {
    let screen = || machine.text().map(|text| text.to_string());
    let failed = |kind| Err(Played::Failed(ScriptFailure { line: step.line, kind }));
    let written = match &step.action {
        Action::Expect(wanted) => {
            return match screen() {
                Some(text) if text.contains(wanted.as_str()) => Ok(()),
                screen @ Some(_) => failed(ScriptFailureKind::Missing { wanted: wanted.clone(), screen }),
                None => failed(ScriptFailureKind::Graphics { wanted: wanted.clone() }),
            };
        }
        Action::Shot(file) => host.shot(file, &machine.frame()),
        Action::Text(file) => match screen() {
            Some(text) => host.text(file, &text),
            None => return failed(ScriptFailureKind::NoText),
        },
        _ => Ok(()),
    };
    written.map_err(|why| Played::Unwritten(step.line, why))
}

impl Machine {
    /// Whether the program reads only the shift keys through INT 16h, repeatedly.
    fn program_polls_shift_keys(&self) -> bool {
        self.keys.flags_polled(&self.hardware)
    }

    /// Returns how often the program has read the state of keys and buttons: port 60h outside of
    /// the BIOS, the shift keys through INT 16h, the mouse.
    pub(crate) fn key_reads(&self) -> u64 {
        self.keys.key_reads(&self.hardware)
    }

    /// Whether the program reads keys from the ports: IRQ 1 is hooked or masked, port 60h is read
    /// outside of the BIOS, or interrupts are disabled and it is about to read the keyboard
    /// controller's status.
    pub fn program_reads_keyboard(&self) -> bool {
        !firmware::unhooked(&self.hardware, 0x09)
            || !self.hardware.pic.enabled(IRQ_KEYBOARD)
            || self.keys.ports_read(&self.hardware)
            || self.asks_controller()
    }

    /// `again: in al, 64h / test al, 1 / jz again / in al, 60h` reads no key before there is one.
    fn asks_controller(&self) -> bool {
        const NEAR: usize = 4;
        let regs = &self.cpu.regs;
        if regs.flag(Flags::IF) {
            return false;
        }
        let code: [u8; 15 * NEAR] =
            self.hardware.memory.array(linear(regs.cs(), regs.ip as u16)).unwrap_or([0; 15 * NEAR]);
        let next = Decoder::with_ip(16, &code, 0, DecoderOptions::NONE).into_iter().take(NEAR);
        let asks = |instruction: Instruction| {
            instruction.mnemonic() == Mnemonic::In && matches!(instruction.immediate8(), 0x60 | 0x64)
        };
        next.into_iter().any(asks)
    }
}
