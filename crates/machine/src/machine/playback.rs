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

/// How long a key is held down, and up, for a program that looks at the keys itself, in milliseconds.
const PORT_KEY_MS: u64 = Stroke::MS;

/// A program that goes round in a circle is looked for once a second.
const LOOKS_A_SECOND: u32 = (1000 / PORT_KEY_MS) as u32;

/// What a script wants of its host.
pub trait ScriptHost {
    /// Writes a picture.
    ///
    /// # Errors
    /// Why that failed, as a line.
    fn shot(&mut self, file: &str, frame: &Frame) -> Result<(), String>;

    /// Writes a text screen.
    ///
    /// # Errors
    /// Why that failed, as a line.
    fn text(&mut self, file: &str, text: &str) -> Result<(), String>;

    /// The program waits for a key, and gets one now.
    fn typing(&mut self, machine: &Machine) {
        let _ = machine;
    }
}

/// A host without files: a picture or a text fails.
impl ScriptHost for () {
    fn shot(&mut self, file: &str, _: &Frame) -> Result<(), String> {
        Err(format!("there is no place for {file}"))
    }

    fn text(&mut self, file: &str, _: &str) -> Result<(), String> {
        Err(format!("there is no place for {file}"))
    }
}

/// How far a script came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Played {
    /// The machine stopped; `Stop::KeyWait` only when no key is left.
    Stopped(Stop),
    /// A step found something else than it asks for.
    Failed(ScriptFailure),
    /// The host could not write a file: line of the script and why.
    Unwritten(usize, String),
}

/// A key or a button that is held for a while: longer where the program has not looked by then.
#[derive(Debug, Clone, Copy)]
pub struct Stroke {
    /// How often the program had looked when it went down.
    looks: u64,
    /// How often it may be held on.
    more: u32,
}

impl Stroke {
    /// How long it is held, in milliseconds, before [`Stroke::is_held`] is asked.
    pub const MS: u64 = 50;

    /// How often it is held for that time, at most: less than until a key repeats.
    const MOST: u32 = 9;

    /// A key or a button has just gone down.
    pub fn new(machine: &Machine) -> Stroke {
        // A handler of IRQ 1 sees each code as it comes.
        let more = if firmware::unhooked(&machine.hardware, 0x09) { Stroke::MOST - 1 } else { 0 };
        Stroke { looks: machine.looks_at_keys(), more }
    }

    /// Whether it is held for the same time once more.
    pub fn is_held(&mut self, machine: &Machine) -> bool {
        let is_held = self.more > 0 && machine.looks_at_keys() == self.looks;
        self.more = self.more.saturating_sub(1);
        is_held
    }
}

/// What a script holds down for a while.
#[derive(Debug, Clone, Copy)]
struct Hold {
    what: Held,
    stroke: Stroke,
    /// When it is to go up, in cycles.
    until: u64,
}

#[derive(Debug, Clone, Copy)]
enum Held {
    Key(Key),
    Button(MouseButton),
}

/// A script and how far it has come.
#[derive(Debug, Clone)]
pub struct Playback {
    steps: VecDeque<Step>,
    /// The end (in cycles) of the wait under way.
    waiting_until: Option<u64>,
    /// What is held: a key for a program that looks at the keys itself, or a button.
    held: Option<Hold>,
    /// Until when (in cycles) the next key waits to be asked for before other ways to see it are looked for. Several runs may
    /// pass until then.
    patience: Option<u64>,
    /// How often patience has been over for the same key.
    in_vain: u32,
    /// The last step was a wait: the next look at the screen is at this instant.
    timed: bool,
}

impl Playback {
    /// From the script's start.
    pub fn new(script: Script) -> Playback {
        Playback {
            steps: script.steps.into(),
            waiting_until: None,
            held: None,
            patience: None,
            in_vain: 0,
            timed: false,
        }
    }

    /// Whether all steps have been played and nothing is held.
    pub fn is_over(&self) -> bool {
        self.steps.is_empty() && self.held.is_none() && self.waiting_until.is_none()
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
                return Played::Stopped(machine.run(until, observer));
            };
            if stop != Stop::Cycle || machine.now() >= until.cycle {
                return Played::Stopped(stop);
            }
        }
    }

    /// The end of a wait that is not over yet. What is over is settled: a held key goes up.
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
                Held::Key(key) => machine.key_up(key),
                Held::Button(button) => machine.set_mouse_button(button, false),
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

    /// Plays the first step. `Ok(None)`: done, go on; `Ok(Some(stop))`: the machine stopped before its time.
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
                self.hold(machine, Held::Button(*button));
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

    /// Runs until the program asks for the mouse or waits, or, if it has a handler for the mouse and so never asks, for a while. The
    /// answer is another stop.
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

    /// Runs until the program waits for a key, or patience is over: what stopped it, and whether that is so.
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

    /// True when the program has its own ways to see a key: the ports, or the flags of the shift keys, by INT 16h or in the data area.
    fn is_looked_for(&mut self, machine: &mut Machine) -> bool {
        self.in_vain += 1;
        machine.program_reads_keyboard()
            || machine.program_polls_shift_keys()
            || self.in_vain.is_multiple_of(LOOKS_A_SECOND) && machine.spins()
    }

    /// Types a key when the program reads or polls for one and finds none, or presses it for a while when the program looks for it by
    /// other means.
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
                    self.hold(machine, Held::Key(key));
                } else {
                    machine.type_key(key);
                }
            }
            (Stop::Cycle, true) if self.is_looked_for(machine) => {
                host.typing(machine);
                self.hold(machine, Held::Key(key));
            }
            (stop, _) => return Some(stop),
        }
        self.in_vain = 0;
        None
    }

    /// A key or a button goes down for a while.
    fn hold(&mut self, machine: &mut Machine, what: Held) {
        match what {
            Held::Key(key) => machine.key_down(key),
            Held::Button(button) => machine.set_mouse_button(button, true),
        }
        let (until, stroke) = (later(machine, PORT_KEY_MS), Stroke::new(machine));
        self.held = Some(Hold { what, stroke, until });
    }
}

fn later(machine: &Machine, ms: u64) -> u64 {
    let end = machine.nanoseconds().saturating_add(ms.saturating_mul(1_000_000));
    machine.hardware.clock.cycle_at_nanoseconds(end)
}

/// `expect`, `shot` and `text`.
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
    /// True when the program asks INT 16h for the shift keys over and over, and for no others.
    fn program_polls_shift_keys(&self) -> bool {
        self.keys.flags_polled(&self.hardware)
    }

    /// How often the program has looked at the keys and buttons themselves: at port 60h besides the BIOS, at the shift keys by INT 16h,
    /// at the mouse.
    pub(crate) fn looks_at_keys(&self) -> u64 {
        self.keys.looks(&self.hardware)
    }

    /// True when the program takes keys from the ports itself: IRQ 1 is hooked or masked, port 60h is read besides the BIOS, or
    /// interrupts are off and it is about to ask the keyboard controller.
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
