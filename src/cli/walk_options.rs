//! What `explore` and `same` share: their options, programs by path or by game, and progress on a terminal.

use std::fmt::Display;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use oxbox::dos::Stamp;
use oxbox::games;
use oxbox::machine::Config;
use oxbox::toolchain::{self, Format};
use oxbox::walk::{Bounds, Choices, Part, PartError, Progress, Sameness, Setup, WalkError, Walked, choices};

use super::arguments::{self, WalkOptions};
use super::failure::Failure;
use super::{build, disks, guest, outputs};

/// The first day of DOS: 1980-01-01.
const FIRST_DAY: Stamp = Stamp { date: 0x0021, time: 0 };

impl WalkOptions {
    /// What is tried.
    pub(super) fn choices(&self) -> Result<Choices, Failure> {
        if let Some(words) = &self.choices {
            return Choices::from_words(words).map_err(|error| Failure::Usage(format!("--choices: {error}")));
        }
        let path = self.choices_file.as_deref().unwrap_or(Path::new(""));
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
        Choices::from_lines(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
    }

    /// Refuses a part's file that would destroy what the walk reads.
    pub(super) fn check_output(&self, programs: &[&Path]) -> Result<(), Failure> {
        let parts: Vec<_> = programs.iter().flat_map(|program| toolchain::parts(program)).collect();
        let others = self.keep.iter().map(PathBuf::as_path).chain(self.choices_file.as_deref());
        outputs::check(
            &[self.out.as_deref()],
            &others.chain(parts.iter().map(PathBuf::as_path)).collect::<Vec<_>>(),
        )
    }

    pub(super) fn sameness(&self) -> Sameness {
        match self.same {
            arguments::Sameness::State => Sameness::State,
            arguments::Sameness::Program => Sameness::Program,
            arguments::Sameness::Memory => Sameness::Memory,
            arguments::Sameness::Screen => Sameness::Screen,
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            depth: self.depth,
            states: self.states,
            memory: Some(self.state_memory << 20),
            disk: Some(self.state_disk << 20),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        )
    }

    /// What to answer when a walk was cut off for want of memory.
    pub(super) fn overflow(&self) -> Failure {
        Failure::Limit(format!(
            "the states take more than {} MiB of memory and {} MiB on disk: bound the walk by --depth or --states, merge more by --same program, divide it by --shard, or raise --state-memory or --state-disk",
            self.state_memory, self.state_disk
        ))
    }

    /// Why there is nothing to report; `cannot_start` tells a program that does not start.
    pub(super) fn failed(
        &self,
        error: &WalkError,
        cannot_start: impl Fn(&dyn Display) -> Failure,
    ) -> Failure {
        match error {
            WalkError::Start(error) => cannot_start(error),
            WalkError::Disk(error) => {
                let advice = "TMPDIR names another folder, --state-disk 0 keeps all in memory";
                Failure::Host(format!("{error}; {advice}"))
            }
        }
    }

    /// A part that was searched, unless it cannot be merged: `cannot_start` tells a program that does not start.
    pub(super) fn searched<N>(
        &self,
        part: Result<Part<N>, PartError>,
        cannot_start: impl Fn(&dyn Display) -> Failure,
    ) -> Result<Part<N>, Failure> {
        let part = part.map_err(|error| match error {
            PartError::Inexact => Failure::Usage(error.to_string()),
            PartError::Walk(error) => self.failed(&error, &cannot_start),
        })?;
        if part.overflowed() { Err(self.overflow()) } else { Ok(part) }
    }

    /// The program at a path, or the game of a name, ready to be walked over.
    pub(super) fn setup(&self, program: &Path) -> Result<Setup, Failure> {
        let mut setup;
        let mut folder = None;
        match program.to_str().and_then(games::find).filter(|_| !program.exists()) {
            Some(game) => setup = Setup::new(game.program.to_vec(), game.file),
            None => {
                let name =
                    program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                if program.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("asm")) {
                    let linked = build::assemble(vec![program.to_owned()], &self.assembler)?;
                    // It is known by now what the source includes.
                    let files: Vec<&Path> = linked.files.iter().map(PathBuf::as_path).collect();
                    outputs::check(&[self.out.as_deref()], &files)?;
                    let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
                    let name = Path::new(&name).with_extension(extension);
                    setup = Setup::new(linked.bytes, name.display().to_string());
                    setup.symbols = Some(Arc::new(linked.symbols));
                } else {
                    setup = Setup::new(guest::read_program(program)?, name);
                }
                let parent = program.parent().filter(|parent| !parent.as_os_str().is_empty());
                folder = Some(parent.unwrap_or(Path::new(".")).to_owned());
            }
        }
        setup.config = Config { model: self.cpu.into(), ..Config::default() };
        if let Some(disk) = disks::boot_disk(program, true)? {
            disk.put_into(&mut setup.config);
        }
        setup.config.dos.folder = self.dir.clone().or(folder);
        setup.config.dos.read_only = true;
        // The host's stamps would make the walk depend on when files were written.
        setup.config.dos.fixed_stamp = Some(FIRST_DAY);
        setup.instruction_limit = self.instruction_limit;
        if let Some(keys) = &self.keys {
            setup.opening =
                choices::acts(keys).map_err(|error| Failure::Usage(format!("--keys: {error}")))?;
        }
        Ok(setup)
    }
}

/// Tells on stderr of a program that comes to its end before there is anything to try.
pub(super) fn never_waits(program: &Path, setup: &Setup) {
    if let Ok(walked) = Walked::start(setup)
        && let Some(end) = walked.end()
    {
        super::say(format!("{} never waits for a key: {end}", program.display()));
    }
}

/// Tells on stderr how far a walk is, if that is a terminal.
pub(super) struct WalkProgress {
    bar: ProgressBar,
    begun: Instant,
}

impl WalkProgress {
    pub(super) fn new() -> WalkProgress {
        let bar = if stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        WalkProgress { bar, begun: Instant::now() }
    }

    pub(super) fn show(&self, progress: Progress) {
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        let on_disk = match progress.bytes_on_disk {
            0 => String::new(),
            bytes => format!(", {} MiB on disk", bytes >> 20),
        };
        self.bar.set_message(format!(
            "{} states, {} waiting, {} choices in a row, {:.0} states/s, {} MiB{on_disk}",
            progress.states,
            progress.waiting,
            progress.depth,
            progress.states as f64 / seconds,
            progress.bytes >> 20
        ));
        self.bar.tick();
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
