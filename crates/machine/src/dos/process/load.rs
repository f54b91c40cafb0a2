//! Loads a program: environment, PSP, image, initial registers.

use crate::{
    dos::{
        built_in::COMSPEC,
        codepage, fcb,
        loader::{self, LoadError, Program},
        memory::{self, Lack},
        names, psp,
        state::Dos,
        sysvars,
    },
    firmware::{Far, GuestMemory},
    hardware::Hardware,
};
use oxbox_cpu::{Cpu, Flags};
use std::borrow::Cow;

/// The initial state of a loaded program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) psp: u16,
    pub(super) entry: Far,
    pub(super) stack: Far,
    /// AX: which of the two FCBs have a drive that does not exist.
    pub(super) drives: u16,
}

#[derive(Debug, Clone)]
pub(super) struct Inheritance {
    pub(super) parent: u16,
    /// The strings of its environment, and the path of its file.
    pub(super) strings: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) tail: Vec<u8>,
    /// Drive, name and extension of the two FCBs.
    pub(super) fcbs: [[u8; 12]; 2],
}

impl From<Lack> for LoadError {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Room(size) => LoadError::Memory { needed: 0x100, available: u64::from(size) * 16 },
            Lack::Broken | Lack::NoBlock => LoadError::Chain,
        }
    }
}

impl Dos {
    /// Loads the first program and sets the processor to its first instruction.
    ///
    /// `name` is its path on drive C: as on the host (`GAME.EXE` or `dir/long name.exe`),
    /// `arguments` is the rest of the command line. Both are in code page 437. Errors: see
    /// [`LoadError`]; nothing has been started.
    pub(crate) fn load_program(
        &mut self,
        cpu: &mut Cpu,
        hw: &mut Hardware,
        file: &[u8],
        name: &str,
        arguments: &str,
    ) -> Result<(), LoadError> {
        let in_code_page = |text: &str| -> Result<Vec<u8>, LoadError> {
            text.chars()
                .map(codepage::from_char)
                .collect::<Option<_>>()
                .ok_or_else(|| LoadError::CodePage(text.to_owned()))
        };
        let mut tail = in_code_page(arguments)?;
        // The command interpreter keeps the blank between the name and the arguments.
        if !tail.is_empty() && !tail[0].is_ascii_whitespace() {
            tail.insert(0, b' ');
        }
        if tail.len() > psp::LONGEST_TAIL {
            return Err(LoadError::Tail(tail.len()));
        }
        let path = match self.disk.volumes.find_host(name) {
            Some(path) => names::full_path(names::DRIVE_C, &path),
            None if name == COMSPEC => COMSPEC.as_bytes().to_vec(),
            // The program is not on the drive.
            None => {
                let separated = |b| if b == b'/' { b'\\' } else { codepage::upper(b) };
                let name = in_code_page(name)?;
                b"C:\\".iter().copied().chain(name.into_iter().map(separated)).collect()
            }
        };
        self.status.exit_code = None;
        let fcbs = fcb::from_tail(&tail);
        let strings =
            psp::environment_strings(hw, sysvars::SHELL_ENVIRONMENT).map_err(|_| LoadError::Chain)?;
        let gift = Inheritance { parent: sysvars::SHELL, strings, path, tail, fcbs };
        let end = self.stubs.of(0x22);
        hw.set_vector(0x22, end);
        let start = self.place(hw, file, file.len() as u64, &gift)?;
        self.enter_process(hw, start.psp);
        start_at(cpu, start);
        Ok(())
    }

    /// Returns the file name of the running program, if there is one.
    pub(crate) fn program_name(&self, hw: &mut Hardware) -> Option<String> {
        /// The maximum size of an environment, and of the path after it.
        const LONGEST: usize = 0x8000;
        const PATH: usize = 128;
        if !self.is_there() {
            return None;
        }
        let psp = hw.word(sysvars::CURRENT_PSP);
        let environment = Far::new(hw.word(Far::new(psp, psp::ENVIRONMENT)), 0);
        let strings = hw.bytes(environment, LONGEST);
        let end = strings.windows(2).position(|pair| pair == [0, 0])?;
        // Between them is a count of strings: one, the path.
        let path = hw.text(environment.plus(end as u16 + 4), 0, PATH);
        let name = path.rsplit(|&byte| byte == b'\\').next().filter(|name| !name.is_empty())?;
        Some(codepage::text(name, codepage::Controls::Drawn))
    }

    /// Returns the path for programs of a file in the host folder.
    pub(crate) fn name_of_host(&mut self, file: &str) -> Option<String> {
        let path = self.disk.volumes.find_host(file)?;
        Some(codepage::text(&names::full_path(names::DRIVE_C, &path), codepage::Controls::Kept))
    }

    /// Allocates the memory and fills it. The process does not run yet.
    pub(super) fn place(
        &mut self,
        hw: &mut Hardware,
        file: &[u8],
        size: u64,
        gift: &Inheritance,
    ) -> Result<Start, LoadError> {
        let environment = psp::environment_block(&own_comspec(&gift.strings, &gift.path), &gift.path);
        let paragraphs = environment.len().div_ceil(16) as u16;
        let block = memory::allocate(hw, paragraphs, memory::OWNER_DOS, self.settings.strategy)?;
        hw.set_bytes(Far::new(block.memory(), 0), &environment);
        let placed = self.place_program(hw, file, size, gift, block.memory());
        match placed {
            Ok(start) => memory::set_owner(hw, block.memory(), start.psp, b""),
            Err(_) => memory::free(hw, block.memory())?,
        }
        placed
    }

    fn place_program(
        &mut self,
        hw: &mut Hardware,
        file: &[u8],
        size: u64,
        gift: &Inheritance,
        environment: u16,
    ) -> Result<Start, LoadError> {
        let free = memory::largest_free(hw)?;
        let program = loader::parse(file, size, free)?;
        let wanted = wanted_paragraphs(&program, free)?;
        let block = memory::allocate(hw, wanted, memory::OWNER_DOS, self.settings.strategy)?;
        let segment = block.memory();
        let start = match &program {
            Program::Com(image) => place_com(hw, image, segment, wanted),
            Program::Exe(exe) => place_exe(hw, exe, segment, wanted),
        };
        let start = match start {
            Ok(start) => start,
            Err(error) => {
                memory::free(hw, segment)?;
                return Err(error);
            }
        };
        psp::create(hw, segment, segment.wrapping_add(wanted), gift.parent, environment);
        psp::set_tail(hw, segment, &gift.tail);
        for (fcb, at) in gift.fcbs.iter().zip([psp::FCB1, psp::FCB2]) {
            hw.set_bytes(Far::new(segment, at), fcb);
        }
        self.inherit_handles(hw, gift.parent, segment);
        memory::set_owner(hw, segment, segment, block_name(&gift.path));
        let bad = |fcb: &[u8; 12]| {
            let is_there = fcb[0].checked_sub(1).is_none_or(|drive| self.disk.volumes.has(drive));
            if is_there { 0 } else { 0xFF }
        };
        Ok(Start { drives: bad(&gift.fcbs[1]) << 8 | bad(&gift.fcbs[0]), ..start })
    }
}

/// Returns the strings of a program's environment. A command interpreter loads its transient part
/// from the path in COMSPEC. If the program is a different one from ours, COMSPEC is its own path,
/// unless the user has set it.
fn own_comspec<'a>(strings: &'a [u8], path: &[u8]) -> Cow<'a, [u8]> {
    const NAME: &[u8] = b"COMSPEC=";
    let ours = [NAME, COMSPEC.as_bytes(), &[0]].concat();
    let file = path.rsplit(|&byte| byte == b'\\').next().unwrap_or(path);
    let place = strings.windows(ours.len()).position(|part| part == ours);
    match place.filter(|&at| file == b"COMMAND.COM" && (at == 0 || strings[at - 1] == 0)) {
        Some(at) => [&strings[..at], NAME, path, &strings[at + ours.len() - 1..]].concat().into(),
        None => strings.into(),
    }
}

/// Returns the file's name without path and extension.
fn block_name(path: &[u8]) -> &[u8] {
    let name = path.rsplit(|&b| b == b'\\').next().unwrap_or(path);
    name.split(|&b| b == b'.').next().unwrap_or(name)
}

/// Returns the memory that a program gets: a COM all, an EXE what its header requests, if free.
fn wanted_paragraphs(program: &Program, free: u16) -> Result<u16, LoadError> {
    match program {
        Program::Com(image) => {
            // PSP, image, and a stack of 256 bytes.
            let needed = image.len() as u64 + 0x200;
            let available = u64::from(free) * 16;
            if needed > available { Err(LoadError::Memory { needed, available }) } else { Ok(free) }
        }
        Program::Exe(exe) => Ok(exe.wanted(free)),
    }
}

fn place_com(hw: &mut Hardware, image: &[u8], segment: u16, paragraphs: u16) -> Result<Start, LoadError> {
    hw.set_bytes(Far::new(segment, 0x100), image);
    let sp = ((u32::from(paragraphs) * 16).min(0x1_0000) - 2) as u16;
    let stack = Far::new(segment, sp);
    hw.set_word(stack, 0);
    Ok(Start { psp: segment, entry: Far::new(segment, 0x100), stack, drives: 0 })
}

fn place_exe(
    hw: &mut Hardware,
    exe: &loader::Exe,
    segment: u16,
    paragraphs: u16,
) -> Result<Start, LoadError> {
    let base = if exe.loads_high() { segment + paragraphs - exe.paragraphs } else { segment + 0x10 };
    let entry = Far::new(base.wrapping_add(exe.cs), exe.ip);
    let stack = Far::new(base.wrapping_add(exe.ss), exe.sp);
    let memory = u32::from(segment) * 16..(u32::from(segment) + u32::from(paragraphs)) * 16;
    if !memory.contains(&(entry.linear() & 0xF_FFFF)) {
        return Err(LoadError::Header("its first instruction is outside its memory"));
    }
    put_image(hw, exe.image, base);
    relocate(hw, exe, base, base);
    Ok(Start { psp: segment, entry, stack, drives: 0 })
}

/// Writes an image to the segment `base` and the following ones.
pub(super) fn put_image(hw: &mut Hardware, image: &[u8], base: u16) {
    for (i, part) in image.chunks(0x8000).enumerate() {
        hw.set_bytes(Far::new(base.wrapping_add((i as u16).wrapping_mul(0x800)), 0), part);
    }
}

/// Adds `factor` to each relocated word of the image at `base`, also outside of it, as in DOS.
pub(super) fn relocate(hw: &mut Hardware, exe: &loader::Exe, base: u16, factor: u16) {
    for &(offset, segment) in &exe.relocations {
        let at = Far::new(segment.wrapping_add(base), offset);
        let value = hw.word(at).wrapping_add(factor);
        hw.set_word(at, value);
    }
}

/// Sets the initial registers of a program.
pub(super) fn start_at(cpu: &mut Cpu, start: Start) {
    let r = &mut cpu.regs;
    r.gpr = [0; 8];
    r.set_ax(start.drives);
    r.set_cx(0x00FF);
    r.set_dx(start.psp);
    r.set_bp(0x091C);
    r.set_si(start.entry.offset);
    r.set_di(start.stack.offset);
    r.set_sp(start.stack.offset);
    r.seg = [start.psp, start.entry.segment, start.stack.segment, start.psp, 0, 0];
    r.ip = u32::from(start.entry.offset);
    r.flags = 0x02 | Flags::IF;
}
