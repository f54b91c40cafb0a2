//! The games and COMMAND.COM in `roms/` equal the assembled `asm/`, byte for byte, and
//! `roms/manifest` lists their sources.
//!
//! `OXBOX_BLESS=1 cargo test --test library roms::` builds them again. Without the feature
//! `assembler` only the manifest is compared with the files.

use std::fs;
use std::path::{Path, PathBuf};

use oxbox::games::GAMES;
use xxhash_rust::xxh3::xxh3_64;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn blessing() -> bool {
    std::env::var_os("OXBOX_BLESS").is_some()
}

/// Returns each file of `roms/`, and its sources below `asm/`.
fn roms() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let games = GAMES.iter().map(|game| (game.file, game.sources));
    games.chain([("COMMAND.COM", &["command/command.asm"] as &[_])])
}

/// Returns sources below `asm/`, and the files they include, from their folder or `include`.
fn files(sources: &[&str]) -> Vec<String> {
    let mut files: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
    let mut next = 0;
    while let Some(file) = files.get(next).cloned() {
        let text = fs::read_to_string(root().join("asm").join(&file)).expect("read a source");
        let folder = file.split_once('/').map_or("", |(folder, _)| folder);
        for name in text.lines().filter_map(|line| line.trim().strip_prefix("include ")) {
            let own = format!("{folder}/{}", name.trim());
            let is_own = root().join("asm").join(&own).exists();
            let included = if is_own { own } else { format!("include/{}", name.trim()) };
            if !files.contains(&included) {
                files.push(included);
            }
        }
        next += 1;
    }
    files
}

/// Returns a line per rom: its name and hash, then its sources and their hashes (64-bit XXH3).
fn manifest() -> String {
    let hash =
        |path: PathBuf| format!("{:016x}", xxh3_64(&fs::read(path).expect("read a file of the project")));
    let mut text = String::from(
        "# Made by `OXBOX_BLESS=1 cargo test --test library roms::`: XXH3 (64 bits) of roms and sources.\n",
    );
    for (rom, sources) in roms() {
        text += &format!("{rom} {}\n", hash(root().join("roms").join(rom)));
        for file in files(sources) {
            text += &format!("  asm/{file} {}\n", hash(root().join("asm").join(&file)));
        }
    }
    text
}

#[test]
#[cfg(feature = "assembler")]
fn roms_are_what_the_sources_assemble_to() {
    use oxbox::toolchain::{BuildRequest, build, debug_file};

    for (rom, sources) in roms() {
        // Debug information names them relative to here, the working directory of tests.
        let inputs = sources.iter().map(|source| Path::new("asm").join(source)).collect();
        let built = build(&BuildRequest { inputs, ..oxbox::built_in::build_request() })
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(built.warnings, [], "{rom}");
        let path = root().join("roms").join(rom);
        if blessing() {
            fs::write(&path, &built.bytes).expect("write the rom");
        }
        let kept = fs::read(&path).expect("read the rom");
        assert!(
            kept == built.bytes,
            "{rom} is not what asm/ gives: run OXBOX_BLESS=1 cargo test --test library roms::"
        );
        let Some(game) = GAMES.iter().find(|game| game.file == rom) else { continue };
        let debug = debug_file::write(&built.symbols, built.format, &built.bytes);
        if blessing() {
            fs::write(path.with_extension("DBG"), debug).expect("write the debug information");
        } else {
            assert!(
                game.debug == debug,
                "{rom} has other lines: run OXBOX_BLESS=1 cargo test --test library roms::"
            );
        }
    }
    if blessing() {
        fs::write(root().join("roms/manifest"), manifest()).expect("write the manifest");
    }
}

#[test]
fn the_manifest_is_current() {
    if blessing() {
        return;
    }
    let kept = fs::read_to_string(root().join("roms/manifest")).expect("read roms/manifest");
    assert_eq!(
        kept,
        manifest(),
        "a source or a rom has changed: run OXBOX_BLESS=1 cargo test --test library roms::"
    );
}
