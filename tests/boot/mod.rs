//! Machines that boot a disk: one of our boot sectors, assembled here and played, and the disk
//! afterwards.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use oxbox::hardware::disk::Image;
use oxbox::machine::{Config, Machine, Playback, Played, Script, StartError, Stop, Until};
use oxbox::notice::NoticeKind;
use oxbox::toolchain::{BuildRequest, Format, LinkOptions, build};
use std::fs;
use std::path::{Path, PathBuf};

fn assemble(source: PathBuf) -> Vec<u8> {
    let options = LinkOptions { format: Some(Format::Com), ..LinkOptions::default() };
    let request = BuildRequest { inputs: vec![source], options, ..oxbox::built_in::build_request() };
    build(&request).unwrap_or_else(|error| panic!("{error}")).bytes
}

fn noughts() -> Vec<u8> {
    assemble(Path::new(env!("CARGO_MANIFEST_DIR")).join("asm/boot/noughts.asm"))
}

const LIMIT: Until = Until { cycle: 300_000_000, ..Until::KEY_WAIT };

fn play(machine: &mut Machine, keys: &str) -> Played {
    Playback::new(Script::from_keys(keys).unwrap()).run(machine, &LIMIT, &mut (), &mut ())
}

fn screen(machine: &Machine) -> String {
    machine.text().unwrap().to_string()
}

/// Returns a machine that boots a disk with this sector at its beginning, in a folder.
fn boot(folder: &Path, sector: &[u8], len: usize) -> Machine {
    let path = folder.join("disk.img");
    let mut bytes = sector.to_vec();
    bytes.resize(len, 0);
    fs::write(&path, bytes).unwrap();
    start(&path)
}

fn start(path: &Path) -> Machine {
    let image = Image::floppy(path, false).unwrap();
    let config = Config { floppies: vec![image], boot: Some(0), ..Config::default() };
    Machine::start(&config, &[], "", "").unwrap()
}

#[test]
fn a_boot_sector_plays_and_keeps_count_on_its_disk() {
    let sector = noughts();
    assert_eq!((sector.len(), &sector[510..]), (512, &[0x55, 0xAA][..]));
    for len in [512, 360 << 10] {
        let folder = tempfile::tempdir().unwrap();
        let mut machine = boot(folder.path(), &sector, len);
        // X plays badly and loses; then X forces a draw.
        assert_eq!(play(&mut machine, "1 2 8 7"), Played::Stopped(Stop::KeyWait), "{}", screen(&machine));
        assert!(screen(&machine).contains("O wins01"), "{}", screen(&machine));
        let before = machine.snapshot();
        let hash = machine.state_hash();
        play(&mut machine, "5 8 3 4 1");
        assert!(screen(&machine).contains("Drawn02"), "{}", screen(&machine));
        let path = folder.path().join("disk.img");
        assert_eq!(fs::read(&path).unwrap()[..512], sector, "nothing is written during the run");
        machine.flush_files().unwrap();
        assert_ne!(fs::read(&path).unwrap()[..512], sector);
        assert_eq!(fs::read(&path).unwrap().len(), len);
        // Restoring a snapshot also restores the disk.
        assert_ne!(machine.state_hash(), hash);
        machine.restore(&before);
        assert_eq!(machine.state_hash(), hash);
        play(&mut machine, "5 8 3 4 1");
        machine.flush_files().unwrap();
        assert!(screen(&machine).contains("Drawn02"), "{}", screen(&machine));
        let mut again = start(&path);
        play(&mut again, "1 2 8 7");
        assert!(screen(&again).contains("O wins03"), "{}", screen(&again));
    }
}

#[test]
fn it_is_a_com_file_too() {
    let mut machine = Machine::new(&Config::default()).unwrap();
    machine.load(&noughts(), "NOUGHTS.COM", "").unwrap();
    assert_eq!(play(&mut machine, "1 2 8 7 q"), Played::Stopped(Stop::Exited(0)));
    assert!(screen(&machine).contains("O wins01"), "{}", screen(&machine));
}

#[test]
fn what_a_bios_leaves_to_the_first_sector() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("look.asm");
    // DL, SP and the vector of INT 21h: calling it changes nothing.
    let body = ".8086\ncode segment\nassume cs:code\norg 100h\nstart:\n mov bx, ax\n mov bp, sp\n mov ah, 4Ch\n int 21h\n \
                int 12h\n int 18h\n org 2FEh\n dw 0AA55h\ncode ends\nend start\n";
    fs::write(&source, body).unwrap();
    let mut machine = boot(folder.path(), &assemble(source), 1440 << 10);
    let regs = &machine.cpu().regs;
    assert_eq!((regs.cs(), regs.ip, regs.dl(), regs.ss(), regs.sp()), (0, 0x7C00, 0, 0, 0x7C00));
    machine.run(&Until { instructions: 8, ..LIMIT }, &mut ());
    let regs = &machine.cpu().regs;
    assert_eq!((regs.bp(), regs.ax()), (0x7C00, 640));
    let call = NoticeKind::Interrupt { vector: 0x21, ax: 0x4C00 };
    assert!(machine.take_notices().iter().any(|notice| notice.kind == call));
}

#[test]
fn what_cannot_start_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.img");
    for (bytes, starts) in [
        (vec![0; 360 << 10], false),
        (vec![0xF6; 360 << 10], false),
        ([vec![0xEB], vec![0; (360 << 10) - 1]].concat(), true),
        ([vec![0xEB], vec![0; 511]].concat(), false),
        ([vec![0; 510], vec![0x55, 0xAA]].concat(), true),
    ] {
        fs::write(&path, &bytes).unwrap();
        let image = Image::floppy(&path, false).unwrap();
        let config = Config { floppies: vec![image], boot: Some(0), ..Config::default() };
        let started = Machine::start(&config, &[], "", "");
        assert_eq!(matches!(started, Err(StartError::Boot)), !starts, "{} bytes", bytes.len());
    }
    let config = Config { boot: Some(0x80), ..Config::default() };
    assert!(matches!(Machine::start(&config, &[], "", ""), Err(StartError::Boot)));
}
