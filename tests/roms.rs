//! The games in `roms/` are what `asm/` assembles to, byte for byte, and `roms/manifest` tells from which sources.
//!
//! `OXBOX_BLESS=1 cargo test --test roms` builds them anew. Without the feature `assembler` only the manifest is held
//! against the files.

use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

/// A game: its rom and its sources, in the order in which they are linked.
const GAMES: [(&str, &[&str]); 5] = [
    ("TTT1.EXE", &["ttt1/ttt1.asm"]),
    (
        "EECS2100.EXE",
        &[
            "eecs2100/main.asm",
            "eecs2100/board.asm",
            "eecs2100/screen.asm",
            "eecs2100/vga.asm",
            "eecs2100/font.asm",
            "eecs2100/sound.asm",
        ],
    ),
    ("GRID18.EXE", &["grid18/grid.asm", "grid18/grid18.asm"]),
    ("OXO.EXE", &["oxo/oxo.asm"]),
    ("CHIP.EXE", &["chip/chip.asm"]),
];

/// Included files count as sources of all games.
const INCLUDES: [&str; 4] =
    ["include/dos.inc", "include/speaker.inc", "include/tune.inc", "eecs2100/eecs2100.inc"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn blessing() -> bool {
    std::env::var_os("OXBOX_BLESS").is_some()
}

/// A line a rom: its name and hash, then its sources and theirs, as 64-bit XXH3 in hex.
fn manifest() -> String {
    let hash =
        |path: PathBuf| format!("{:016x}", xxh3_64(&fs::read(path).expect("read a file of the project")));
    let mut text = String::from(
        "# Made by `OXBOX_BLESS=1 cargo test --test roms`: XXH3 (64 bits) of roms and sources.\n",
    );
    for (rom, sources) in GAMES {
        text += &format!("{rom} {}\n", hash(root().join("roms").join(rom)));
        for source in sources.iter().chain(&INCLUDES) {
            text += &format!("  asm/{source} {}\n", hash(root().join("asm").join(source)));
        }
    }
    text
}

#[test]
#[cfg(feature = "assembler")]
fn roms_are_what_the_sources_assemble_to() {
    use oxbox::toolchain::{BuildRequest, build};

    for (rom, sources) in GAMES {
        let inputs = sources.iter().map(|source| root().join("asm").join(source)).collect();
        let built =
            build(&BuildRequest { inputs, ..BuildRequest::default() }).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(built.warnings, [], "{rom}");
        let path = root().join("roms").join(rom);
        if blessing() {
            fs::write(&path, &built.bytes).expect("write the rom");
        }
        let kept = fs::read(&path).expect("read the rom");
        assert!(
            kept == built.bytes,
            "{rom} is not what asm/ gives: run OXBOX_BLESS=1 cargo test --test roms"
        );
    }
    if blessing() {
        fs::write(root().join("roms/manifest"), manifest()).expect("write the manifest");
    }
}

#[test]
#[cfg(not(feature = "assembler"))]
fn roms_are_what_the_sources_assemble_to() {
    eprintln!("skipped: oxbox was built without the feature `assembler`");
}

#[test]
fn the_manifest_is_current() {
    if blessing() {
        return;
    }
    let kept = fs::read_to_string(root().join("roms/manifest")).expect("read roms/manifest");
    assert_eq!(kept, manifest(), "a source or a rom has changed: run OXBOX_BLESS=1 cargo test --test roms");
}
