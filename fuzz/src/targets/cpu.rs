//! Random programs on the bare processor: cached, uncached and interrupted by a snapshot they do the same.
//!
//! Input: model, registers' seed, number of slices, their lengths, then the program at 1000:0100.

use oxbox::cpu::flat::Flat;
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many instructions both processors have executed alike; told now and then.
static STEPS: AtomicU64 = AtomicU64::new(0);
const TOLD_EVERY: u64 = 10_000_000;

/// Where the program's segment lies, and what is cleared between two programs: all that they reach most of the time.
const SEGMENT: u32 = 0x1_0000;

struct Machine {
    cpu: Cpu,
    bus: Flat,
    blocks: Blocks<Flat>,
    is_cached: bool,
}

impl Machine {
    fn new(is_cached: bool) -> Self {
        let mut bus = Flat::new();
        bus.port = |port, now| u32::from(port) ^ now as u32;
        bus.writes = Some(Vec::new());
        for vector in 0..=0xFFu32 {
            bus.write16(vector * 4, (vector * 16) as u16);
            bus.write16(vector * 4 + 2, 0x1800);
            bus.write8(0x1_8000 + vector * 16, 0xCF);
        }
        Machine { cpu: Cpu::new(Model::I386), bus, blocks: Blocks::new(), is_cached }
    }

    /// As if new, but for memory and what has been decoded of it.
    fn start(&mut self, model: Model, seed: u8, code: &[u8]) {
        self.bus.accesses.clear();
        self.bus.writes = Some(Vec::new());
        self.bus.write_bytes(SEGMENT + 0x100, code);
        self.blocks = self.fresh_blocks();
        let mut cpu = Cpu::new(model);
        if seed & 1 != 0 {
            cpu.fit_coprocessor();
        }
        for (i, register) in cpu.regs.gpr.iter_mut().enumerate() {
            *register = u32::from(seed).wrapping_mul(0x9E37_79B1).rotate_left(i as u32 * 5);
        }
        // Most programs should work on themselves.
        cpu.regs.seg = [0x1000; 6];
        cpu.regs.set_bx(0x100 + u16::from(seed));
        cpu.regs.set_sp(0x0F00);
        cpu.regs.ip = 0x100;
        self.cpu = cpu;
    }

    /// With nothing decoded.
    fn fresh_blocks(&self) -> Blocks<Flat> {
        if self.is_cached { Blocks::new() } else { Blocks::uncached() }
    }

    fn state(&self) -> (Vec<u8>, usize) {
        (postcard::to_stdvec(&self.cpu).unwrap_or_default(), self.bus.accesses.len())
    }

    /// Takes back what was written since the start.
    fn clean(&mut self, fresh: &[u8]) {
        for address in self.bus.writes.take().unwrap_or_default() {
            if let Some(&byte) = fresh.get(address as usize) {
                self.bus.write8(address, byte);
            }
        }
    }
}

thread_local! {
    /// The two processors, and memory as it is at the start: to make them anew takes longer than most programs.
    static PAIR: RefCell<(Machine, Machine, Vec<u8>)> = RefCell::new({
        let (cached, stepped) = (Machine::new(true), Machine::new(false));
        let fresh = cached.bus.bytes().to_vec();
        (cached, stepped, fresh)
    });
}

pub(crate) fn run(input: &[u8]) {
    let [model, seed, slices, rest @ ..] = input else { return };
    let slices = usize::from(slices % 24);
    let Some((lengths, code)) = rest.split_at_checked(slices) else { return };
    let model = [Model::I8086, Model::I186, Model::I286, Model::I386][usize::from(model & 3)];
    let code = &code[..code.len().min(0x1000)];
    PAIR.with_borrow_mut(|(cached, stepped, fresh)| {
        cached.start(model, *seed, code);
        stepped.start(model, *seed, code);
        compare(cached, stepped, lengths);
        cached.clean(fresh);
        stepped.clean(fresh);
        let steps = cached.cpu.retired;
        let before = STEPS.fetch_add(steps, Ordering::Relaxed);
        if (before + steps) / TOLD_EVERY > before / TOLD_EVERY {
            eprintln!("cpu: {} million steps alike", (before + steps) / 1_000_000);
        }
    });
}

fn compare(cached: &mut Machine, stepped: &mut Machine, lengths: &[u8]) {
    for (number, length) in lengths.iter().enumerate() {
        let deadline = cached.cpu.cycles + 1 + u64::from(length & 0x7F) * 64;
        let exit = cached.cpu.run(&mut cached.blocks, &mut cached.bus, deadline);
        let stepped_exit = stepped.cpu.run(&mut stepped.blocks, &mut stepped.bus, deadline);
        assert_eq!(exit, stepped_exit);
        assert_eq!(cached.state(), stepped.state(), "after slice {number}");
        if matches!(exit, Exit::Shutdown | Exit::ProtectedMode) {
            break;
        }
        let wanted = length & 0x80 != 0;
        for machine in [&mut *cached, &mut *stepped] {
            if wanted && machine.cpu.interruptible() {
                machine.cpu.interrupt(&mut machine.bus, 8);
                machine.cpu.intr = false;
            } else {
                machine.cpu.intr = wanted;
            }
        }
        if number == lengths.len() / 2 {
            // A snapshot: through bytes, with nothing decoded left.
            let bytes = postcard::to_stdvec(&cached.cpu).expect("a snapshot");
            cached.cpu = postcard::from_bytes(&bytes).expect("the same snapshot");
            cached.blocks = cached.fresh_blocks();
        }
    }
    assert_eq!(cached.bus.accesses, stepped.bus.accesses);
    assert!(cached.bus.bytes() == stepped.bus.bytes(), "memory differs");
}
