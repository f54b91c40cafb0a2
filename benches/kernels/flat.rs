//! The smallest machine that runs the kernels: memory, and a trap for INT 21h whose console keeps nothing.

use oxbox::cpu::{Blocks, Bus, Cpu, Exit, Model, Width};
use oxbox::hardware::Memory;

/// Flat memory, no ports.
pub(crate) struct Flat(Memory);

impl Bus for Flat {
    #[inline(always)]
    fn read8(&mut self, address: u32) -> u8 {
        self.0.read8(address)
    }
    #[inline(always)]
    fn read16(&mut self, address: u32) -> u16 {
        self.0.read16(address)
    }
    #[inline(always)]
    fn read32(&mut self, address: u32) -> u32 {
        self.0.read32(address)
    }
    #[inline(always)]
    fn write8(&mut self, address: u32, value: u8) {
        self.0.write8(address, value);
    }
    #[inline(always)]
    fn write16(&mut self, address: u32, value: u16) {
        self.0.write16(address, value);
    }
    #[inline(always)]
    fn write32(&mut self, address: u32, value: u32) {
        self.0.write32(address, value);
    }
    #[inline(always)]
    fn quick_read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        self.0.array(address)
    }
    #[inline(always)]
    fn quick_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        self.0.write_plain(address, bytes)
    }
    fn input(&mut self, _: u16, _: Width, _: u64) -> u32 {
        u32::MAX
    }
    fn output(&mut self, _: u16, _: Width, _: u32, _: u64) {}
    fn is_trap(&self, address: u32) -> bool {
        address >= 0xF_0000
    }
    fn watch_code(&mut self, address: u32, len: u32) {
        self.0.watch_code(address, len);
    }
    #[inline(always)]
    fn code_written(&self) -> bool {
        self.0.code_written()
    }
    fn take_code_writes(&mut self, drop_range: impl FnMut(u32, u32)) {
        self.0.take_code_writes(drop_range);
    }
    fn ram(&self, address: u32, len: usize) -> Option<&[u8]> {
        self.0.slice(address, len)
    }
    fn ram_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        self.0.slice_mut(address, len)
    }
}

/// What a run leaves.
pub(crate) struct Ended {
    /// Instructions executed.
    pub(crate) retired: u64,
}

fn program(name: &str) -> &'static [u8] {
    match name {
        "busy386" => include_bytes!("a_busy386.com"),
        "busy86" => include_bytes!("a_busy86.com"),
        "sieve" => include_bytes!("b_sieve.com"),
        "movs" => include_bytes!("c_movs.com"),
        "stos" => include_bytes!("c_stos.com"),
        "scas" => include_bytes!("c_scas.com"),
        "fib" => include_bytes!("d_fib.com"),
        "crc" => include_bytes!("e_crc.com"),
        "text" => include_bytes!("f_text.com"),
        "conout" => include_bytes!("g_conout.com"),
        "smc" => include_bytes!("h_smc.com"),
        _ => include_bytes!("empty.com"),
    }
}

/// mov ax, 4C00h; int 21h
pub(crate) const EXIT: [u8; 5] = [0xB8, 0x00, 0x4C, 0xCD, 0x21];

/// Runs a kernel to its end.
pub(crate) fn run(name: &str) -> Ended {
    execute(program(name))
}

/// Runs a COM program to its end.
pub(crate) fn execute(program: &[u8]) -> Ended {
    const SEGMENT: u16 = 0x1000;
    const TRAP_AND_IRET: [u8; 4] = [0x0F, 0xFF, 0x21, 0xCF];
    let mut bus = Flat(Memory::new());
    bus.0.write_bytes(0x21 * 4, &[0, 0, 0, 0xF0]);
    bus.0.write_bytes(0xF_0000, &TRAP_AND_IRET);
    bus.0.write_bytes(u32::from(SEGMENT) * 16 + 0x100, program);
    let mut cpu = Cpu::new(Model::I386);
    for set in [oxbox::cpu::Registers::set_cs, oxbox::cpu::Registers::set_ds, oxbox::cpu::Registers::set_es] {
        set(&mut cpu.regs, SEGMENT);
    }
    cpu.regs.set_ss(SEGMENT);
    cpu.regs.set_sp(0xFFFE);
    cpu.regs.ip = 0x100;
    let mut blocks = Blocks::new();
    // A machine with a 60 Hz event at 100 million instructions a second.
    loop {
        let deadline = cpu.cycles + 1_600_000;
        match cpu.run(&mut blocks, &mut bus, deadline) {
            Exit::Deadline => {}
            Exit::Trap(_) if cpu.regs.ah() == 2 => {}
            _ => return Ended { retired: cpu.retired },
        }
    }
}
