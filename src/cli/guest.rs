//! Shared by `run` and `play`: creates a machine from the options, selects the display, and writes
//! the outputs.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::frontend::console::Shown;
use crate::frontend::files::Files;
use crate::frontend::film::{self, Film};
use crate::frontend::session::outputs::Volume;
use crate::frontend::session::{self, LiveSession};
use crate::frontend::watch::{Trace, Watch, WatchOptions};
use crate::frontend::wav::WavWriter;
use crate::frontend::{Display, Place, console, files, picture, screen_reader};
use oxbox::dos::{COMSPEC, DosOptions};
use oxbox::hardware::speaker::Response;
use oxbox::inspect::{CrashReport, Finding, Program, Programs, Symbols};
use oxbox::machine::{Config, End, Limits, Machine, SavedState, Script, Settings, StartError};
use oxbox::notice::Notice;
use oxbox::{atomic_file, built_in};

use super::arguments::{self, Coprocessor, FrontOptions, GuestOptions, Palette, Processor};
use super::disks::{self, BootDisk};
use super::failure::Failure;
use super::{excerpt, outputs, report, sarif, symbols, trial};

#[derive(Default)]
pub(super) struct Guest {
    /// Its name in titles, messages and file names.
    pub(super) title: String,
    /// Its name on drive C:.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) tail: String,
    /// A batch file of drive C:, by host name: the command interpreter runs it, with its own tail.
    pub(super) batch: Option<String>,
    /// The host folder for drive C:, unless an option specifies another.
    pub(super) folder: Option<PathBuf>,
    /// The files that it was built from, which the run must not overwrite.
    pub(super) inputs: Vec<PathBuf>,
    pub(super) symbols: Option<Symbols>,
    pub(super) disk: Option<BootDisk>,
    /// Whether a trial selects the processor and the adapter if nothing names them.
    pub(super) is_tried: bool,
}

/// A session that can begin, and its machine's configuration.
pub(super) struct Prepared {
    pub(super) session: LiveSession,
    pub(super) config: Config,
}

pub(super) enum DisplayMode {
    Screen(Place),
    Headless,
    /// None: the program is used through a transcript.
    ScreenReader,
    /// Not specified.
    Default,
}

/// Returns the display: as requested; headless if there are keys to type and nothing was requested.
pub(super) fn wanted(options: &GuestOptions) -> DisplayMode {
    match &options.front {
        FrontOptions { window: true, .. } => DisplayMode::Screen(Place::Window),
        FrontOptions { terminal: true, .. } => DisplayMode::Screen(Place::Terminal),
        FrontOptions { headless: true, .. } => DisplayMode::Headless,
        _ if options.keys.is_some() || options.script.is_some() => DisplayMode::Headless,
        // A user who requests the screen wants the program to write there, and not to stdout.
        _ if options.transcript.as_deref().is_some_and(atomic_file::is_stdout) => DisplayMode::ScreenReader,
        _ if options.text.is_some() || options.shot.is_some() || options.json => DisplayMode::Headless,
        _ if options.gif.is_some() || options.cast.is_some() => DisplayMode::Headless,
        _ if outputs::is_on_stdout(options) => DisplayMode::Headless,
        _ => DisplayMode::Default,
    }
}

/// Switches a machine on, loads the program and prepares everything that the options request.
pub(super) fn prepare(guest: &Guest, options: &GuestOptions) -> Result<Prepared, Failure> {
    let mut script = read_script(options)?;
    let (machine, config) = power_on(guest, options, &script)?;
    script.settings = Settings::of(&config);
    let limits = Limits {
        cycle: options.time_limit.map_or(u64::MAX, |ms| machine.cycle_at_ms(ms)),
        instructions: options.instruction_limit.unwrap_or(u64::MAX),
        after_script: match (options.time_limit, options.instruction_limit, wanted(options)) {
            (None, None, DisplayMode::Headless) => {
                let end = machine.nanoseconds() + report::MS_AFTER_KEYS * 1_000_000;
                machine.cycle_at_nanoseconds(end) - machine.now()
            }
            _ => u64::MAX,
        },
    };
    let symbols = guest.symbols.clone().unwrap_or_default();
    let program = Program::new(symbols, &machine.cpu().regs, guest.bytes.len());
    let lookup = || symbols::of_drive(options.dir.clone().or_else(|| guest.folder.clone()));
    let programs = Programs::new(&guest.name, program.clone(), &machine, lookup());
    let mut traces = options.trace.clone();
    if log::log_enabled!(log::Level::Info) && !traces.iter().any(|(trace, _)| *trace == Trace::Calls) {
        traces.push((Trace::Calls, None));
    }
    let wanted = WatchOptions {
        traces,
        coverage: options.coverage.clone(),
        profile: options.profile.clone(),
        check: options.check,
    };
    let watch = Watch::begin(&wanted, programs).map_err(|(path, error)| Failure::unwritten(&path, error))?;
    let mut session = LiveSession::new(&guest.title, machine, script.clone(), limits);
    session.identity = SavedState::program(&guest.bytes);
    if let Some(path) = &options.load_state {
        let state = session::slots::read(path).map_err(Failure::Host)?;
        session.resume_from(&state, path, &script).map_err(Failure::Host)?;
    }
    session.host.watch = watch;
    session.host.files = files(guest, options)?;
    (session.program, session.lookup) = (Some(program), Some(lookup()));
    let (gif, cast, transcript) = (options.gif.clone(), options.cast.clone(), options.transcript.clone());
    session.host.outputs.film = Film::begin(&film::RecordingOptions { gif, cast, transcript }, &guest.title);
    if options.json {
        session.keep_output();
    }
    if let Some(path) = &options.wav {
        let wav = WavWriter::create(path, options.front.speaker.map_or(Response::Raw, Into::into))
            .map_err(|error| Failure::unwritten(path, error))?;
        session.host.outputs.wav = Some(wav);
    }
    Ok(Prepared { session, config })
}

pub(super) fn shell(folder: PathBuf) -> Guest {
    Guest {
        title: "shell".to_owned(),
        name: COMSPEC.to_owned(),
        bytes: built_in::COMMAND_COM.to_vec(),
        folder: Some(folder),
        ..Guest::default()
    }
}

/// Switches a machine on and loads the program. The options take precedence over the script's
/// settings.
pub(super) fn power_on(
    guest: &Guest,
    options: &GuestOptions,
    script: &Script,
) -> Result<(Machine, Config), Failure> {
    let folder = options.dir.clone().or_else(|| guest.folder.clone());
    let dos = DosOptions {
        folder,
        drives: drives(options)?,
        read_only: options.read_only,
        environment: options.env.clone(),
        no_ansi: options.no_ansi,
        no_xms: options.no_xms,
        no_ems: options.no_ems,
        ..built_in::dos_options()
    };
    let fpu = options.fpu == Coprocessor::Auto;
    let (memory_kib, speed) = (options.memory, options.speed);
    let translate_after = (!options.no_translate).then_some(options.translate_after);
    let verify_translation = options.verify_translation;
    let mut config =
        Config { fpu, memory_kib, speed, translate_after, verify_translation, dos, ..Config::default() };
    let asked = Settings {
        clock: options.clock,
        model: options.cpu.and_then(Processor::model),
        adapter: options.machine.and_then(arguments::Machine::adapter),
    };
    asked.or(script.settings).apply(&mut config);
    disks::fill(&mut config, guest.disk.as_ref(), options)?;
    trial::choose(&candidate(guest, options, &|config| start(guest, config)), &mut config, script)?;
    Ok((start(guest, &config)?, config))
}

/// Returns the option with which a program that has failed would not fail.
pub(super) fn hint(
    guest: &Guest,
    config: &Config,
    options: &GuestOptions,
) -> Result<Option<String>, Failure> {
    trial::hint(&candidate(guest, options, &|config| start(guest, config)), config, &read_script(options)?)
}

fn candidate<'a>(
    guest: &'a Guest,
    options: &'a GuestOptions,
    start: trial::Start<'a>,
) -> trial::Candidate<'a> {
    // A batch file runs programs whose bytes are not known here.
    let bytes = guest.batch.is_none().then_some(guest.bytes.as_slice());
    trial::Candidate { title: &guest.title, by_default: guest.is_tried, bytes, options, start }
}

/// Starts the program, or the command interpreter with a batch file.
fn start(guest: &Guest, config: &Config) -> Result<Machine, Failure> {
    let cannot_load = |error: StartError| match error {
        StartError::Folder(error) => Failure::Host(error.to_string()),
        error => Failure::host(format!("cannot load {}", guest.title), error),
    };
    let Some(batch) = &guest.batch else {
        return Machine::start(config, &guest.bytes, &guest.name, &guest.tail).map_err(cannot_load);
    };
    let mut machine = Machine::new(config).map_err(|error| cannot_load(error.into()))?;
    let missing = || Failure::Host(format!("{batch} is not in the folder of drive C:"));
    let tail = format!("/C {} {}", machine.dos_name(batch).ok_or_else(missing)?, guest.tail);
    machine.load(&guest.bytes, &guest.name, &tail).map_err(|error| cannot_load(error.into()))?;
    Ok(machine)
}

/// Returns the folders of --drive, each letter once.
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

/// Returns where a script may write: below --out, else below its own folder.
fn files(guest: &Guest, options: &GuestOptions) -> Result<Files, Failure> {
    let script = options.script.as_deref();
    let folder = match (&options.out, script) {
        (Some(out), _) if !out.is_dir() => {
            return Err(Failure::Usage(format!("--out: {} is not a folder", out.display())));
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

/// Plays the session on the requested display, or headless if none is requested or available.
/// Returns how much of the screen the user has seen.
pub(super) fn play(session: &mut LiveSession, place: Option<Place>, front: &FrontOptions) -> Shown {
    let Some((mut screen, sound)) = place.and_then(|place| Display::open(place, &front.wanted())) else {
        session.run_through();
        return Shown::Nothing;
    };
    sound.into_iter().for_each(|sound| session.set_sound(sound, front.speaker_response()));
    set_looks(session, front);
    screen.play(session);
    Shown::Whole
}

pub(super) fn set_looks(session: &mut LiveSession, front: &FrontOptions) {
    session.host.outputs.volume = Volume(front.volume.min(100));
    session.high_contrast = front.palette == Palette::HighContrast;
}

/// Plays a session that is used through a transcript: nothing else has to be shown.
pub(super) fn screen_reader(session: &mut LiveSession) -> Shown {
    screen_reader::play(session);
    Shown::Whole
}

/// Plays the session on the host's console, and on a screen once it needs one. Returns how much of
/// the screen the user has seen.
pub(super) fn on_console(session: &mut LiveSession, front: &FrontOptions) -> Result<Shown, Failure> {
    #[cfg(feature = "terminal")]
    if console::is_interactive() {
        return Ok(match console::run_on_terminal(session)? {
            Shown::NeedsScreen => {
                let graphics = session.machine().text().is_none();
                play(session, Some(if graphics { Place::Window } else { Place::Terminal }), front)
            }
            shown => shown,
        });
    }
    #[cfg(not(feature = "terminal"))]
    let _ = front;
    Ok(console::run_on_pipes(session)?)
}

/// Writes the requested outputs, and converts the end of the run to an exit code. `seen`: how much
/// of the screen the user has seen. An output that cannot be written does not prevent the others.
pub(super) fn conclude(mut session: LiveSession, options: &GuestOptions, seen: Shown) -> Result<u8, Failure> {
    let findings = session.findings();
    let (explanation, written) = write_files(&mut session, options);
    let shown = write_screen(&mut session, options, seen, explanation.as_ref(), findings.as_deref());
    excerpt::of_findings(findings.as_deref().unwrap_or_default()).into_iter().for_each(super::say);
    let logged = options.sarif.as_ref().map_or(Ok(()), |path| {
        let log = sarif::log(findings.as_deref().unwrap_or_default());
        files::write_text(path, &format!("{log:#}\n")).map_err(|error| Failure::unwritten(path, error))
    });
    written.and(shown).and(logged)?;
    let code = report::exit_code(&session, explanation.as_ref())?;
    let has_found = findings.is_some_and(|findings| !findings.is_empty());
    Ok(if has_found && code == 0 { FOUND } else { code })
}

/// The exit code of a run that ended well, and in which `--check` has found mistakes.
const FOUND: u8 = 121;

/// Like [`conclude`] for a run whose output is not read any more: writes only the files.
pub(super) fn conclude_unseen(session: &mut LiveSession, options: &GuestOptions) -> Result<(), Failure> {
    let (_, written) = write_files(session, options);
    written.and(write_pictures(session, options))
}

/// Completes the files of the run, and the guest's own. Also reports why the run ended.
fn write_files(
    session: &mut LiveSession,
    options: &GuestOptions,
) -> (Option<CrashReport>, Result<(), Failure>) {
    let recorded = options
        .record
        .as_ref()
        .map_or(Ok(()), |path| session.save_recording(path).map_err(|error| Failure::unwritten(path, error)));
    let heard = session.complete_wav().map_err(|error| match &options.wav {
        Some(path) => Failure::unwritten(path, error),
        None => error.into(),
    });
    let filmed = session.complete_film().map_err(|(path, error)| Failure::unwritten(&path, error));
    let explanation = session.explain();
    let watched = session.complete_watch().map_err(|(path, error)| Failure::unwritten(&path, error));
    let title = session.name.clone();
    for notice in session.machine_mut().take_notices() {
        let line = line_of(&notice, session).map(|place| format!(" ({place})")).unwrap_or_default();
        super::say(format!("{title}: {notice}{line}"));
    }
    // An interrupted run may have open files: their data must not be lost, nor the rest if the host
    // refuses some.
    let flushed = session.machine_mut().flush_files();
    let flushed = flushed.map_err(|error| Failure::host(format!("{title}: its output is lost"), error));
    (explanation, recorded.and(heard).and(filmed).and(watched).and(flushed))
}

/// Returns the source line of a notice's call or instruction.
fn line_of(notice: &Notice, session: &LiveSession) -> Option<String> {
    let (cs, ip) = notice.instruction()?;
    let place = session.running()?.place(cs, ip)?;
    place.line.is_some().then(|| place.to_string())
}

fn write_screen(
    session: &mut LiveSession,
    options: &GuestOptions,
    seen: Shown,
    explanation: Option<&CrashReport>,
    findings: Option<&[Finding]>,
) -> Result<(), Failure> {
    let pictures = write_pictures(session, options);
    let machine = session.machine();
    if options.json {
        report::print(session, explanation, findings)?;
    } else if seen != Shown::Whole && !is_shown_elsewhere(options) {
        let text = screen_text(machine);
        match seen {
            _ if text.trim().is_empty() => {}
            // oxbox itself reports a crash that DOS has shown there.
            Shown::Aside if matches!(session.end(), Some(End::Crashed(_))) => {}
            // As on a PC: redirected output is in its file, and the rest is on the screen.
            Shown::Aside => _ = writeln!(std::io::stderr().lock(), "{}", text.trim_end()),
            _ => writeln!(std::io::stdout().lock(), "{}", text.trim_end())?,
        }
    }
    pictures
}

fn write_pictures(session: &LiveSession, options: &GuestOptions) -> Result<(), Failure> {
    let machine = session.machine();
    let shot = options.shot.as_ref().map_or(Ok(()), |path| {
        picture::save(&machine.frame(), path).map_err(|error| Failure::unwritten(path, error))
    });
    let text = options.text.as_ref().map_or(Ok(()), |path| {
        files::write_text(path, &screen_text(machine)).map_err(|error| Failure::unwritten(path, error))
    });
    shot.and(text)
}

/// Whether an option writes the screen or the sound, so that the screen is not expected on stdout.
fn is_shown_elsewhere(options: &GuestOptions) -> bool {
    let files =
        [&options.shot, &options.text, &options.wav, &options.gif, &options.cast, &options.transcript];
    files.into_iter().any(Option::is_some) || outputs::is_on_stdout(options)
}

/// The maximum size of a DOS program file: memory ends at 1 MiB; after the image is data.
const LARGEST_FILE: u64 = 64 << 20;

/// Reads a program file, after checking its size.
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

/// Returns the text screen, or a line with the reason for its absence.
pub(super) fn screen_text(machine: &Machine) -> String {
    match machine.text() {
        Some(text) => text.to_string(),
        None => {
            let frame = machine.frame();
            format!("(a picture of {}x{}; --shot FILE.png writes it)\n", frame.width, frame.height)
        }
    }
}
