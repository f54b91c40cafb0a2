//! `oxbox publish`: writes a folder of files for any web server, which plays games or the user's
//! own programs in a browser.

mod module;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use oxbox::built_in::COMMAND_COM;
use oxbox::games::{self, GAMES, Game};
use oxbox::hardware::disk::Image;
use oxbox::inspect::Symbols;
use oxbox::machine::{Config, Machine, SavedState};
use oxbox::toolchain::{self, Format, debug_file};
use serde_json::{Value, json};

use super::arguments::{GuestOptions, Publish, Run};
use super::failure::Failure;
use super::program::{guest_of, has_extension};
use super::{guest, outputs};

/// The page: names and contents of its files.
const PAGE: [(&str, &[u8]); 18] = [
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
    ("states.js", include_bytes!("../../web/states.js")),
    ("store.js", include_bytes!("../../web/store.js")),
    ("study.js", include_bytes!("../../web/study.js")),
    ("wasm.js", include_bytes!("../../web/wasm.js")),
    ("worker.js", include_bytes!("../../web/worker.js")),
    ("zip.js", include_bytes!("../../web/zip.js")),
];

/// Paths of the module below cargo's target folder: for its own profile, and the usual one.
const BUILT: [&str; 2] =
    ["wasm32-unknown-unknown/web/oxbox_web.wasm", "wasm32-unknown-unknown/release/oxbox_web.wasm"];

const HOW: &str = "\
    rustup target add wasm32-unknown-unknown
    cargo rustc -p oxbox-web --profile web --lib --crate-type cdylib --target wasm32-unknown-unknown";

struct Program {
    /// The page's data about it: its name in links, title, files, and identification in states.
    about: Value,
    /// Its files on the site: the program, debug information, sources.
    files: Vec<(String, Vec<u8>)>,
}

impl Program {
    /// Returns a program file; `about` is further data.
    fn new(name: &str, file: &str, bytes: Vec<u8>, mut about: Value) -> Program {
        let path = format!("programs/{}", plain(file));
        about["name"] = json!(name);
        about["file"] = json!(path);
        about["identity"] = json!(SavedState::program_text(SavedState::program(&bytes)));
        Program { about, files: vec![(path, bytes)] }
    }

    /// Adds debug information, and the sources that are available.
    fn with_sources(
        mut self,
        debug: String,
        symbols: &Symbols,
        text_of: impl Fn(&str) -> Option<String>,
    ) -> Program {
        let program = self.files[0].0.clone();
        let path = format!("{program}.dbg");
        self.about["debug"] = json!(path);
        self.files.push((path, debug.into_bytes()));
        let mut paths = serde_json::Map::new();
        for (number, name) in symbols.files().iter().enumerate() {
            let Some(text) = text_of(name) else { continue };
            let base = plain(name.rsplit(['/', '\\']).next().unwrap_or(name));
            let path = format!("{program}.source/{number}-{base}");
            paths.insert(name.clone(), json!(path));
            self.files.push((path, text.into_bytes()));
        }
        self.about["sources"] = Value::Object(paths);
        self
    }
}

pub(super) fn run(options: &Publish) -> Result<u8, Failure> {
    let programs = match options.programs.as_slice() {
        [] => GAMES.iter().map(game_of).collect(),
        wanted => wanted.iter().map(|program| program_of(program)).collect::<Result<Vec<_>, _>>()?,
    };
    let mut names = BTreeSet::new();
    if let Some(twice) = programs.iter().find(|program| !names.insert(program.about["name"].to_string())) {
        return Err(Failure::Usage(format!("two programs have the name {}", twice.about["name"])));
    }
    let module = module::stripped(&read_module(options.wasm.as_deref())?)?;
    let about: Vec<&Value> = programs.iter().map(|program| &program.about).collect();
    let site = format!("{:#}\n", json!({ "programs": about }));
    let own =
        [("oxbox.wasm", module.as_slice()), ("site.json", site.as_bytes()), ("COMMAND.COM", COMMAND_COM)];
    let files = programs.iter().flat_map(|program| &program.files);
    let files = files.map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
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
    let about = json!({
        "title": game.title, "year": game.year, "author": game.author, "about": game.about, "keys": game.keys,
    });
    let program = Program::new(game.name, game.file, game.program.to_vec(), about);
    match debug_file::read(game.debug) {
        Ok(found) => program.with_sources(game.debug.to_owned(), &found.symbols, |name| {
            games::source(name).map(str::to_owned)
        }),
        Err(_) => program,
    }
}

/// Returns a game by its name, or a program file, its source, or a disk.
fn program_of(wanted: &Path) -> Result<Program, Failure> {
    if let Some(game) = wanted.to_str().and_then(games::find) {
        return Ok(game_of(game));
    }
    let first = toolchain::parts(wanted).into_iter().next().unwrap_or_default();
    if !first.exists() {
        let known: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
        let (wanted, known) = (wanted.display(), known.join(", "));
        return Err(Failure::Usage(format!("{wanted} is neither a file nor a game (there are {known})")));
    }
    let title = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let guest = guest_of(&Run::of(wanted, GuestOptions::default()))?;
    if guest.batch.is_some() {
        return Err(Failure::Usage(format!("{title} is a batch file: the page starts programs")));
    }
    if guest.disk.is_some() {
        let bytes = guest::read_program(wanted)?;
        check(&title, &bytes)?;
        return Ok(Program::new(&name_of(&title), &title, bytes, json!({ "title": title })));
    }
    check(&guest.name, &guest.bytes)?;
    let about = json!({ "title": guest.title });
    let program = Program::new(&name_of(&guest.name), &guest.name, guest.bytes.clone(), about);
    let Some(symbols) = guest.symbols.filter(|symbols| !symbols.files().is_empty()) else {
        return Ok(program);
    };
    let is_com = has_extension(Path::new(&guest.name), &["com"]);
    let format = if is_com { Format::Com } else { Format::Exe };
    let debug = debug_file::write(&symbols, format, &guest.bytes);
    Ok(program.with_sources(debug, &symbols, |name| {
        games::source(name).map(str::to_owned).or_else(|| std::fs::read_to_string(name).ok())
    }))
}

pub(super) fn name_of(file: &str) -> String {
    plain(file).to_ascii_lowercase()
}

/// Returns a name that needs no escaping in an address.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' };
    name.chars().map(plain).collect()
}

/// Checks that it will start on the page.
fn check(title: &str, bytes: &[u8]) -> Result<(), Failure> {
    if Image::is_disk(title, bytes.len() as u64, bytes) {
        let image =
            Image::in_memory(title, bytes.to_vec()).map_err(|error| Failure::Host(error.to_string()))?;
        return if image.may_boot() {
            Ok(())
        } else {
            Err(Failure::Host(format!("{title} is not bootable")))
        };
    }
    if !has_extension(Path::new(title), &["com", "exe"]) {
        return Err(Failure::Usage(format!("{title} is not a .COM, .EXE, .ASM or disk image")));
    }
    Machine::start(&Config::default(), bytes, title, "")
        .map(|_| ())
        .map_err(|error| Failure::host(format!("cannot load {title}"), error))
}

/// Reads the module: the given file, or the one that cargo has built last.
fn read_module(named: Option<&Path>) -> Result<Vec<u8>, Failure> {
    if let Some(path) = named {
        return std::fs::read(path)
            .map_err(|error| Failure::host(format!("cannot read {}", path.display()), error));
    }
    let beside = std::env::current_exe().ok();
    let beside = beside.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_owned);
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folders = [target, Some(PathBuf::from("target")), beside];
    let newest = |folder: PathBuf| {
        let paths = BUILT.iter().map(|built| folder.join(built));
        paths.max_by_key(|path| std::fs::metadata(path).and_then(|about| about.modified()).ok())
    };
    folders
        .into_iter()
        .flatten()
        .filter_map(newest)
        .find_map(|path| std::fs::read(path).ok())
        .ok_or_else(|| Failure::Host(format!(
            "the WebAssembly module is missing (target/{}). In the sources of oxbox run\n{HOW}\nor name the module with --wasm FILE",
            BUILT[0]
        )))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(|error| Failure::unwritten(path, error))?;
    outputs::write(path, bytes)
}
