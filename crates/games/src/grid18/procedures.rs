//! Checks the four procedures of GRID18 by calling them with arguments in registers.
//!
//! The program's first bytes in memory are a directory: `GRID18`, two zero bytes, the offsets of
//! init_grid, set_field, get_field and eval_grid, and that of the grid in the data group.
//! Arguments: BX = x, DX = y, AL = player; results in AL. Every filling of the board is tried,
//! including unreachable ones: set_field with every field and player, eval_grid with both players,
//! get_field with every field, init_grid once.

use super::rules::{Grid, Stone};
use oxbox_cpu::{Blocks, Bus, Cpu, Exit};
use oxbox_machine::hardware::{Hardware, linear};
use oxbox_machine::machine::Machine;
use oxbox_proof::verify::{CheckReport, Divergence};
use oxbox_proof::walk::thread_pool;
use std::thread;

const SIGNATURE: &[u8; 8] = b"GRID18\0\0";

/// The return address of procedures: above the program, in its stack of at most 64 KiB.
const RETURN_TO: u16 = 0xFFF0;
/// HLT, which stops the processor there.
const HLT: u8 = 0xF4;

/// The most cycles of a procedure. Ours take less than a hundred.
const PATIENCE: u64 = 10_000;

/// The number of fillings per part: a sixteenth of all.
const PART: usize = 1231;

/// The program's procedures, and a processor to run them.
struct Procedures {
    cpu: Cpu,
    blocks: Blocks<Hardware>,
    hardware: Hardware,
    /// The offsets of the four procedures.
    offsets: [u16; 4],
    /// The linear address of the grid.
    grid: u32,
    calls: u64,
}

#[derive(Debug, Clone, Copy)]
enum Procedure {
    Init,
    Set,
    Get,
    Eval,
}

/// Checks the procedures of a program that waits for its first key; `None` if it has no directory.
pub(super) fn check(machine: &Machine) -> Option<CheckReport> {
    let procedures = Procedures::find(machine)?;
    let fillings: Vec<Grid> = Grid::fillings().collect();
    let (mut calls, mut diverging) = (0, Vec::new());
    for part in check_parts(&procedures, &fillings.chunks(PART).collect::<Vec<_>>()) {
        calls += part.calls;
        if let Some(what) = part.wrong {
            diverging.push(Divergence { what, ..Divergence::default() });
            break;
        }
    }
    Some(CheckReport { counts: vec![("procedure_calls".to_owned(), calls)], diverging })
}

/// The result for some of the fillings.
#[derive(Debug, Default)]
struct Part {
    calls: u64,
    wrong: Option<String>,
}

/// Checks parts of the fillings on all available threads. Each part starts with the original
/// program, so its result does not depend on the others.
fn check_parts(procedures: &Procedures, parts: &[&[Grid]]) -> Vec<Part> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut workers: Vec<Procedures> = (0..threads).map(|_| procedures.another()).collect();
    thread_pool::share(&mut workers, parts.len(), |as_found, number| {
        let mut own = as_found.another();
        let wrong = parts[number].iter().find_map(|&grid| own.check_filling(grid).err());
        Part { calls: own.calls, wrong }
    })
}

fn fields() -> impl Iterator<Item = (u32, u32)> {
    (0..3).flat_map(|y| (0..3).map(move |x| (x, y)))
}

impl Procedures {
    fn find(machine: &Machine) -> Option<Self> {
        let mut hardware = machine.hardware().clone();
        let ram = hardware.memory.bytes();
        let directory = (0..0xA0000).step_by(16).find(|&at| ram[at..].starts_with(SIGNATURE))?;
        let words: Vec<u16> =
            ram[directory + 8..][..10].chunks(2).map(|word| u16::from_le_bytes([word[0], word[1]])).collect();
        let mut cpu = machine.cpu().clone();
        let segment = (directory / 16) as u16;
        cpu.regs.set_cs(segment);
        // Calls must not be interrupted: only the procedure runs.
        cpu.regs.set_flag(oxbox_cpu::Flags::IF, false);
        hardware.memory.write8(linear(segment, RETURN_TO), HLT);
        let grid = linear(cpu.regs.ds(), words[4]);
        let offsets = [words[0], words[1], words[2], words[3]];
        Some(Procedures { cpu, blocks: Blocks::default(), hardware, offsets, grid, calls: 0 })
    }

    /// Returns the same procedures in a separate machine.
    fn another(&self) -> Self {
        Procedures {
            cpu: self.cpu.clone(),
            blocks: Blocks::default(),
            hardware: self.hardware.clone(),
            offsets: self.offsets,
            grid: self.grid,
            calls: 0,
        }
    }

    /// Checks all four procedures on one filling, and returns the first error.
    fn check_filling(&mut self, grid: Grid) -> Result<(), String> {
        let (_, emptied) = self.call(Procedure::Init, grid, (0, 0), Stone::Circle)?;
        expect(Procedure::Init, grid, String::new, Grid::init().0, emptied)?;
        for stone in [Stone::Circle, Stone::Cross] {
            let (found, _) = self.call(Procedure::Eval, grid, (0, 0), stone)?;
            expect(Procedure::Eval, grid, || format!("{stone:?}"), grid.eval(stone).into(), found)?;
            for (x, y) in fields() {
                let mut expected = grid;
                expected.set_field(x, y, stone);
                let (_, found) = self.call(Procedure::Set, grid, (x, y), stone)?;
                expect(Procedure::Set, grid, || format!("{x}, {y}, {stone:?}"), expected.0, found)?;
            }
        }
        for (x, y) in fields() {
            let (found, _) = self.call(Procedure::Get, grid, (x, y), Stone::Circle)?;
            expect(Procedure::Get, grid, || format!("{x}, {y}"), grid.get_field(x, y), found)?;
        }
        Ok(())
    }

    /// Calls a procedure on a grid. Returns its result in AL, and the grid afterwards.
    fn call(
        &mut self,
        procedure: Procedure,
        grid: Grid,
        (x, y): (u32, u32),
        stone: Stone,
    ) -> Result<(u32, u32), String> {
        self.calls += 1;
        self.hardware.write32(self.grid, grid.0);
        let regs = &mut self.cpu.regs;
        let stack = (regs.ss(), regs.sp());
        regs.set_ax(stone as u16);
        regs.set_bx(x as u16);
        regs.set_dx(y as u16);
        regs.set_sp(stack.1.wrapping_sub(2));
        regs.ip = self.offsets[procedure as usize].into();
        self.hardware.write16(linear(stack.0, stack.1.wrapping_sub(2)), RETURN_TO);
        let returned =
            self.run() && self.cpu.regs.ip == u32::from(RETURN_TO) + 1 && self.cpu.regs.sp() == stack.1;
        if !returned {
            return Err(format!("{procedure:?} of grid {:018b} does not return", grid.0));
        }
        Ok((self.cpu.regs.al().into(), self.hardware.read32(self.grid)))
    }

    /// Runs until the called procedure returns.
    fn run(&mut self) -> bool {
        let deadline = self.cpu.cycles + PATIENCE;
        while self.cpu.cycles < deadline {
            self.hardware.advance(self.cpu.cycles);
            match self.hardware.run(&mut self.cpu, &mut self.blocks, deadline) {
                Exit::Halt => return true,
                Exit::Deadline | Exit::InterruptWindow => {}
                Exit::Trap(_) | Exit::Breakpoint | Exit::ProtectedMode | Exit::Shutdown => return false,
            }
        }
        false
    }
}

fn expect(
    procedure: Procedure,
    grid: Grid,
    arguments: impl Fn() -> String,
    expected: u32,
    found: u32,
) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{procedure:?}({}) of grid {:018b} gives {found:b}, not {expected:b}", arguments(), grid.0))
}
