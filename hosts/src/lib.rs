//! Results that must be identical on every host, byte for byte: the states after a set of runs, and
//! the report of `verify`.
//!
//! It uses only the library, without features, so that wasm32 can run it too. `.ci/hosts` compares
//! all hosts.

mod programs;
#[cfg(target_arch = "wasm32")]
mod wasm;

use oxbox::cpu::Model;
use oxbox::games::GAMES;
use oxbox::hardware::speaker::{Synth, to_i16};
use oxbox::machine::{Config, Machine, Playback, Script, Until};
use oxbox::verify::Report;
use programs::{PROGRAMS, Program};
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

/// The limit of a run in instructions: more than a second of virtual time.
const MOST_INSTRUCTIONS: u64 = 4_000_000;

/// Samples per second of the compared sound.
const SAMPLE_RATE: u32 = 44_100;

/// Returns one line per run: its name, its end, and hashes of its state, its picture and its sound.
pub fn runs() -> String {
    let games = GAMES.iter().map(|game| Program {
        name: game.file,
        bytes: game.program,
        arguments: &[""],
        keys: game.sample,
        input: "",
    });
    let mut text = String::new();
    for program in games.chain(PROGRAMS) {
        for model in [Model::I8086, Model::I286, Model::I386] {
            for arguments in program.arguments {
                let Program { name, keys, .. } = program;
                let _ = write!(text, "{name} {arguments} [{keys}] on {model:?}: ");
                match run(&program, arguments, model) {
                    Ok(line) => text += &line,
                    Err(why) => text += &why,
                }
                text.push('\n');
            }
        }
    }
    text
}

fn run(program: &Program, arguments: &str, model: Model) -> Result<String, String> {
    let config = Config { model, ..oxbox::built_in::config() };
    let mut machine =
        Machine::start(&config, program.bytes, program.name, arguments).map_err(|error| error.to_string())?;
    machine.redirect_output();
    if !program.input.is_empty() {
        machine.redirect_input();
        machine.feed_input(program.input.as_bytes());
        machine.close_input();
    }
    let script = Script::from_keys(program.keys).map_err(|error| error.to_string())?;
    let until = Until { instructions: MOST_INSTRUCTIONS, ..Until::KEY_WAIT };
    let end = Playback::new(script).run(&mut machine, &until, &mut (), &mut ());
    let frame = machine.frame();
    let picture: Vec<u8> = frame.pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
    Ok(format!(
        "{end:?} after {} instructions, state {:016x}, output {:016x}, picture {}x{} {:016x}, sound {:016x}",
        machine.instructions(),
        machine.state_hash(),
        xxh3_64(&machine.take_output()),
        frame.width,
        frame.height,
        xxh3_64(&picture),
        xxh3_64(&sound(&mut machine)),
    ))
}

/// Returns the speaker's sound as in a WAV file.
fn sound(machine: &mut Machine) -> Vec<u8> {
    let mut synth = Synth::new(SAMPLE_RATE);
    let mut samples = synth.render(&machine.take_sound());
    samples.extend(synth.finish());
    samples.into_iter().flat_map(|sample| to_i16(sample).to_le_bytes()).collect()
}

/// Returns the output of `oxbox verify --json`.
pub fn verify() -> String {
    let walk = |game: &oxbox::games::Game| game.verify(game.program, game.file, |_| {});
    match GAMES.iter().map(walk).collect() {
        Ok(games) => match serde_json::to_string_pretty(&Report { games }) {
            Ok(text) => text + "\n",
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    }
}
