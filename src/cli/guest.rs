//! What `run` and `play` share: a machine from the options, where it is shown, and what is written at the end.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::frontend::console::Shown;
use crate::frontend::files::Files;
use crate::frontend::film::{self, Film};
use crate::frontend::session::{self, End, Limits, Session};
use crate::frontend::watch::{Wanted, Watch};
use crate::frontend::wav::WavWriter;
use crate::frontend::{Display, Place, by_ear, console, files, picture};
use oxbox::dos::{COMMAND_COM, COMSPEC, DosOptions};
use oxbox::hardware::speaker::Response;
use oxbox::inspect::{Explanation, Program, Programs, Symbols};
use oxbox::machine::{Config, Machine, SavedState, Script, StartError};

use super::arguments::{Coprocessor, FrontOptions, GuestOptions, Palette};
use super::disks::{self, BootDisk};
use super::failure::Failure;
use super::{outputs, report, symbols};

/// A program to be run.
pub(super) struct Guest {
    /// What it is called in titles, messages and file names.
    pub(super) title: String,
    /// Its name on drive C:.
    pub(super) name: String,
    /// The file.
    pub(super) bytes: Vec<u8>,
    /// Its command tail.
    pub(super) tail: String,
    /// A batch file of drive C:, as the host names it: the command interpreter runs it, and the tail is its own.
    pub(super) batch: Option<String>,
    /// The host folder that is drive C:, unless an option says otherwise.
    pub(super) folder: Option<PathBuf>,
    /// The files that it was made of, which the run must not destroy.
    pub(super) inputs: Vec<PathBuf>,
    /// What is known of its source.
    pub(super) symbols: Option<Symbols>,
    /// The disk that is started in its place.
    pub(super) disk: Option<BootDisk>,
}

/// The place that the options ask for.
pub(super) enum Wish {
    /// A screen.
    Screen(Place),
    /// None.
    Headless,
    /// None: the program is listened to.
    ByEar,
    /// Nothing was said.
    Default,
}

/// Where the machine is to be shown: as asked, and nowhere when there are keys to type and nothing was asked.
pub(super) fn wanted(options: &GuestOptions) -> Wish {
    match &options.front {
        FrontOptions { window: true, .. } => Wish::Screen(Place::Window),
        FrontOptions { terminal: true, .. } => Wish::Screen(Place::Terminal),
        FrontOptions { headless: true, .. } => Wish::Headless,
        _ if options.keys.is_some() || options.script.is_some() => Wish::Headless,
        // Whoever asks for the screen wants the program to write there, and not to stdout.
        _ if options.transcript.as_deref() == Some(Path::new("-")) => Wish::ByEar,
        _ if options.text.is_some() || options.shot.is_some() || options.json => Wish::Headless,
        _ if options.gif.is_some() || options.cast.is_some() => Wish::Headless,
        _ => Wish::Default,
    }
}

/// Switches a machine on, loads the program and makes everything ready that the options ask for.
pub(super) fn prepare(guest: &Guest, options: &GuestOptions) -> Result<Session, Failure> {
    let script = read_script(options)?;
    let machine = power_on(guest, options)?;
    let limits = Limits {
        cycle: options.time_limit.map_or(u64::MAX, |ms| machine.cycle_at_ms(ms)),
        instructions: options.instruction_limit.unwrap_or(u64::MAX),
    };
    let symbols = guest.symbols.clone().unwrap_or_default();
    let program = Program::new(symbols, &machine.cpu().regs, guest.bytes.len());
    let lookup = || symbols::of_drive(options.dir.clone().or_else(|| guest.folder.clone()));
    let programs = Programs::new(&guest.name, program.clone(), &machine, lookup());
    let wanted = Wanted {
        traces: options.trace.clone(),
        coverage: options.coverage.clone(),
        profile: options.profile.clone(),
    };
    let watch = Watch::begin(&wanted, programs).map_err(|(path, error)| cannot_write(&path, error))?;
    let mut session = Session::new(&guest.title, machine, script.clone(), limits);
    session.set_identity(SavedState::program(&guest.bytes));
    if let Some(path) = &options.load_state {
        let state = session::slots::read(path).map_err(Failure::Host)?;
        session.go_on_from(&state, path, &script).map_err(Failure::Host)?;
    }
    session.set_watch(watch);
    session.set_files(files(guest, options)?);
    session.set_program(program, lookup());
    let (gif, cast, transcript) = (options.gif.clone(), options.cast.clone(), options.transcript.clone());
    session.set_film(Film::begin(&film::Wanted { gif, cast, transcript }, &guest.title));
    if options.json {
        session.keep_output();
    }
    if let Some(path) = &options.wav {
        let wav = WavWriter::create(path, options.front.speaker.map_or(Response::Raw, Into::into))
            .map_err(|error| cannot_write(path, error))?;
        session.set_wav(wav);
    }
    Ok(session)
}

/// The command interpreter, in a folder.
pub(super) fn shell(folder: PathBuf) -> Guest {
    Guest {
        title: "shell".to_owned(),
        name: COMSPEC.to_owned(),
        bytes: COMMAND_COM.to_vec(),
        tail: String::new(),
        batch: None,
        folder: Some(folder),
        inputs: Vec::new(),
        symbols: None,
        disk: None,
    }
}

/// Switches a machine on and loads the program.
pub(super) fn power_on(guest: &Guest, options: &GuestOptions) -> Result<Machine, Failure> {
    let folder = options.dir.clone().or_else(|| guest.folder.clone());
    let environment = options.env.clone();
    let drives = drives(options)?;
    let (read_only, no_ansi) = (options.read_only, options.no_ansi);
    let (no_xms, no_ems) = (options.no_xms, options.no_ems);
    let fixed_stamp = None;
    let dos = DosOptions { folder, drives, read_only, environment, no_ansi, no_xms, no_ems, fixed_stamp };
    let fpu = options.fpu == Coprocessor::Auto;
    let (model, memory_kib, speed) = (options.cpu.into(), options.memory, options.speed);
    let adapter = options.machine.into();
    let translate_after = (!options.no_translate).then_some(options.translate_after);
    let mut config =
        Config { model, fpu, adapter, memory_kib, speed, translate_after, dos, ..Config::default() };
    disks::fill(&mut config, guest.disk.as_ref(), options)?;
    let cannot_load = |error: StartError| match error {
        StartError::Folder(error) => Failure::Host(error.to_string()),
        error => Failure::host(format!("cannot load {}", guest.title), error),
    };
    let Some(batch) = &guest.batch else {
        return Machine::start(&config, &guest.bytes, &guest.name, &guest.tail).map_err(cannot_load);
    };
    let mut machine = Machine::new(&config).map_err(|error| cannot_load(error.into()))?;
    let missing = || Failure::Host(format!("{batch} is not in the folder that is drive C:"));
    let tail = format!("/C {} {}", machine.dos_name(batch).ok_or_else(missing)?, guest.tail);
    machine.load(&guest.bytes, &guest.name, &tail).map_err(|error| cannot_load(error.into()))?;
    Ok(machine)
}

/// The folders of --drive, each letter once.
fn drives(options: &GuestOptions) -> Result<Vec<(char, PathBuf)>, Failure> {
    let drives = &options.drive;
    let twice = drives.iter().enumerate().find_map(|(number, (letter, _))| {
        drives[..number].iter().any(|(other, _)| other == letter).then_some(letter)
    });
    match twice {
        Some(letter) => Err(Failure::Usage(format!("--drive: {letter}: is given twice"))),
        None => Ok(drives.clone()),
    }
}

/// Where a script may write: below --out, else below its own folder.
fn files(guest: &Guest, options: &GuestOptions) -> Result<Files, Failure> {
    let script = options.script.as_deref();
    let folder = match (&options.out, script) {
        (Some(out), _) if !out.is_dir() => {
            return Err(Failure::Usage(format!("--out: {} is no folder", out.display())));
        }
        (Some(out), _) => out.clone(),
        (None, Some(script)) => script.parent().map(Path::to_owned).unwrap_or_default(),
        (None, None) => PathBuf::new(),
    };
    let inputs = guest.inputs.iter().map(PathBuf::as_path).chain(outputs::read(options));
    let inputs = inputs.map(Path::to_owned).collect();
    Ok(Files::new(folder, inputs))
}

pub(super) fn read_script(options: &GuestOptions) -> Result<Script, Failure> {
    if let Some(keys) = &options.keys {
        return Script::from_keys(keys).map_err(|error| Failure::Usage(format!("--keys: {error}")));
    }
    let Some(path) = &options.script else { return Ok(Script::default()) };
    let cannot_read = |error| Failure::host(format!("cannot read the script {}", path.display()), error);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(cannot_read)?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(cannot_read)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(Failure::Host(format!("{} is too large for a script", path.display())));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
        Failure::Usage(format!("{}: line {line}: it is not UTF-8", path.display()))
    })?;
    text.parse().map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// Plays the session where it is wanted, or headless where that is nowhere or there is no screen. What the user has seen of it.
pub(super) fn play(session: &mut Session, place: Option<Place>, front: &FrontOptions) -> Shown {
    let Some((mut screen, sound)) = place.and_then(|place| Display::open(place, &front.wanted())) else {
        session.run_through();
        return Shown::Nothing;
    };
    sound.into_iter().for_each(|sound| session.set_sound(sound, front.speaker_response()));
    set_looks(session, front);
    screen.play(session);
    Shown::Whole
}

/// How loud it is, and in which colours.
pub(super) fn set_looks(session: &mut Session, front: &FrontOptions) {
    session.set_volume(front.volume);
    session.high_contrast = front.palette == Palette::HighContrast;
}

/// Plays a session that is listened to: nothing else has to be shown.
pub(super) fn by_ear(session: &mut Session) -> Shown {
    by_ear::play(session);
    Shown::Whole
}

/// Plays the session on the host's console, and on a screen once it needs one. What the user has seen of it.
pub(super) fn on_console(session: &mut Session, front: &FrontOptions) -> Result<Shown, Failure> {
    #[cfg(feature = "terminal")]
    if console::is_interactive() {
        return Ok(match console::run_on_terminal(session)? {
            Shown::NeedsScreen => {
                let graphics = session.machine.text().is_none();
                play(session, Some(if graphics { Place::Window } else { Place::Terminal }), front)
            }
            shown => shown,
        });
    }
    #[cfg(not(feature = "terminal"))]
    let _ = front;
    Ok(console::run_on_pipes(session)?)
}

/// Writes what the options ask for, and turns the end of the run into an exit code. `seen`: what the user has seen of the
/// screen. What cannot be written keeps nothing else from being written.
pub(super) fn conclude(mut session: Session, options: &GuestOptions, seen: Shown) -> Result<u8, Failure> {
    let recorded = options
        .record
        .as_ref()
        .map_or(Ok(()), |path| session.save_recording(path).map_err(|error| cannot_write(path, error)));
    let heard = session.complete_wav().map_err(|error| Failure::host("cannot complete the WAV file", error));
    let filmed = session.complete_film().map_err(|(path, error)| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => cannot_write(&path, error),
    });
    let explanation = session.explain();
    let watched = session.complete_watch().map_err(|(path, error)| cannot_write(&path, error));
    let title = session.name.clone();
    for notice in session.machine.take_notices() {
        let line = line_of(&notice, &session).map(|place| format!(" ({place})")).unwrap_or_default();
        super::say(format!("{title}: {notice}{line}"));
    }
    // A run that was cut short has files open still: what it wrote into them is not to be lost, and neither is the rest when the
    // host does not take it.
    let flushed = session.machine.flush_files();
    let flushed = flushed.map_err(|error| Failure::host(format!("{title}: what it wrote is lost"), error));
    let shown = write_screen(&mut session, options, seen, explanation.as_ref());
    recorded.and(heard).and(filmed).and(watched).and(shown).and(flushed)?;
    report::exit_code(&session, explanation.as_ref())
}

/// The source line of the call that a notice is about: it ends with the CS:IP behind that.
fn line_of(notice: &str, session: &Session) -> Option<String> {
    let (_, at) = notice.rsplit_once(' ')?;
    let (cs, ip) = at.split_once(':')?;
    let word = |digits: &str| u16::from_str_radix(digits, 16).ok();
    let place = session.running()?.place(word(cs)?, word(ip)?.wrapping_sub(1))?;
    place.line.is_some().then(|| place.to_string())
}

/// Writes the screen as the options ask for it.
fn write_screen(
    session: &mut Session,
    options: &GuestOptions,
    seen: Shown,
    explanation: Option<&Explanation>,
) -> Result<(), Failure> {
    let machine = &session.machine;
    let shot = options.shot.as_ref().map_or(Ok(()), |path| {
        picture::save(&machine.frame(), path).map_err(|error| cannot_write(path, error))
    });
    let text = options.text.as_ref().map_or(Ok(()), |path| {
        files::write_text(path, &screen_text(machine)).map_err(|error| match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => cannot_write(path, error),
        })
    });
    if options.json {
        report::print(session, explanation)?;
    } else if seen != Shown::Whole && !is_shown_elsewhere(options) {
        let text = screen_text(machine);
        match seen {
            _ if text.trim().is_empty() => {}
            // What DOS has written there of the crash is told by oxbox.
            Shown::Aside if matches!(session.end, Some(End::Crashed(_))) => {}
            // As on a PC: what was redirected went there, and the rest is on the screen.
            Shown::Aside => _ = writeln!(std::io::stderr().lock(), "{}", text.trim_end()),
            _ => writeln!(std::io::stdout().lock(), "{}", text.trim_end())?,
        }
    }
    shot.and(text)
}

/// Whether an option has the screen or the sound written, so that nobody waits for the screen on stdout.
fn is_shown_elsewhere(options: &GuestOptions) -> bool {
    let files =
        [&options.shot, &options.text, &options.wav, &options.gif, &options.cast, &options.transcript];
    files.into_iter().any(Option::is_some)
}

/// No program file of DOS is larger: memory ends at 1 MiB, and what stands behind the image is data.
const LARGEST_FILE: u64 = 64 << 20;

/// Reads a program file, after a look at its size.
pub(super) fn read_program(path: &Path) -> Result<Vec<u8>, Failure> {
    let cannot_read = |error| Failure::host(format!("cannot read {}", path.display()), error);
    let about = std::fs::metadata(path).map_err(cannot_read)?;
    if !about.is_file() {
        return Err(Failure::Host(format!("cannot read {}: it is not a file", path.display())));
    }
    if about.len() > LARGEST_FILE {
        return Err(Failure::Host(format!(
            "{} is too large for a DOS program: {} bytes, at most {LARGEST_FILE}",
            path.display(),
            about.len()
        )));
    }
    std::fs::read(path).map_err(cannot_read)
}

fn cannot_write(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::host(format!("cannot write {}", path.display()), error)
}

/// The text screen, or a line that says why there is none.
pub(super) fn screen_text(machine: &Machine) -> String {
    match machine.text() {
        Some(text) => text.to_string(),
        None => {
            let frame = machine.frame();
            format!("(a picture of {}x{}; --shot FILE.png writes it)\n", frame.width, frame.height)
        }
    }
}
