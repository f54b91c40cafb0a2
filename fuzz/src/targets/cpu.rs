//! Random programs on the bare processor: cached, uncached, translated and interrupted by a
//! snapshot they must have the same results.
//!
//! Input: model, registers' seed, number of slices, their lengths, then the program at 1000:0100.

use oxbox::cpu::flat::Flat;
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of instructions that both processors have executed; printed at intervals.
static STEPS: AtomicU64 = AtomicU64::new(0);
const TOLD_EVERY: u64 = 10_000_000;

/// The program's segment, and the part cleared between programs: most do not access more.
const SEGMENT: u32 = 0x1_0000;

struct Machine {
    cpu: Cpu,
    bus: Flat,
    blocks: Blocks<Flat>,
    way: Way,
}

/// The way in which a machine executes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Cached,
    Uncached,
    /// Its writes are not recorded; they equal those of the others.
    Translated,
}

impl Machine {
    fn new(way: Way) -> Self {
        let mut bus = Flat::new();
        bus.port = |port, now| u32::from(port) ^ now as u32;
        for vector in 0..=0xFFu32 {
            bus.write16(vector * 4, (vector * 16) as u16);
            bus.write16(vector * 4 + 2, 0x1800);
            bus.write8(0x1_8000 + vector * 16, 0xCF);
        }
        Machine { cpu: Cpu::new(Model::I386), bus, blocks: Blocks::new(), way }
    }

    /// Resets the machine, except for memory and decoded blocks.
    fn start(&mut self, model: Model, seed: u8, code: &[u8]) {
        self.bus.accesses.clear();
        self.bus.writes = (self.way != Way::Translated).then(Vec::new);
        self.bus.write_bytes(SEGMENT + 0x100, code);
        self.blocks = self.fresh_blocks();
        let mut cpu = Cpu::new(model);
        if seed & 1 != 0 {
            cpu.install_coprocessor();
        }
        for (i, register) in cpu.regs.gpr.iter_mut().enumerate() {
            *register = u32::from(seed).wrapping_mul(0x9E37_79B1).rotate_left(i as u32 * 5);
        }
        // Most programs should access their own segment.
        cpu.regs.seg = [0x1000; 6];
        cpu.regs.set_bx(0x100 + u16::from(seed));
        cpu.regs.set_sp(0x0F00);
        cpu.regs.ip = 0x100;
        self.cpu = cpu;
    }

    /// Returns blocks with nothing decoded.
    fn fresh_blocks(&self) -> Blocks<Flat> {
        match self.way {
            Way::Cached => Blocks::new(),
            Way::Uncached => Blocks::uncached(),
            Way::Translated => {
                let mut blocks = Blocks::new();
                blocks.translate_after(Some(1));
                blocks
            }
        }
    }

    fn state(&self) -> (Vec<u8>, usize) {
        (postcard::to_stdvec(&self.cpu).unwrap_or_default(), self.bus.accesses.len())
    }

    /// Undoes the writes since the start.
    fn clean(&mut self, written: &[u32], fresh: &[u8]) {
        self.bus.writes = None;
        for &address in written {
            if let Some(&byte) = fresh.get(address as usize) {
                self.bus.write8(address, byte);
            }
        }
    }
}

thread_local! {
    /// The processors, and the initial memory: creating them again takes longer than most programs.
    static MACHINES: RefCell<([Machine; 3], Vec<u8>)> = RefCell::new({
        let machines = [Way::Uncached, Way::Cached, Way::Translated].map(Machine::new);
        let fresh = machines[0].bus.bytes().to_vec();
        (machines, fresh)
    });
}

pub(crate) fn run(input: &[u8]) {
    let [model, seed, slices, rest @ ..] = input else { return };
    let slices = usize::from(slices % 24);
    let Some((lengths, code)) = rest.split_at_checked(slices) else { return };
    let model = [Model::I8086, Model::I186, Model::I286, Model::I386][usize::from(model & 3)];
    let code = &code[..code.len().min(0x1000)];
    MACHINES.with_borrow_mut(|(machines, fresh)| {
        machines.iter_mut().for_each(|machine| machine.start(model, *seed, code));
        compare(machines, lengths);
        let written = machines[0].bus.writes.take().unwrap_or_default();
        machines.iter_mut().for_each(|machine| machine.clean(&written, fresh));
        let steps = machines[0].cpu.retired;
        let before = STEPS.fetch_add(steps, Ordering::Relaxed);
        if (before + steps) / TOLD_EVERY > before / TOLD_EVERY {
            eprintln!("cpu: {} million steps alike", (before + steps) / 1_000_000);
        }
    });
}

fn compare(machines: &mut [Machine; 3], lengths: &[u8]) {
    for (number, length) in lengths.iter().enumerate() {
        let deadline = machines[0].cpu.cycles + 1 + u64::from(length & 0x7F) * 64;
        let [exit, others @ ..] =
            machines.each_mut().map(|Machine { cpu, bus, blocks, .. }| cpu.run(blocks, bus, deadline));
        assert_eq!([exit; 2], others);
        let [stepped, others @ ..] = machines.each_ref().map(Machine::state);
        for other in others {
            assert_eq!(other, stepped, "after slice {number}");
        }
        if matches!(exit, Exit::Shutdown | Exit::ProtectedMode) {
            break;
        }
        let wanted = length & 0x80 != 0;
        for machine in machines.iter_mut() {
            if wanted && machine.cpu.interruptible() {
                machine.cpu.interrupt(&mut machine.bus, 8);
                machine.cpu.intr = false;
            } else {
                machine.cpu.intr = wanted;
            }
        }
        if number == lengths.len() / 2 {
            // A snapshot: through bytes, with nothing decoded.
            let cached = &mut machines[1];
            let bytes = postcard::to_stdvec(&cached.cpu).expect("a snapshot");
            cached.cpu = postcard::from_bytes(&bytes).expect("the same snapshot");
            cached.blocks = cached.fresh_blocks();
        }
    }
    let [stepped, others @ ..] = machines;
    for other in others {
        assert_eq!(other.bus.accesses, stepped.bus.accesses);
        assert!(other.bus.bytes() == stepped.bus.bytes(), "memory differs");
    }
}
