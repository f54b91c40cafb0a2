//! Shared by `explore` and `same`: options, programs by path or by game, and progress on a
//! terminal.

use std::fmt::Display;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use oxbox::built_in;
use oxbox::dos::Timestamp;
use oxbox::games;
use oxbox::machine::{Config, StateCategory};
use oxbox::toolchain::{self, Format};
use oxbox::walk::{
    Bounds, Choices, Part, PartError, ProgramUnderTest, Progress, Sameness, SearchStats, Setup,
    StateDifferences, WalkError, choices, why_different,
};

use super::arguments::{self, WalkOptions};
use super::failure::Failure;
use super::{build, disks, outputs, program};

/// The first day of DOS: 1980-01-01.
const FIRST_DAY: Timestamp = Timestamp { date: 0x0021, time: 0 };

impl WalkOptions {
    pub(super) fn choices(&self) -> Result<Choices, Failure> {
        if let Some(words) = &self.choices {
            return Choices::from_words(words).map_err(|error| Failure::Usage(format!("--choices: {error}")));
        }
        let path = self.choices_file.as_deref().unwrap_or(Path::new(""));
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::host(format!("cannot read {}", path.display()), error))?;
        Choices::from_lines(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
    }

    /// Refuses a part's file that would overwrite a file that the search reads.
    pub(super) fn check_output(&self, programs: &[&Path]) -> Result<(), Failure> {
        let parts: Vec<_> = programs.iter().flat_map(|program| toolchain::parts(program)).collect();
        let others = self.observed_from.iter().map(PathBuf::as_path).chain(self.choices_file.as_deref());
        outputs::check(
            &[self.out.as_deref()],
            &others.chain(parts.iter().map(PathBuf::as_path)).collect::<Vec<_>>(),
        )
    }

    pub(super) fn sameness(&self) -> Sameness {
        match self.same {
            arguments::Sameness::State => Sameness::State,
            // The library treats it as `State` if a condition concerns the screen.
            arguments::Sameness::Auto | arguments::Sameness::Program => Sameness::Program,
            arguments::Sameness::Memory => Sameness::Memory,
            arguments::Sameness::Screen => Sameness::Screen,
        }
    }

    pub(super) fn has_any_key(&self) -> bool {
        self.choices.as_ref().is_some_and(|words| words.split_whitespace().any(|word| word == "any"))
    }

    /// Whether the user has excluded the screen, whatever the conditions are.
    pub(super) fn leaves_screen_out(&self) -> bool {
        self.same == arguments::Sameness::Program
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            depth: self.depth,
            states: self.states,
            memory: Some(self.state_memory.saturating_mul(1 << 20)),
            disk: Some(self.state_disk.saturating_mul(1 << 20)),
            ..Bounds::default()
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        )
    }

    /// Returns the failure of a search that ran out of memory.
    pub(super) fn overflow(&self) -> Failure {
        Failure::Limit(format!(
            "the states take more than {} MiB of memory and {} MiB on disk: limit the search with --depth or --states, do not ask about the screen, divide it with --shard, or raise --state-memory or --state-disk",
            self.state_memory, self.state_disk
        ))
    }

    /// Returns the reason for a missing report; `cannot_start` makes the failure of a program that does not
    /// start.
    pub(super) fn failed(
        &self,
        error: &WalkError,
        cannot_start: impl Fn(&dyn Display) -> Failure,
    ) -> Failure {
        match error {
            WalkError::Start(error) => cannot_start(error),
            WalkError::Disk(error) => {
                let advice = "TMPDIR names a different folder, --state-disk 0 keeps all in memory";
                Failure::Host(format!("{error}; {advice}"))
            }
            other => Failure::Host(other.to_string()),
        }
    }

    /// Returns a part that was searched, unless it cannot be merged; `cannot_start` makes the
    /// failure of a program that does not start.
    pub(super) fn searched<N>(
        &self,
        part: Result<Part<N>, PartError>,
        cannot_start: impl Fn(&dyn Display) -> Failure,
    ) -> Result<Part<N>, Failure> {
        let part = part.map_err(|error| match error {
            PartError::Inexact => Failure::Usage(error.to_string()),
            PartError::Walk(error) => self.failed(&error, &cannot_start),
            other => Failure::Host(other.to_string()),
        })?;
        if part.overflowed() { Err(self.overflow()) } else { Ok(part) }
    }

    /// Returns the program at a path, or the game with this name, prepared for a search.
    pub(super) fn setup(&self, program: &Path) -> Result<Setup, Failure> {
        let mut setup;
        let (mut folder, mut disk) = (None, None);
        match program.to_str().and_then(games::find).filter(|_| !program.exists()) {
            Some(game) => setup = Setup::new(game.program.to_vec(), game.file),
            None => {
                let parts = toolchain::parts(program);
                let first = parts.first().cloned().unwrap_or_else(|| program.to_owned());
                let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let read = if parts.len() > 1 { None } else { program::read(program)? };
                if let Some(bytes) = read {
                    setup = Setup::new(bytes, name);
                } else {
                    let linked = build::assemble(parts, &self.assembler, Some(self.cpu))?;
                    // The files that the source includes are known by now.
                    let files: Vec<&Path> = linked.files.iter().map(PathBuf::as_path).collect();
                    outputs::check(&[self.out.as_deref()], &files)?;
                    let extension = if linked.format == Format::Com { "COM" } else { "EXE" };
                    let (title, name) = (name.clone(), Path::new(&name).with_extension(extension));
                    let boot = linked.boots.then(|| disks::boot_sector(&title, linked.bytes.clone()));
                    let boot = boot.transpose()?;
                    setup = Setup::new(linked.bytes, name.display().to_string());
                    setup.symbols = (!linked.boots).then(|| Arc::new(linked.symbols));
                    disk = boot;
                }
                let parent = first.parent().filter(|parent| !parent.as_os_str().is_empty());
                folder = Some(parent.unwrap_or(Path::new(".")).to_owned());
            }
        }
        let model = self.cpu.model();
        let model =
            model.ok_or_else(|| Failure::Usage("--cpu auto: a search needs a fixed processor".to_owned()))?;
        setup.config = Config { model, ..built_in::config() };
        setup.config.start = self.clock.unwrap_or(setup.config.start);
        if let Some(disk) = disk.map_or_else(|| disks::boot_disk(program, true), |disk| Ok(Some(disk)))? {
            disk.put_into(&mut setup.config);
        }
        setup.config.dos.folder = self.dir.clone().or(folder);
        setup.config.dos.read_only = true;
        // With the host's time stamps the search would depend on when files were written.
        setup.config.dos.fixed_stamp = Some(FIRST_DAY);
        setup.instruction_limit = self.instruction_limit;
        if let Some(keys) = &self.keys {
            setup.opening =
                choices::acts(keys).map_err(|error| Failure::Usage(format!("--keys: {error}")))?;
        }
        Ok(setup)
    }
}

/// The exit code if a question could not be decided.
pub(super) const NO_ANSWER: u8 = 120;

/// Returns a category for a report, with the precision in which it is observed.
pub(super) fn observed(category: StateCategory) -> &'static str {
    match category {
        StateCategory::Ticks => "ticks (each wait is at the beginning of its tick)",
        StateCategory::Timer => "timer (each wait is at the beginning of a tick and of a frame)",
        StateCategory::Date => "date (each wait is at midnight)",
        StateCategory::Position => "position (of the keyboard buffer)",
        StateCategory::Column => "column (which DOS counts for tabs)",
        other => other.name(),
    }
}

/// Returns the instants at which the search has typed keys, if the program observes the time.
pub(super) fn condition_of_time(stats: &SearchStats) -> &'static str {
    let observes = |category| stats.seen.contains(&category);
    if observes(StateCategory::Clock) {
        " if each key is typed at once"
    } else if observes(StateCategory::Timer) || observes(StateCategory::Ticks) {
        " if each key is typed at the beginning of a timer tick"
    } else {
        ""
    }
}

/// Returns why a complete search proves nothing, if so.
pub(super) fn doubt(stats: &SearchStats) -> Option<String> {
    stats.doubt().filter(|_| stats.complete)
}

/// Prints on stderr the differences between two states, if there are many or a limit on them ended the
/// search.
pub(super) fn name_differences(setup: &Setup, choices: &Choices, stats: &SearchStats) {
    if let Ok(Some(StateDifferences { keys, differences, .. })) = why_different(setup, choices, stats) {
        let [a, b] = keys.each_ref().map(|keys| named(keys));
        let and_more = differences.len().saturating_sub(MOST_DIFFERENCES);
        let mut shown = differences;
        shown.truncate(MOST_DIFFERENCES);
        if and_more > 0 {
            shown.push(format!("and {and_more} more; --why-different prints all"));
        }
        super::say(format!(
            "many states: {a} and {b} lead to two states that differ in\n  {}",
            shown.join("\n  ")
        ));
    }
}

/// Returns keys for a message; of many, the last ones.
fn named(keys: &str) -> String {
    let words: Vec<&str> = keys.split(' ').collect();
    match words.len().checked_sub(MOST_KEYS) {
        _ if keys.is_empty() => "no key".to_owned(),
        Some(left_out @ 1..) => format!("{left_out} keys and '{}'", words[left_out..].join(" ")),
        _ => format!("'{keys}'"),
    }
}

/// The maximum number of keys that are printed without a request.
const MOST_KEYS: usize = 40;

/// The maximum number of differences that are printed without a request.
const MOST_DIFFERENCES: usize = 8;

/// Prints a note on stderr if a program ends before there is anything to try.
pub(super) fn never_waits(program: &Path, setup: &Setup) {
    if let Ok(walked) = ProgramUnderTest::start(setup)
        && let Some(end) = walked.end()
    {
        super::say(format!("{} never waits for a key: {end}", program.display()));
    }
}

/// Prints a search's progress on stderr: continuously on a terminal, otherwise at intervals.
pub(super) struct WalkProgress {
    /// `None` without a terminal.
    bar: Option<ProgressBar>,
    /// Before each line: the name of a game.
    prefix: String,
    begun: Instant,
    /// The number of seconds after which the next line is due, without a terminal.
    next_line: AtomicU64,
}

/// Seconds between two lines of progress.
const LINE_SECONDS: u64 = 10;

impl WalkProgress {
    pub(super) fn new() -> WalkProgress {
        WalkProgress::with_prefix(String::new())
    }

    /// Returns the progress of one of several searches.
    pub(super) fn of(name: &str) -> WalkProgress {
        WalkProgress::with_prefix(format!("{name}: "))
    }

    fn with_prefix(prefix: String) -> WalkProgress {
        let bar = stderr().is_terminal().then(ProgressBar::new_spinner);
        if let (Some(bar), Ok(style)) = (&bar, ProgressStyle::with_template("{spinner} {msg}")) {
            bar.set_style(style);
        }
        WalkProgress { bar, prefix, begun: Instant::now(), next_line: AtomicU64::new(LINE_SECONDS) }
    }

    /// Shows the progress, and once there are many states two that differ little.
    pub(super) fn show_search(&self, progress: Progress<'_>, setup: &Setup, choices: &Choices) {
        self.show(progress);
        if let Some(stats) = progress.many_states {
            match &self.bar {
                Some(bar) => bar.suspend(|| name_differences(setup, choices, stats)),
                None => name_differences(setup, choices, stats),
            }
        }
    }

    pub(super) fn show(&self, progress: Progress<'_>) {
        let elapsed = self.begun.elapsed();
        if self.bar.is_none() && !self.line_is_due(elapsed.as_secs()) {
            return;
        }
        let seconds = elapsed.as_secs_f64().max(0.001);
        let on_disk = match progress.bytes_on_disk {
            0 => String::new(),
            bytes => format!(", {} MiB on disk", bytes >> 20),
        };
        let line = format!(
            "{}{} states, {} waiting, {} choices in a row, {:.0} states/s, {} MiB{on_disk}",
            self.prefix,
            progress.states,
            progress.waiting,
            progress.depth,
            progress.states as f64 / seconds,
            progress.bytes >> 20
        );
        match &self.bar {
            Some(bar) => {
                bar.set_message(line);
                bar.tick();
            }
            None => super::say(format!("after {} s: {line}", elapsed.as_secs())),
        }
    }

    /// Whether a line is due after this many seconds; if so, schedules the next one.
    fn line_is_due(&self, seconds: u64) -> bool {
        let next = self.next_line.load(Ordering::Relaxed);
        let is_due = seconds >= next;
        is_due
            && self
                .next_line
                .compare_exchange(next, seconds + LINE_SECONDS, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
