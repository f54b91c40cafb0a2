//! The requests of a page, and their answers.

use super::player::{LoadedProgram, PlayError, Player, StateError};
use super::{film, study};
use oxbox_inspect::Symbols;
use oxbox_machine::hardware::ParseDateTimeError;
use oxbox_machine::hardware::vga::Frame;
use oxbox_machine::machine::{
    Action, Key, KeyboardMapper, ParseKeyError, ParseLinkError, SavedState, SavedStateError, Script,
};
use oxbox_machine::notice::Notice;
use oxbox_toolchain::debug_file;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

/// The highest sample rate in Hz.
const MOST_RATE: u32 = 192_000;

/// A file whose bytes follow a request or an answer, in the order of the files.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct File {
    name: String,
    length: usize,
}

/// A request of a page, such as `{"do": "advance", "ms": 10}`.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Switches the machine on with the first of `files`, a program or a disk; the others are on
    /// drive C:. `link` is typed first, or the input of a saved state. `rate` is the sample rate in
    /// Hz. The bytes of the files are followed by debug information and a saved state with the
    /// given lengths.
    Start {
        files: Vec<File>,
        #[serde(default)]
        symbols: usize,
        #[serde(default)]
        state: usize,
        #[serde(default)]
        link: String,
        /// Date and time at power-on, `1990-06-15 13:45:10`, unless a link or state specifies it.
        #[serde(default)]
        clock: Option<String>,
        rate: u32,
    },
    /// The bytes are COMMAND.COM, for drive Z: of programs that start later. Accepted once.
    CommandCom,
    /// Returns information on a saved state, and the pixels of its thumbnail.
    Look,
    /// Ends the replay of a state's keys and uses the state.
    Settle,
    /// Returns the state as a file. `saved_at` is in seconds since 1970.
    Save { saved_at: u64 },
    /// Returns the last minute as a GIF.
    Film,
    /// Replays the input of the link for at most this many instructions: `true` when it is done.
    Arrive { instructions: u64 },
    /// Advances virtual time. Returns the state, and the samples as bytes.
    Advance { ms: f64 },
    /// Returns the picture as bytes (R, G, B, 255) if it has changed, or in any case with `again`.
    Picture { again: bool },
    /// Returns the text screen; null in graphics modes.
    Text,
    /// A key event, with the key's name on a US keyboard and the typed character.
    Key { name: String, typed: Option<char>, down: bool },
    /// A character without a key.
    Character { typed: char },
    /// The page has lost the keyboard focus.
    ReleaseKeys,
    /// Sets the guest's speed in instructions per millisecond.
    Speed { speed: u32 },
    /// The mouse position in the picture, as fractions of width and height from 0 to 1.
    Mouse { x: f64, y: f64 },
    /// A mouse button event: 0 left, 1 middle, 2 right.
    Button { number: u8, down: bool },
    /// Returns the run up to now as the part of a link, as a script, and the state hash.
    Record,
    /// Returns the current state hash.
    Hash,
    /// Returns registers, instructions and stack.
    Study { lines: usize },
    /// Steps by one instruction.
    Step { back: bool },
    /// Seeks to a time in milliseconds.
    Go { ms: u64 },
    /// Seeks to the instruction that wrote a pixel of the picture.
    Who { x: usize, y: usize },
    /// Returns bytes of memory from a linear address on.
    Memory { address: u32, length: u32 },
    /// Returns the files of drive C: and their bytes.
    Files,
}

#[derive(Debug, Error)]
enum RequestError {
    #[error("unknown request of the page: {0}")]
    Unknown(#[from] serde_json::Error),
    #[error("no program has been started")]
    NotStarted,
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error(transparent)]
    Link(#[from] ParseLinkError),
    #[error(transparent)]
    Clock(#[from] ParseDateTimeError),
    #[error(transparent)]
    Key(#[from] ParseKeyError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Saved(#[from] SavedStateError),
    #[error("no film: {0}")]
    Film(#[from] std::io::Error),
    #[error("the debug information: {0}")]
    Symbols(#[from] debug_file::DebugFileError),
}

/// An answer: JSON, which is `{"error": "..."}` for an error, and bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The JSON.
    pub text: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The machine of a page, once it is started.
#[derive(Debug, Default)]
pub struct Host {
    player: Option<Player>,
    /// COMMAND.COM for drive Z:.
    command_com: &'static [u8],
}

impl Host {
    fn player(&mut self) -> Result<&mut Player, RequestError> {
        self.player.as_mut().ok_or(RequestError::NotStarted)
    }
}

/// Answers a request.
///
/// ```
/// use oxbox_web::requests::{Host, answer};
///
/// let mut page = Host::default();
/// // mov ah, 0; int 16h; mov ah, 4Ch; int 21h
/// let start = br#"{"do": "start", "files": [{"name": "KEY.COM", "length": 8}], "rate": 48000}"#;
/// answer(&mut page, start, b"\xB4\x00\xCD\x16\xB4\x4C\xCD\x21");
/// let state = answer(&mut page, br#"{"do": "advance", "ms": 100}"#, b"");
/// assert!(state.text.contains("\"ms\":100"));
/// ```
pub fn answer(host: &mut Host, text: &[u8], bytes: &[u8]) -> Answer {
    let answered = serde_json::from_slice(text)
        .map_err(RequestError::from)
        .and_then(|request: Request| respond(host, request, bytes));
    let (value, bytes) = answered.unwrap_or_else(|error| (json!({ "error": error.to_string() }), Vec::new()));
    Answer { text: value.to_string(), bytes }
}

fn respond(host: &mut Host, request: Request, bytes: &[u8]) -> Result<(Value, Vec<u8>), RequestError> {
    let mut more = Vec::new();
    let value = match request {
        Request::Start { files, symbols, state: length, link, clock, rate } => {
            let (mut cartridge, rest) = cartridge(&files, bytes)?;
            cartridge.command_com = host.command_com;
            let (symbols, saved) = rest.split_at(symbols.min(rest.len()));
            cartridge.symbols = symbols_of(symbols, &cartridge.bytes)?;
            cartridge.script = Script::from_link(&link)?;
            let clock = clock.map(|clock| clock.parse()).transpose()?;
            cartridge.script.settings.clock = cartridge.script.settings.clock.or(clock);
            let rate = rate.min(MOST_RATE);
            let saved = match length {
                0 => None,
                length => {
                    let saved = SavedState::from_bytes(&saved[..length.min(saved.len())])?;
                    saved.check_program(cartridge.identity())?;
                    Some(saved)
                }
            };
            host.player = None; // its memory is freed before the next one is allocated
            host.player = Some(match saved {
                Some(saved) => Player::from_state(cartridge, saved, rate)?,
                None => Player::new(cartridge, rate)?,
            });
            state(host.player()?)
        }
        Request::CommandCom => {
            if host.command_com.is_empty() {
                host.command_com = Vec::leak(bytes.to_vec());
            }
            Value::Null
        }
        Request::Look => {
            let saved = SavedState::from_bytes(bytes)?;
            let thumbnail = saved.thumbnail();
            more = rgba(&thumbnail);
            about(&saved, &thumbnail)
        }
        Request::Settle => {
            let player = host.player()?;
            player.settle()?;
            json!(player.is_whole())
        }
        Request::Save { saved_at } => {
            let saved = host.player()?.save(saved_at)?;
            more = saved.to_bytes()?;
            about(&saved, &saved.thumbnail())
        }
        Request::Film => {
            more = film::last_minute(host.player()?)?;
            Value::Null
        }
        Request::Arrive { instructions } => json!(host.player()?.fast_forward(instructions)),
        Request::Advance { ms } => {
            let player = host.player()?;
            let samples = player.advance((ms.clamp(0.0, 1000.0) * 1e6) as u64);
            more = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
            state(player)
        }
        Request::Picture { again } => {
            let player = host.player()?;
            if again {
                let frame = player.machine().frame();
                more = rgba(&frame);
                size(&frame)
            } else {
                player.picture().map_or(Value::Null, |frame| {
                    more = rgba(frame);
                    size(frame)
                })
            }
        }
        Request::Text => json!(host.player()?.machine().text().map(|text| {
            let rows: Vec<String> = (0..text.rows).map(|row| text.line(row)).collect();
            json!({ "columns": text.columns, "rows": rows })
        })),
        Request::Key { name, typed, down } => {
            let key: Key = name.parse()?;
            let player = host.player()?;
            player
                .type_by(|keyboard| if down { keyboard.key_down(key, typed) } else { keyboard.key_up(key) });
            Value::Null
        }
        Request::Character { typed } => {
            host.player()?.type_by(|keyboard| keyboard.character(typed));
            Value::Null
        }
        Request::ReleaseKeys => {
            host.player()?.type_by(KeyboardMapper::release_all);
            Value::Null
        }
        Request::Speed { speed } => {
            host.player()?.act(Action::Speed(speed.max(1)));
            Value::Null
        }
        Request::Mouse { x, y } => {
            let player = host.player()?;
            let part = |at: f64| ((at.clamp(0.0, 1.0) * 65_535.0) as u32, 65_536);
            let (x, y) = player.machine().mouse_place(part(x), part(y));
            player.act(Action::Mouse(x, y));
            Value::Null
        }
        Request::Button { number, down } => {
            let name = ["left", "middle", "right"].get(usize::from(number));
            if let Some(Ok(button)) = name.map(|name| name.parse()) {
                host.player()?.act(Action::Button(button, down));
            }
            Value::Null
        }
        Request::Record => {
            let player = host.player()?;
            let script = player.recording();
            let hash = format!("{:016x}", player.machine().state_hash());
            json!({ "link": script.to_link(), "script": script.to_string(), "hash": hash, "whole": player.is_whole() })
        }
        Request::Hash => json!(format!("{:016x}", host.player()?.machine().state_hash())),
        Request::Study { lines } => json!(study::view(host.player()?, lines.min(200))),
        Request::Step { back: false } => json!(study::step(host.player()?)),
        Request::Step { back: true } => json!(study::step_back(host.player()?)),
        Request::Go { ms } => {
            let player = host.player()?;
            player.go_to(ms);
            state(player)
        }
        Request::Who { x, y } => json!(study::go_to_writer(host.player()?, x, y)),
        Request::Memory { address, length } => {
            more = host.player()?.timeline().machine_mut().read_memory(address, length.min(0x1_0000));
            Value::Null
        }
        Request::Files => {
            let files = host.player()?.timeline().machine_mut().kept_files();
            let named = files.iter().map(|(name, bytes)| File { name: name.clone(), length: bytes.len() });
            let named: Vec<File> = named.collect();
            more = files.into_iter().flat_map(|(_, bytes)| bytes).collect();
            json!(named)
        }
    };
    Ok((value, more))
}

/// Returns the first of some files with the others for drive C:, and the remaining bytes.
fn cartridge<'a>(files: &[File], bytes: &'a [u8]) -> Result<(LoadedProgram, &'a [u8]), RequestError> {
    let mut rest = bytes;
    let mut read: Vec<(String, Vec<u8>)> = Vec::new();
    for file in files {
        let (own, others) = rest.split_at(file.length.min(rest.len()));
        rest = others;
        read.push((file.name.clone(), own.to_vec()));
    }
    if read.is_empty() {
        return Err(RequestError::NotStarted);
    }
    let (name, bytes) = read.remove(0);
    Ok((LoadedProgram { name, bytes, files: read, ..LoadedProgram::default() }, rest))
}

/// Parses symbols and lines, unless they belong to a different program.
fn symbols_of(text: &[u8], program: &[u8]) -> Result<Symbols, RequestError> {
    if text.is_empty() {
        return Ok(Symbols::default());
    }
    let found = debug_file::read(&String::from_utf8_lossy(text))?;
    Ok(if found.is_of(program) { found.symbols } else { Symbols::default() })
}

fn about(saved: &SavedState, thumbnail: &Frame) -> Value {
    json!({
        "program": SavedState::program_text(saved.program),
        "title": saved.title,
        "ms": saved.nanoseconds / 1_000_000,
        "saved_at": saved.saved_at,
        "width": thumbnail.width,
        "height": thumbnail.height,
    })
}

fn state(player: &mut Player) -> Value {
    let lines = player.news();
    let notices = player.timeline().machine_mut().take_notices();
    let notices: Vec<String> = notices.iter().map(Notice::to_string).collect();
    let machine = player.machine();
    json!({
        "program": SavedState::program_text(player.cartridge().identity()),
        "ms": machine.nanoseconds() / 1_000_000,
        "end_ms": player.end_ms(),
        "instructions": machine.instructions(),
        "speed": machine.speed(),
        "mouse": machine.program_uses_mouse(),
        "ended": player.end(),
        "lines": lines,
        "notices": notices,
    })
}

fn size(frame: &Frame) -> Value {
    let (x, y) = frame.pixel_aspect;
    json!({ "width": frame.width, "height": frame.height, "aspect": [x, y] })
}

fn rgba(frame: &Frame) -> Vec<u8> {
    frame.pixels.iter().flat_map(|pixel| (pixel << 8 | 0xFF).to_be_bytes()).collect()
}
