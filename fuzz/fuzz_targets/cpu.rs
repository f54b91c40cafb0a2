//! Random programs on the bare processor: cached, uncached and interrupted by a snapshot they do the same.
//!
//! Input: model, registers' seed, number of slices, their lengths, then the program at 1000:0100.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oxbox::cpu::flat::Flat;
use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model};

struct Machine {
    cpu: Cpu,
    bus: Flat,
    blocks: Blocks<Flat>,
}

impl Machine {
    fn new(model: Model, seed: u8, code: &[u8], blocks: Blocks<Flat>) -> Self {
        let mut bus = Flat::new();
        bus.port = |port, now| u32::from(port) ^ now as u32;
        for vector in 0..=0xFFu32 {
            bus.write16(vector * 4, (vector * 16) as u16);
            bus.write16(vector * 4 + 2, 0x1800);
            bus.write8(0x1_8000 + vector * 16, 0xCF);
        }
        bus.write_bytes(0x1_0100, code);
        let mut cpu = Cpu::new(model);
        for (i, register) in cpu.regs.gpr.iter_mut().enumerate() {
            *register = u32::from(seed).wrapping_mul(0x9E37_79B1).rotate_left(i as u32 * 5);
        }
        // Most programs should work on themselves.
        cpu.regs.seg = [0x1000; 6];
        cpu.regs.set_bx(0x100 + u16::from(seed));
        cpu.regs.set_sp(0x0F00);
        cpu.regs.ip = 0x100;
        Machine { cpu, bus, blocks }
    }

    fn state(&self) -> (Vec<u8>, usize) {
        (postcard::to_stdvec(&self.cpu).unwrap_or_default(), self.bus.accesses.len())
    }
}

fuzz_target!(|input: &[u8]| {
    let [model, seed, slices, rest @ ..] = input else { return };
    let slices = usize::from(slices % 24);
    let Some((lengths, code)) = rest.split_at_checked(slices) else { return };
    let model = [Model::I8086, Model::I186, Model::I286, Model::I386][usize::from(model & 3)];
    let code = &code[..code.len().min(0x1000)];
    let mut cached = Machine::new(model, *seed, code, Blocks::new());
    let mut stepped = Machine::new(model, *seed, code, Blocks::uncached());
    for (number, length) in lengths.iter().enumerate() {
        let deadline = cached.cpu.cycles + 1 + u64::from(length & 0x7F) * 4;
        let exit = cached.cpu.run(&mut cached.blocks, &mut cached.bus, deadline);
        let stepped_exit = stepped.cpu.run(&mut stepped.blocks, &mut stepped.bus, deadline);
        assert_eq!(exit, stepped_exit);
        assert_eq!(cached.state(), stepped.state(), "after slice {number}");
        if matches!(exit, Exit::Shutdown | Exit::ProtectedMode) {
            break;
        }
        let wanted = length & 0x80 != 0;
        for machine in [&mut cached, &mut stepped] {
            if wanted && machine.cpu.interruptible() {
                machine.cpu.interrupt(&mut machine.bus, 8);
                machine.cpu.intr = false;
            } else {
                machine.cpu.intr = wanted;
            }
        }
        if number == slices / 2 {
            // A snapshot: through bytes, with nothing decoded left.
            let bytes = postcard::to_stdvec(&cached.cpu).expect("a snapshot");
            cached.cpu = postcard::from_bytes(&bytes).expect("the same snapshot");
            cached.blocks.flush();
        }
    }
    assert_eq!(cached.bus.accesses, stepped.bus.accesses);
    assert!(cached.bus.bytes() == stepped.bus.bytes(), "memory differs");
});
