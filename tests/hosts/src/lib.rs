//! What has to be the same on every host: a line a run with its state hash and its picture, and the JSON of `verify`.
//!
//! `.ci/hosts` runs it on several and compares. A host without files or arguments (WebAssembly) hands programs over through
//! [`room`] and calls [`run`], then [`games`], and reads what [`report`] and [`report_length`] tell.

use oxbox::cpu::Model;
use oxbox::games::GAMES;
use oxbox::hardware::vga::Frame;
use oxbox::machine::{Config, Key, Machine, Playback, Played, Script, ScriptHost, Stop, Until};
use oxbox::verify::Report;
use std::cell::RefCell;
use std::fmt::Write as _;

/// No program computes for longer.
const LIMIT: Until = Until { cycle: 60_000_000, instructions: 40_000_000, key_wait: true };

struct NoFiles;

impl ScriptHost for NoFiles {
    fn shot(&mut self, _: &str, _: &Frame) -> Result<(), String> {
        Ok(())
    }

    fn text(&mut self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// FNV-1a of a picture.
fn of_picture(frame: &Frame) -> u64 {
    let bytes = frame.pixels.iter().flat_map(|pixel| pixel.to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// Runs a program with keys and says how it stood at the end.
pub fn line(name: &str, program: &[u8], arguments: &str, keys: &str, model: Model) -> String {
    let told = format!("{name} {arguments} {model:?}:");
    let mut machine = match Machine::new(&Config { model, ..Config::default() }) {
        Ok(machine) => machine,
        Err(error) => return format!("{told} {error}"),
    };
    if let Err(error) = machine.load(program, name, arguments) {
        return format!("{told} {error}");
    }
    let script = Script::from_keys(keys).unwrap_or_default();
    let played = Playback::new(script).run(&mut machine, &LIMIT, &mut NoFiles, &mut ());
    let mut text = format!("{told} {played:?} after {} instructions", machine.instructions());
    let _ = write!(text, ", state {:016x}", machine.state_hash());
    let _ = write!(text, ", picture {:016x}", of_picture(&machine.still_frame()));
    if played == Played::Stopped(Stop::KeyWait)
        && let Ok(key) = "SP".parse::<Key>()
    {
        machine.type_key(key);
        let stop = machine.run(&LIMIT, &mut ());
        let _ = write!(text, "; SP: {stop:?}, state {:016x}", machine.state_hash());
    }
    text
}

/// A program as it comes, on each processor; what video programs take as their mode is given them.
pub fn lines(name: &str, program: &[u8]) -> String {
    let modes: &[&str] = match name {
        "text.com" => &["00", "01", "02", "03", "07"],
        "cga.com" => &["04", "05", "06"],
        "planes.com" => &["0D", "0E", "0F", "10", "11", "12"],
        "linear.com" => &["13"],
        "unchain.com" => &["00", "01", "02", "03", "04", "05"],
        _ => &[""],
    };
    let models = [Model::I8086, Model::I186, Model::I286, Model::I386];
    let models = if modes.len() > 1 { &models[3..] } else { &models[..] };
    let runs = modes.iter().flat_map(|mode| models.iter().map(move |model| (mode, *model)));
    runs.map(|(mode, model)| line(name, program, mode, "", model) + "\n").collect()
}

/// The games: a sample of each, then every line of play.
pub fn all_games() -> String {
    let mut text = String::new();
    let mut report = Report::default();
    for game in GAMES {
        text += &(line(game.file, game.program, "", game.sample, Model::I386) + "\n");
        match game.verify(game.program, game.file, |_| {}) {
            Ok(one) => report.games.push(one),
            Err(error) => text += &format!("{}: {error}\n", game.name),
        }
    }
    text + &serde_json::to_string_pretty(&report).unwrap_or_else(|error| error.to_string()) + "\n"
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPORT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where so many bytes of input go.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

/// Runs a program: its name, which has so many bytes, and then itself.
#[unsafe(no_mangle)]
pub extern "C" fn run(name: usize) {
    let input = INPUT.take();
    let Some((name, program)) = input.split_at_checked(name) else { return };
    let told = lines(&String::from_utf8_lossy(name), program);
    REPORT.with_borrow_mut(|report| report.push_str(&told));
}

/// Plays and verifies the games.
#[unsafe(no_mangle)]
pub extern "C" fn games() {
    let told = all_games();
    REPORT.with_borrow_mut(|report| report.push_str(&told));
}

/// Where the report stands.
#[unsafe(no_mangle)]
pub extern "C" fn report() -> *const u8 {
    REPORT.with_borrow(|report| report.as_ptr())
}

/// Its length.
#[unsafe(no_mangle)]
pub extern "C" fn report_length() -> usize {
    REPORT.with_borrow(String::len)
}
