//! Services called as by the firmware's stubs: a small program is loaded, the registers are set,
//! the trap is served.
//!
//! A row of a table is a call and its result, both as text: `AX=3D02 DX="A.TXT"` results in
//! `AX=0005`, `CF AX=0002`, `Wait`, or `Call 24`. The result contains the registers that have
//! changed; a quoted string is stored at the offset given for it.

mod ansi;
mod blocks;
mod characters;
mod disk;
mod expansion;
mod hostile;
mod images;
mod programs;
mod sandbox;
mod system;

use super::*;
use crate::{
    bios::{self, keyboard},
    firmware,
    hardware::{
        DateTime,
        disk::{Disks, Image},
    },
};
use oxbox_cpu::{Cpu, Flags, Model};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// DS and ES of the caller, within the program's own memory.
const DATA: u16 = 0x5000;
/// The caller's stack, with the frame that INT has pushed.
const STACK: Far = Far::new(0x6000, 0x1000);
/// The address of the caller's INT 21h.
const CALLER: Far = Far::new(0x4000, 0x0123);
const PSP: u16 = 0x0638;
const STRINGS: u16 = 0x8000;

const NAMES: [&str; 8] = ["AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"];

struct Bench {
    cpu: Cpu,
    hw: Hardware,
    dos: Dos,
    folder: tempfile::TempDir,
}

impl Bench {
    /// Returns the notices since the last call as texts.
    fn notices(&mut self) -> Vec<String> {
        self.dos.take_notices().iter().map(ToString::to_string).collect()
    }

    fn new() -> Self {
        Bench::with(|_| {}, &DosOptions::default())
    }

    /// Returns a machine whose drive C: has been filled by `prepare`.
    fn with(prepare: impl FnOnce(&Path), options: &DosOptions) -> Self {
        Bench::starting(prepare, options, DateTime::date(1980, 1, 1))
    }

    /// Like [`with`](Self::with), with images in its drives.
    fn with_images(
        prepare: impl FnOnce(&Path),
        options: &DosOptions,
        floppies: &[Image],
        fixed: &[Image],
    ) -> Self {
        Bench::built(prepare, options, DateTime::date(1980, 1, 1), Disks::new(floppies, fixed))
    }

    fn starting(prepare: impl FnOnce(&Path), options: &DosOptions, start: DateTime) -> Self {
        Bench::built(prepare, options, start, Disks::default())
    }

    fn built(prepare: impl FnOnce(&Path), options: &DosOptions, start: DateTime, disks: Disks) -> Self {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path());
        let options = DosOptions { folder: Some(folder.path().to_path_buf()), ..options.clone() };
        let mut hw = Hardware::new(3000);
        firmware::install(&mut hw);
        bios::Bios::default().init(&mut hw);
        hw.disks = disks;
        let mut dos = Dos::new(&options, start).unwrap();
        dos.init(&mut hw, &[]);
        let mut cpu = Cpu::new(Model::I386);
        dos.load_program(&mut cpu, &mut hw, &[0xCD, 0x20], "TEST.COM", "one two").unwrap();
        let mut bench = Bench { cpu, hw, dos, folder };
        bench.cpu.regs.gpr = [0; 8];
        bench.reset_stack();
        bench
    }

    fn reset_stack(&mut self) {
        let regs = &mut self.cpu.regs;
        regs.set_ds(DATA);
        regs.set_es(DATA);
        regs.set_ss(STACK.segment);
        regs.set_sp(STACK.offset);
        self.hw.set_far(STACK, CALLER);
        self.hw.set_word(STACK.plus(4), 0x0202);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Sets the registers of a call and serves INT 21h.
    fn call(&mut self, call: &str) -> String {
        self.reset_stack();
        let sp = self.cpu.regs.sp();
        self.cpu.regs.gpr = [0; 8];
        self.cpu.regs.set_sp(sp);
        self.set(call);
        self.trap(0x21)
    }

    fn set(&mut self, call: &str) {
        let mut string = STRINGS;
        for token in tokens(call) {
            let (name, value) = token.split_once('=').unwrap();
            let value = match value.strip_prefix('"') {
                Some(text) => {
                    let text = text.strip_suffix('"').unwrap();
                    let mut bytes: Vec<u8> = text.chars().map(|c| codepage::from_char(c).unwrap()).collect();
                    bytes.push(0);
                    self.hw.set_bytes(Far::new(DATA, string), &bytes);
                    string += 0x100;
                    string - 0x100
                }
                None => u16::from_str_radix(value, 16).unwrap(),
            };
            match name {
                "DS" => self.cpu.regs.set_ds(value),
                "ES" => self.cpu.regs.set_es(value),
                _ => {
                    let index = NAMES.iter().position(|&n| n == name).unwrap();
                    self.cpu.regs.gpr[index] = u32::from(value);
                }
            }
        }
    }

    fn serve(&mut self, vector: u8) -> Resume {
        self.dos.service(vector, &mut Guest::new(&mut self.cpu, &mut self.hw))
    }

    /// Serves a trap and returns the result as text.
    fn trap(&mut self, vector: u8) -> String {
        let before = self.cpu.regs.clone();
        let how = self.serve(vector);
        let mut text = String::new();
        match how {
            Resume::Return => {
                let flags = self.hw.word(STACK.plus(4));
                if u32::from(flags) & Flags::CF != 0 {
                    text.push_str("CF ");
                }
                if u32::from(flags) & Flags::ZF != 0 {
                    text.push_str("ZF ");
                }
            }
            Resume::Call(vector) => write!(text, "Call {vector:02X} ").unwrap(),
            other => write!(text, "{other:?} ").unwrap(),
        }
        let after = &self.cpu.regs;
        for (i, name) in NAMES.iter().enumerate() {
            if after.gpr[i] != before.gpr[i] {
                write!(text, "{name}={:04X} ", after.gpr[i]).unwrap();
            }
        }
        for (name, old, new) in [("DS", before.ds(), after.ds()), ("ES", before.es(), after.es())] {
            if old != new {
                write!(text, "{name}={new:04X} ").unwrap();
            }
        }
        text.trim_end().to_owned()
    }

    /// Runs rows of a call and its result.
    #[track_caller]
    fn table(&mut self, rows: &[(&str, &str)]) {
        for (call, expected) in rows {
            let answer = self.call(call);
            assert_eq!(answer, *expected, "{call}");
        }
    }

    /// Puts keys into the BIOS's buffer: characters, or words of scan code and character.
    fn keys(&mut self, keys: &[u16]) {
        for &key in keys {
            assert!(keyboard::push(&mut self.hw, key));
        }
    }

    fn type_text(&mut self, text: &str) {
        let keys: Vec<u16> = text.bytes().map(u16::from).collect();
        self.keys(&keys);
    }

    fn bytes(&mut self, offset: u16, len: usize) -> Vec<u8> {
        self.hw.bytes(Far::new(DATA, offset), len)
    }

    fn put(&mut self, offset: u16, bytes: &[u8]) {
        self.hw.set_bytes(Far::new(DATA, offset), bytes);
    }

    /// Returns the lines of the screen down to the last that is not empty.
    fn screen(&self) -> String {
        let screen = self.hw.vga.text().unwrap();
        screen.to_string().trim_end().to_owned()
    }
}

/// Splits at blanks outside of quotes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                tokens.last_mut().unwrap().push(c);
            }
            ' ' if !quoted => tokens.push(String::new()),
            _ => tokens.last_mut().unwrap().push(c),
        }
    }
    tokens.retain(|t| !t.is_empty());
    tokens
}

fn file(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}
