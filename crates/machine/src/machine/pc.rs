//! The computer: processor, board, BIOS and DOS, and the loop that runs them.

use super::{
    boot,
    crash::{Crash, Fault, FaultKind},
    identity::key_class::KeyClass,
    identity::watch::Watch,
    key::Key,
    observer::{Observer, Outcome},
    record::{Input, Recorded},
    stop::{Polls, Stop, Until},
    vain::Vain,
    wait::{KeyWaitDetector, LookAhead, Places, is_work, quiet},
    work_budget::{self, WorkBudget},
};
use crate::bios::{Bios, keyboard};
use crate::dos::{Dos, DosOptions, FolderError, LoadError};
use crate::firmware::{self, EMS_RETURN_TRAP, Guest, PAUSE_TRAP, Resume, XMS_TRAP};
use crate::hardware::clock::DEFAULT_SPEED;
use crate::hardware::disk::{Disks, Image};
use crate::hardware::vga::Adapter;
use crate::hardware::{DEFAULT_START, DateTime, Hardware, IRQ_KEYBOARD};
use crate::notice::{Notice, NoticeKind};
use oxbox_cpu::{Blocks, Cpu, Exit, Flags, Model, Step, TRANSLATE_AFTER};

/// The configuration of a machine.
#[derive(Debug, Clone)]
pub struct Config {
    /// The processor.
    pub model: Model,
    /// Whether there is the coprocessor that belongs to the processor: 8087, 80287 or 80387.
    pub fpu: bool,
    /// The display adapter.
    pub adapter: Adapter,
    /// Conventional memory in KiB, 64 to 640. Neither BIOS nor DOS allocates memory beyond it.
    pub memory_kib: u16,
    /// Guest speed in cycles (instructions) per millisecond of virtual time, at least 1.
    pub speed: u32,
    /// Date and time of day at power-on, from which the virtual clock runs.
    pub start: DateTime,
    /// The images in the floppy drives, up to two.
    pub floppies: Vec<Image>,
    /// The hard disks of INT 13h, up to two.
    pub disks: Vec<Image>,
    /// The drive that is booted instead of DOS and a program, by the BIOS's number: 0 or 80h.
    pub boot: Option<u8>,
    /// The number of executions after which a block of code is translated to host code; `None`:
    /// never. It only affects the duration of a run.
    pub translate_after: Option<u32>,
    /// Whether each translated block is checked before it becomes executable. One that is refused is
    /// interpreted, with a notice.
    pub verify_translation: bool,
    /// Drive C: and the other options of DOS.
    pub dos: DosOptions,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            model: Model::I386,
            fpu: true,
            adapter: Adapter::Vga,
            memory_kib: 640,
            speed: DEFAULT_SPEED,
            start: DEFAULT_START,
            floppies: Vec::new(),
            disks: Vec::new(),
            boot: None,
            translate_after: Some(TRANSLATE_AFTER),
            verify_translation: false,
            dos: DosOptions::default(),
        }
    }
}

/// INT 10h function of a VESA BIOS. Here it returns AX unchanged: there is none.
const VESA: u8 = 0x4F;

fn outcome(how: Resume) -> Outcome {
    match how {
        Resume::Return => Outcome::Returns,
        Resume::Wait | Resume::Call(_) => Outcome::Waits,
        Resume::Jump => Outcome::Jumps,
    }
}

/// A PC with DOS.
#[derive(Debug)]
pub struct Machine {
    pub(crate) cpu: Cpu,
    /// Decoded blocks: derived, never part of a snapshot.
    pub(super) blocks: Blocks<Hardware>,
    pub(crate) hardware: Hardware,
    pub(super) bios: Bios,
    pub(super) dos: Dos,
    pub(super) halted: bool,
    pub(super) keys: KeyWaitDetector,
    /// The division error that ends the program, from when it is raised until the program ends.
    pub(super) divide_error: Option<Box<Crash>>,
    pub(super) notices: Vec<Notice>,
    /// Vectors for which a notice has been given.
    pub(super) missing: [bool; 256],
    /// Whether a notice about an instruction of a later processor has been given.
    pub(super) missed_instruction: bool,
    /// Whether a notice about the missing coprocessor has been given.
    pub(super) missed_coprocessor: bool,
    /// Whether a notice about the missing CGA has been given.
    pub(super) missed_cga: bool,
    /// The cycle at which a hardware interrupt was last taken.
    pub(super) interrupted_at: Option<u64>,
    pub(super) record: Option<Vec<Recorded>>,
    /// Whether the current run is a run ahead, which is discarded.
    pub(super) look_ahead: LookAhead,
    /// Polls as choice points.
    pub(super) places: Places,
    pub(super) watch: Watch,
    /// The keys that may have the same effect as the one that was typed, if they are followed.
    pub(super) key_class: Option<Box<KeyClass>>,
    /// Requests for input after its end.
    pub(super) vain: Vain,
    pub(super) work_budget: WorkBudget,
}

impl Machine {
    /// Switches a machine on: ROM, BIOS and DOS are ready for [`Machine::load`]. With
    /// [`Config::boot`] DOS is absent, and the first sector of the disk is about to run.
    ///
    /// # Errors
    /// Fails if the folder for drive C: cannot be read.
    pub fn new(config: &Config) -> Result<Self, FolderError> {
        let mut hardware = Hardware::new(config.speed.max(1));
        hardware.rtc.set_date_time(config.start, 0);
        hardware.set_address_lines(config.model.address_lines());
        hardware.vga.fit(config.adapter);
        firmware::install(&mut hardware);
        let mut bios = Bios::default();
        bios.init(&mut hardware);
        bios.set_memory_size(&mut hardware, config.memory_kib.clamp(64, 640));
        let mut cpu = Cpu::new(config.model);
        if config.fpu {
            cpu.install_coprocessor();
            bios.add_coprocessor(&mut hardware);
        }
        hardware.disks = Disks::new(&config.floppies, &config.disks);
        bios.add_drives(&mut hardware);
        let mut dos = Dos::new(&config.dos, config.start)?;
        match config.boot {
            Some(drive) => boot::start_sector(&mut cpu, &mut hardware, drive),
            None => {
                dos.init(&mut hardware, &config.dos.environment);
                // Processors below the 80286 have no memory beyond the first megabyte.
                let extended = !config.dos.no_xms && config.model.address_lines() > 20;
                dos.add_memory(&mut hardware, extended, !config.dos.no_ems);
            }
        }
        let mut blocks = Blocks::default();
        blocks.translate_after(config.translate_after);
        blocks.verify_translations(config.verify_translation);
        Ok(Machine {
            cpu,
            blocks,
            hardware,
            bios,
            dos,
            halted: false,
            keys: KeyWaitDetector::default(),
            divide_error: None,
            notices: Vec::new(),
            missing: [false; 256],
            missed_instruction: false,
            missed_coprocessor: false,
            missed_cga: false,
            interrupted_at: None,
            record: None,
            look_ahead: LookAhead::No,
            places: Places::default(),
            watch: Watch::default(),
            key_class: None,
            vain: Vain::default(),
            work_budget: WorkBudget::UNBOUNDED,
        })
    }

    /// Loads a program like COMMAND.COM. `name` is its path on drive C: (`GAME.EXE`), `arguments`
    /// the rest of the command line.
    ///
    /// # Errors
    /// Fails if the file is invalid, or does not fit into memory.
    pub fn load(&mut self, program: &[u8], name: &str, arguments: &str) -> Result<(), LoadError> {
        self.dos.load_program(&mut self.cpu, &mut self.hardware, program, name, arguments)
    }

    /// Runs until a reason to stop. After `Exited`, `Crashed` and `Dead` it cannot continue.
    pub fn run(&mut self, until: &Until, observer: &mut impl Observer) -> Stop {
        loop {
            if let Some(stop) = self.turn(until, observer) {
                return stop;
            }
        }
    }

    /// One iteration: updates the chips, takes an interrupt, runs to the next event.
    fn turn(&mut self, until: &Until, observer: &mut impl Observer) -> Option<Stop> {
        let now = self.cpu.cycles;
        self.watch.after_run(&mut self.cpu, &mut self.hardware);
        self.hardware.advance(now);
        if self.hardware.take_coprocessor_reset_request() {
            self.cpu.reset_coprocessor();
        }
        self.bios.advance(&mut self.hardware, now);
        if let Some(code) = self.dos.exit_code() {
            return Some(self.divide_error.clone().map_or(Stop::Exited(code), Stop::Crashed));
        }
        if self.hardware.take_reset_request() {
            return Some(self.dead(FaultKind::Reset));
        }
        if now >= until.cycle {
            return Some(Stop::Cycle);
        }
        if self.cpu.retired >= until.instructions || now >= self.work_budget.end() {
            return Some(Stop::Instructions);
        }
        self.take_interrupt(observer);
        if self.halted {
            return self.sleep(until);
        }
        let mut deadline = self.deadline(until);
        loop {
            match self.execute(deadline, until, observer) {
                Exit::Deadline | Exit::InterruptWindow => return None,
                Exit::Halt => {
                    self.halted = true;
                    return None;
                }
                Exit::Trap(vector) => {
                    if let Some(stop) = self.trap(vector, until, observer) {
                        self.hardware.advance(self.cpu.cycles);
                        return Some(stop);
                    }
                    deadline = self.deadline(until);
                    if self.needs_full_turn(deadline) {
                        return None;
                    }
                }
                Exit::Breakpoint => return Some(Stop::Breakpoint),
                Exit::ProtectedMode => {
                    let who = self.dos.program_name(&mut self.hardware);
                    return Some(self.dead(FaultKind::ProtectedMode(who)));
                }
                Exit::Shutdown => {
                    let registers = self.cpu.regs.clone();
                    return Some(Stop::Crashed(Box::new(Crash { exception: 0x08, registers })));
                }
            }
        }
    }

    /// Takes a hardware interrupt that is due.
    pub(super) fn take_interrupt(&mut self, observer: &mut impl Observer) {
        if self.hardware.intr() && self.cpu.interruptible() {
            let vector = self.hardware.acknowledge();
            self.halted = false;
            if let Some(class) = &mut self.key_class {
                class.interrupted();
            }
            observer.interrupt(vector, &self.cpu, &self.hardware);
            self.cpu.interrupt(&mut self.hardware, vector);
            self.interrupted_at = Some(self.cpu.cycles);
        }
        self.cpu.intr = self.hardware.intr();
    }

    /// Whether a complete iteration could change anything before the next instruction. False after
    /// most services.
    fn needs_full_turn(&self, deadline: u64) -> bool {
        self.cpu.cycles >= deadline || self.cpu.intr != self.hardware.intr() || self.dos.exit_code().is_some()
    }

    /// Returns the cycle at which the processor must return at the latest.
    fn deadline(&self, until: &Until) -> u64 {
        let events = self.hardware.next_event().min(self.bios.next_event());
        // An instruction takes at least a cycle, so this many cycles cannot exceed the limit of
        // instructions.
        let instructions = self.cpu.cycles.saturating_add(until.instructions - self.cpu.retired);
        until.cycle.min(events).min(instructions).min(self.work_budget.end())
    }

    fn execute<O: Observer>(&mut self, deadline: u64, until: &Until, observer: &mut O) -> Exit {
        if self.looks_closely() {
            return self.execute_watched(deadline, !O::EVERY_SERVICE);
        }
        if O::EVERY_INSTRUCTION {
            observer.instruction(&self.cpu, &self.hardware);
            if observer.wants_stop() {
                return Exit::Breakpoint;
            }
            return self.step_processor(deadline).exit.unwrap_or(Exit::Deadline);
        }
        if O::STOPS {
            return self.run_processor_to_stops(deadline);
        }
        if O::EVERY_SERVICE {
            self.run_processor(deadline)
        } else {
            self.run_processor_serving(deadline, until)
        }
    }

    // The following functions do not depend on the observer: the processor is compiled once, not in
    // each crate that has an observer.

    #[inline(never)]
    pub(super) fn step_processor(&mut self, deadline: u64) -> Step {
        self.cpu.step(&mut self.blocks, &mut self.hardware, deadline)
    }

    #[inline(never)]
    fn run_processor(&mut self, deadline: u64) -> Exit {
        self.hardware.run(&mut self.cpu, &mut self.blocks, deadline)
    }

    #[inline(never)]
    fn run_processor_to_stops(&mut self, deadline: u64) -> Exit {
        self.cpu.run_to_stops(&mut self.blocks, &mut self.hardware, deadline)
    }

    /// HLT: nothing changes until the next event, so the time advances to it.
    fn sleep(&mut self, until: &Until) -> Option<Stop> {
        if self.cpu.cycles >= self.bios.wake() {
            self.halted = false; // the timed wait of INT 15h is over: its stub checks again
            return None;
        }
        if self.dos.fed_input_has_come() {
            self.halted = false; // the stub checks again
            return None;
        }
        if let Some(stop) = self.keys.stop(until.key_wait, &self.hardware) {
            return Some(stop);
        }
        let event = self.hardware.next_event().min(self.bios.next_event()).min(self.bios.wake());
        let keys_come = self.hardware.pic.enabled(IRQ_KEYBOARD);
        if !self.cpu.regs.flag(Flags::IF) || event == u64::MAX && !keys_come {
            return Some(self.dead(FaultKind::Halt));
        }
        if event == u64::MAX && (until.key_wait || until.cycle == u64::MAX) {
            return Some(Stop::KeyWait); // only a key can end this HLT
        }
        let end = event.min(until.cycle).max(self.cpu.cycles);
        self.work_budget.sleep(end - self.cpu.cycles);
        self.work_budget.spend(work_budget::WAKEUP_COST);
        self.cpu.cycles = end;
        None
    }

    fn trap(&mut self, vector: u8, until: &Until, observer: &mut impl Observer) -> Option<Stop> {
        observer.service(vector, &self.cpu, &self.hardware);
        self.hardware.pass(self.cpu.cycles);
        if self.look_ahead != LookAhead::No && is_work(vector, &self.cpu, &mut self.hardware, &self.dos) {
            return Some(Stop::Cycle);
        }
        self.watch.service(vector, &self.cpu);
        if let Some(class) = &mut self.key_class {
            class.service(vector, &self.cpu, &self.hardware);
        }
        self.work_budget.spend(work_budget::cost(vector, &self.cpu.regs));
        let has_key = self.places.follow_a_key() && keyboard::peek(&self.hardware).is_some();
        let polled = self.keys.poll(vector, &self.cpu, &self.hardware);
        self.note_divide_error(vector);
        let how = match vector {
            PAUSE_TRAP if keyboard::paused(&self.hardware) => Resume::Wait,
            PAUSE_TRAP => Resume::Return,
            0x19 => return Some(self.dead(FaultKind::Reboot)),
            0x06 | 0x0C | 0x0D => return Some(Stop::Crashed(Box::new(self.crash(vector)))),
            0x07 if self.lacks_coprocessor() => return Some(Stop::Crashed(Box::new(self.crash(vector)))),
            0x00 if !self.dos.is_there() => return Some(Stop::Crashed(Box::new(self.crash(vector)))),
            0x1B if !self.dos.is_there() => Resume::Return,
            // Vectors whose stubs belong to DOS: 00h is its divide error handler, 1Bh its
            // Ctrl-Break.
            0x00 | 0x1B | 0x20..=0x30 | XMS_TRAP if self.dos.is_there() => {
                self.dos.service(vector, &mut Guest::new(&mut self.cpu, &mut self.hardware))
            }
            0x67 | EMS_RETURN_TRAP if self.dos.has_expanded_memory() => {
                self.dos.service(vector, &mut Guest::new(&mut self.cpu, &mut self.hardware))
            }
            0x10 if self.cpu.regs.ah() == VESA => self.unhandled_interrupt(vector),
            _ => match self.bios.service(vector, &mut Guest::new(&mut self.cpu, &mut self.hardware)) {
                Some(how) => how,
                None => self.unhandled_interrupt(vector),
            },
        };
        self.keys.served(vector, how, &self.dos);
        self.follow_vain_requests(polled.is_some());
        observer.served(vector, outcome(how), &self.cpu, &self.hardware);
        firmware::resume(&mut Guest::new(&mut self.cpu, &mut self.hardware), how);
        if has_key && until.key_wait && self.look_ahead == LookAhead::No && quiet(&self.hardware) {
            return self.is_place_for_choice().then_some(Stop::KeyWait);
        }
        let poll = polled?;
        match self.look_ahead {
            LookAhead::ToPolls => return Some(Stop::KeyWait),
            LookAhead::No if until.key_wait => {}
            LookAhead::No | LookAhead::PastPolls => return None,
        }
        if poll.counts(until.polls) && quiet(&self.hardware) {
            return Some(Stop::KeyWait);
        }
        let may_choose = until.polls == Polls::Choices && !self.hardware.keyboard.sends_key();
        if may_choose && self.is_place_for_choice() {
            return Some(Stop::KeyWait);
        }
        let stop = self.keys.polled_long_enough(&self.hardware)?;
        self.note(|| Input::ForgetPolls);
        self.waits_for_key(until.polls).then_some(stop)
    }

    /// A vector without a handler: gives a notice once, and the guest continues.
    fn unhandled_interrupt(&mut self, vector: u8) -> Resume {
        let (segment, offset) = firmware::caller(&self.cpu, &self.hardware);
        let ax = self.cpu.regs.ax();
        if !std::mem::replace(&mut self.missing[usize::from(vector)], true) {
            let kind =
                if vector == 0x10 { NoticeKind::Vesa(ax) } else { NoticeKind::Interrupt { vector, ax } };
            self.notices.push(Notice { kind, at: Some((segment, offset)) });
        }
        Resume::Return
    }

    fn dead(&self, kind: FaultKind) -> Stop {
        Stop::Dead(Fault { kind, at: Some(self.position()) })
    }

    /// Returns the notices since the last call: features that the program used and this machine
    /// lacks, each once in the machine's lifetime.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut self.notices);
        let missed = self
            .cpu
            .take_missed_coprocessor()
            .filter(|_| !std::mem::replace(&mut self.missed_coprocessor, true));
        notices.extend(missed.map(|at| Notice { kind: NoticeKind::Coprocessor, at: Some(at) }));
        let missed = self
            .cpu
            .take_missed_instruction()
            .filter(|_| !std::mem::replace(&mut self.missed_instruction, true));
        notices.extend(missed.map(|(name, since, at)| {
            let kind = NoticeKind::Instruction { name, since };
            Notice { kind, at: Some(at) }
        }));
        if self.hardware.wants_cga() && !std::mem::replace(&mut self.missed_cga, true) {
            notices.push(Notice { kind: NoticeKind::ColorAdapter, at: None });
        }
        notices.extend(self.blocks.take_translation_mistakes().into_iter().map(Notice::from));
        notices.extend(self.hardware.take_absent());
        notices.extend(self.dos.take_notices());
        notices
    }

    /// Changes the speed, in cycles per millisecond.
    pub fn set_speed(&mut self, speed: u32) {
        self.note(|| Input::Speed(speed));
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.hardware.set_speed(speed.max(1));
    }

    /// Presses a key: sends its scan codes to the keyboard controller, one byte per millisecond.
    pub fn key_down(&mut self, key: Key) {
        self.note(|| Input::KeyDown(key));
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.hardware.send_scan_codes(&key.make_codes());
    }

    /// Releases a key.
    pub fn key_up(&mut self, key: Key) {
        self.note(|| Input::KeyUp(key));
        let now = self.cpu.cycles;
        self.hardware.advance(now);
        self.hardware.send_scan_codes(&key.break_codes());
    }

    /// Presses and releases a key.
    pub fn type_key(&mut self, key: Key) {
        self.key_down(key);
        self.key_up(key);
    }
}
