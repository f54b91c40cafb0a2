//! DOS: what the traps 20h to 2Fh do.
//!
//! So far: loading an EXE, the character functions and the end of the program.

use crate::bios::{keyboard, video};
use crate::cpu::Cpu;
use crate::firmware::Outcome;
use crate::hardware::{Hardware, linear};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What DOS is to be like.
#[derive(Debug, Clone, Default)]
pub struct DosOptions {
    /// The host folder that is drive C:. None: the drive is empty and lives in memory.
    pub folder: Option<PathBuf>,
    /// Writing to the drive is denied.
    pub read_only: bool,
}

/// Why DOS cannot start.
#[derive(Debug, thiserror::Error)]
pub enum DosError {}

/// Why a program cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not an EXE.
    #[error("the program file is not an EXE")]
    NoExe,
}

/// The operating system.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dos {
    exit_code: Option<u8>,
    waiting: bool,
}

impl Dos {
    /// DOS before its start.
    ///
    /// # Errors
    /// None yet.
    pub fn new(_options: &DosOptions) -> Result<Self, DosError> {
        Ok(Dos { exit_code: None, waiting: false })
    }
    /// Builds the structures in guest memory.
    pub fn init(&mut self, _hw: &mut Hardware) {}
    /// Loads the first program.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load_program(
        &mut self,
        cpu: &mut Cpu,
        hw: &mut Hardware,
        file: &[u8],
        _name: &str,
        _arguments: &str,
    ) -> Result<(), LoadError> {
        let word = |at: usize| u16::from_le_bytes([file[at], file[at + 1]]);
        if !file.starts_with(b"MZ") || file.len() < 28 {
            return Err(LoadError::NoExe);
        }
        let (psp, image) = (0x1000u16, 0x1010u16);
        hw.memory.write_bytes(linear(image, 0), &file[usize::from(word(8)) * 16..]);
        for i in 0..usize::from(word(6)) {
            let at = usize::from(word(0x18)) + 4 * i;
            let address = linear(image + word(at + 2), word(at));
            let value = hw.memory.read16(address).wrapping_add(image);
            hw.memory.write16(address, value);
        }
        hw.memory.write16(linear(psp, 2), 0xA000);
        cpu.regs.set_cs(image + word(0x16));
        cpu.regs.ip = u32::from(word(0x14));
        cpu.regs.set_ss(image + word(0x0E));
        cpu.regs.set_sp(word(0x10));
        cpu.regs.set_ds(psp);
        cpu.regs.set_es(psp);
        cpu.regs.flags = 0x202;
        Ok(())
    }
    /// Answers a trap.
    pub fn service(&mut self, _vector: u8, cpu: &mut Cpu, hw: &mut Hardware) -> Outcome {
        self.waiting = false;
        match cpu.regs.ah() {
            0x02 => {
                video::teletype(hw, cpu.regs.dl(), 7, 0);
            }
            0x07 | 0x08 => match keyboard::read(hw) {
                Some(key) => cpu.regs.set_al(key as u8),
                None => {
                    self.waiting = true;
                    return Outcome::Wait;
                }
            },
            0x09 => {
                let mut at = cpu.regs.dx();
                loop {
                    let byte = hw.memory.read8(linear(cpu.regs.ds(), at));
                    if byte == b'$' {
                        break;
                    }
                    video::teletype(hw, byte, 7, 0);
                    at = at.wrapping_add(1);
                }
            }
            0x4C => self.exit_code = Some(cpu.regs.al()),
            _ => {}
        }
        Outcome::Return
    }
    /// The first program's exit code, once it has ended.
    pub fn exit_code(&self) -> Option<u8> {
        self.exit_code
    }
    /// True when the last service left to wait for input.
    pub fn waiting_for_input(&self) -> bool {
        self.waiting
    }
    /// How often a program has asked for input in vain.
    pub fn polls(&self) -> u64 {
        0
    }
    /// Hands over what DOS has to tell the user.
    pub fn take_notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}
