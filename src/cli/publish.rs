//! `oxbox publish`: a folder of files that any web server serves, and that plays games or one's own programs in a browser.

mod module;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use oxbox::games::{self, GAMES, Game};
use oxbox::hardware::disk::Image;
use oxbox::machine::{Config, Machine};
use oxbox::whole_file;
use serde_json::{Value, json};

use super::arguments::Publish;
use super::failure::Failure;
use super::guest;

/// The page: names, and what is in the files.
const PAGE: [(&str, &[u8]); 16] = [
    ("index.html", include_bytes!("../../web/index.html")),
    ("style.css", include_bytes!("../../web/style.css")),
    ("icon.svg", include_bytes!("../../web/icon.svg")),
    ("files.js", include_bytes!("../../web/files.js")),
    ("keys.js", include_bytes!("../../web/keys.js")),
    ("machine.js", include_bytes!("../../web/machine.js")),
    ("main.js", include_bytes!("../../web/main.js")),
    ("pace.js", include_bytes!("../../web/pace.js")),
    ("pad.js", include_bytes!("../../web/pad.js")),
    ("picture.js", include_bytes!("../../web/picture.js")),
    ("sound.js", include_bytes!("../../web/sound.js")),
    ("speaker.js", include_bytes!("../../web/speaker.js")),
    ("store.js", include_bytes!("../../web/store.js")),
    ("study.js", include_bytes!("../../web/study.js")),
    ("wasm.js", include_bytes!("../../web/wasm.js")),
    ("worker.js", include_bytes!("../../web/worker.js")),
];

/// Where cargo puts the module, below its target folder.
const BUILT: &str = "wasm32-unknown-unknown/release/oxbox.wasm";

/// What makes it.
const HOW: &str = "\
    rustup target add wasm32-unknown-unknown
    cargo rustc --release --lib --crate-type cdylib --target wasm32-unknown-unknown --no-default-features --features web";

/// Something to be played on the page.
struct Program {
    /// What the page tells of it: at least its name in links, its title and its file.
    about: Value,
    /// Its file on the site.
    path: String,
    bytes: Vec<u8>,
}

/// Writes the site.
pub(super) fn run(options: &Publish) -> Result<u8, Failure> {
    let programs = match options.programs.as_slice() {
        [] => GAMES.iter().map(game_of).collect(),
        wanted => wanted.iter().map(|program| program_of(program)).collect::<Result<Vec<_>, _>>()?,
    };
    let mut names = BTreeSet::new();
    if let Some(twice) = programs.iter().find(|program| !names.insert(program.about["name"].to_string())) {
        return Err(Failure::Usage(format!("two programs are called {}", twice.about["name"])));
    }
    let module = module::stripped(&read_module(options.wasm.as_deref())?)?;
    let about: Vec<&Value> = programs.iter().map(|program| &program.about).collect();
    let site = format!("{:#}\n", json!({ "programs": about }));
    let own = [("oxbox.wasm", module.as_slice()), ("site.json", site.as_bytes())];
    let files = programs.iter().map(|program| (program.path.as_str(), program.bytes.as_slice()));
    for (name, bytes) in PAGE.into_iter().chain(own).chain(files) {
        write(&options.output.join(name), bytes)?;
    }
    let folder = options.output.display();
    let names: Vec<&str> = programs.iter().filter_map(|program| program.about["name"].as_str()).collect();
    let names = names.join(", ");
    println!("{folder} plays {names}. Any web server serves it: python3 -m http.server -d {folder}");
    Ok(0)
}

fn game_of(game: &Game) -> Program {
    let path = format!("programs/{}", game.file);
    let about = json!({
        "name": game.name, "title": game.title, "year": game.year, "author": game.author, "about": game.about,
        "keys": game.keys, "file": path,
    });
    Program { about, path, bytes: game.program.to_vec() }
}

/// A game by its name, or else a program file or a disk.
fn program_of(wanted: &Path) -> Result<Program, Failure> {
    if let Some(game) = wanted.to_str().and_then(games::find) {
        return Ok(game_of(game));
    }
    if !wanted.exists() {
        let known: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
        let (wanted, known) = (wanted.display(), known.join(", "));
        return Err(Failure::Usage(format!("{wanted} is neither a file nor a game (there are {known})")));
    }
    let bytes = guest::read_program(wanted)?;
    let title = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    check(&title, &bytes)?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' };
    let file: String = title.chars().map(plain).collect();
    let path = format!("programs/{file}");
    let about = json!({ "name": file.to_ascii_lowercase(), "title": title, "file": path });
    Ok(Program { about, path, bytes })
}

/// Whether it will start there.
fn check(title: &str, bytes: &[u8]) -> Result<(), Failure> {
    if Image::is_disk(title, bytes.len() as u64, bytes) {
        let image =
            Image::in_memory(title, bytes.to_vec()).map_err(|error| Failure::Host(error.to_string()))?;
        return if image.may_boot() {
            Ok(())
        } else {
            Err(Failure::Host(format!("{title} has nothing to start")))
        };
    }
    let extension = title.rsplit_once('.').map_or("", |(_, extension)| extension);
    if !["com", "exe"].iter().any(|known| known.eq_ignore_ascii_case(extension)) {
        return Err(Failure::Usage(format!(
            "{title} is no .COM, .EXE or disk image; 'oxbox build' makes a program of a source"
        )));
    }
    Machine::start(&Config::default(), bytes, title, "")
        .map(|_| ())
        .map_err(|error| Failure::host(format!("cannot load {title}"), error))
}

/// The module: the file that was named, or the one that cargo has made last.
fn read_module(named: Option<&Path>) -> Result<Vec<u8>, Failure> {
    if let Some(path) = named {
        return std::fs::read(path)
            .map_err(|error| Failure::host(format!("cannot read {}", path.display()), error));
    }
    let beside = std::env::current_exe().ok();
    let beside = beside.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_owned);
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let places = [target, Some(PathBuf::from("target")), beside];
    places
        .into_iter()
        .flatten()
        .find_map(|folder| std::fs::read(folder.join(BUILT)).ok())
        .ok_or_else(|| Failure::Host(format!(
            "the machine has not been built for browsers (target/{BUILT}). In the sources of oxbox type\n{HOW}\nor name it with --wasm FILE"
        )))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error| Failure::host(format!("cannot write {}", path.display()), error);
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    whole_file::write(path, bytes).map_err(failed)
}
