//! Trial runs: the processor and the adapter that a program needs, and the option with which a
//! program that fails would not fail.

use crate::frontend::console::Shown;
use crate::frontend::session::LiveSession;
use oxbox::cpu::Model;
use oxbox::machine::{Action, Config, End, Machine, Script, Settings, Step, Stop, Timeline, Until};

use super::arguments::{self, GuestOptions, Processor};
use super::failure::Failure;

/// The limit of a trial run in cycles of virtual time, and so in instructions.
const LONGEST: u64 = 3_000_000;

/// A trial run ends after a part of this many cycles in which the program has shown what it needs,
/// or has written enough.
const PART: u64 = 100_000;
const ENOUGH_OUTPUT: usize = 4096;

/// The number of trials: with a later processor the program may reach an instruction of a still
/// later one.
const TRIALS: usize = 4;

const CHECKPOINTS: usize = 16 << 20;

/// The words by which a program complains about the machine, in lower case.
const COMPLAINTS: [&str; 9] =
    ["memory", "xms", "ems", "expanded", "extended", "himem", "8086", "8088", "processor"];

/// Switches a machine on, and loads the program.
pub(super) type Start<'a> = &'a dyn Fn(&Config) -> Result<Machine, Failure>;

/// A program to try.
pub(super) struct Candidate<'a> {
    /// Its name in messages.
    pub(super) title: &'a str,
    /// Whether it is tried if no option requests it.
    pub(super) by_default: bool,
    /// Its bytes, if they are known.
    pub(super) bytes: Option<&'a [u8]>,
    pub(super) options: &'a GuestOptions,
    pub(super) start: Start<'a>,
}

/// The end of a trial run.
struct Trial {
    stop: Stop,
    /// The settings that the program needs, with the reasons.
    needed: Vec<(Settings, String)>,
    complains: bool,
}

/// The result of a trial.
#[derive(PartialEq, Eq)]
enum Verdict {
    /// It crashed, or ended after a complaint about the machine.
    Failed,
    /// It ended with an exit code other than 0.
    Unclear,
    /// It ended with exit code 0.
    Ended,
    /// It waits for a key, or continues.
    Continues,
}

impl Trial {
    fn verdict(&self) -> Verdict {
        match self.stop {
            Stop::Crashed(_) | Stop::Dead(_) => Verdict::Failed,
            Stop::Exited(_) if self.complains => Verdict::Failed,
            Stop::Exited(0) => Verdict::Ended,
            Stop::Exited(_) => Verdict::Unclear,
            _ => Verdict::Continues,
        }
    }

    /// Whether this run of a program shows that it lacked something in a run that ended badly.
    fn is_better_than(&self, other: &Trial) -> bool {
        match self.verdict() {
            Verdict::Continues => true,
            Verdict::Ended => other.complains,
            Verdict::Failed | Verdict::Unclear => false,
        }
    }
}

impl Candidate<'_> {
    /// Whether it is tried without a request: a script names what differs from the default, and a
    /// saved state has its machine.
    fn is_tried_by_default(&self) -> bool {
        self.by_default && self.options.script.is_none() && self.options.load_state.is_none()
    }

    /// Whether it may contain an instruction of the 486 or later, or the address of a CGA's
    /// register. Most programs do not, and start sooner without a trial.
    fn may_need_other_settings(&self) -> bool {
        let is_later = |opcode: u8| {
            matches!(opcode, 0x01 | 0x08 | 0x09 | 0x31 | 0x40..=0x4F | 0xA2 | 0xB0 | 0xB1)
                || matches!(opcode, 0xC0 | 0xC1 | 0xC7..=0xCF)
        };
        let needs = |pair: &[u8]| match *pair {
            [0x0F, opcode] => is_later(opcode),
            [port, 0x03] => matches!(port, 0xD8 | 0xD9),
            _ => false,
        };
        self.bytes.is_none_or(|bytes| bytes.windows(2).any(needs))
    }
}

/// Returns the script's input, without its checks and outputs.
fn input(script: &Script) -> Vec<Step> {
    let is_input =
        |step: &&Step| !matches!(step.action, Action::Expect(_) | Action::Shot(_) | Action::Text(_));
    script.steps.iter().filter(is_input).cloned().collect()
}

/// `--cpu auto` and `--machine auto`, the defaults for a program from a file: runs it for a trial,
/// with the script's keys and without changing a file of the host, and uses the settings that it
/// turns out to need. Prints them on stderr with the reasons.
pub(super) fn choose(candidate: &Candidate, config: &mut Config, script: &Script) -> Result<(), Failure> {
    let options = candidate.options;
    let asked = [options.cpu == Some(Processor::Auto), options.machine == Some(arguments::Machine::Auto)];
    let by_default = candidate.is_tried_by_default() && candidate.may_need_other_settings();
    let cpu = asked[0] || by_default && options.cpu.is_none();
    let machine = asked[1] || by_default && options.machine.is_none();
    if !cpu && !machine {
        return Ok(());
    }
    let steps = input(script);
    let mut reasons = Vec::new();
    for _ in 0..TRIALS {
        let wanted =
            |settings: &Settings| cpu && settings.model.is_some() || machine && settings.adapter.is_some();
        let needed = run(candidate, config, &steps)?.needed;
        let needed: Vec<_> = needed.into_iter().filter(|(settings, _)| wanted(settings)).collect();
        if needed.is_empty() {
            break;
        }
        for (settings, why) in needed {
            settings.apply(config);
            reasons.push(why);
        }
    }
    say_choice(candidate.title, config, asked, [cpu, machine], &reasons);
    Ok(())
}

/// Prints what was chosen, and why. A default that stays as it is needs no line.
fn say_choice(title: &str, config: &Config, asked: [bool; 2], open: [bool; 2], reasons: &[String]) {
    let default = Config::default();
    let cpu = asked[0] || open[0] && config.model != default.model;
    let machine = asked[1] || open[1] && config.adapter != default.adapter;
    let taken = [
        cpu.then(|| format!("--cpu {}", config.model.name())),
        machine.then(|| format!("--machine {}", config.adapter.name())),
    ];
    let taken: Vec<String> = taken.into_iter().flatten().collect();
    if taken.is_empty() {
        return;
    }
    let why =
        if reasons.is_empty() { "nothing needs a different one".to_owned() } else { reasons.join("; ") };
    super::say(format!("{title}: auto takes {}: {why}", taken.join(" ")));
}

/// Runs the program for a trial.
fn run(candidate: &Candidate, config: &Config, steps: &[Step]) -> Result<Trial, Failure> {
    let options = candidate.options;
    let mut timeline = Timeline::new((candidate.start)(config)?, CHECKPOINTS);
    timeline.set_script(Script { steps: steps.to_vec(), ..Script::default() });
    let instructions = LONGEST.min(options.instruction_limit.unwrap_or(LONGEST));
    let last = options.time_limit.map_or(LONGEST, |ms| timeline.machine().cycle_at_ms(ms).min(LONGEST));
    loop {
        let cycle = last.min(timeline.machine().now() + PART);
        let stop = timeline.run(&Until { cycle, instructions, ..Until::KEY_WAIT }, &mut ());
        let needed = timeline.machine_mut().needed_settings();
        let printed = timeline.printed();
        if stop == Stop::Cycle && cycle < last && needed.is_empty() && printed.len() < ENOUGH_OUTPUT {
            continue;
        }
        return Ok(Trial { stop, needed, complains: complains(&String::from_utf8_lossy(&printed)) });
    }
}

/// Whether a run has ended so early and badly that the program may lack something. What it has
/// written to the host's console is not known: if it did so early, it may be a complaint.
pub(super) fn has_failed(session: &LiveSession, seen: Shown) -> bool {
    let machine = session.machine();
    let is_bad = match session.end() {
        Some(End::Exited(0)) if seen == Shown::Aside => machine.instructions() <= LONGEST / 10,
        Some(End::Exited(0)) => machine.text().is_some_and(|text| complains(&text.to_string())),
        Some(End::Exited(_)) => true,
        // A crash has an explanation of its own.
        _ => false,
    };
    is_bad && machine.instructions() <= LONGEST
}

/// Returns the option with which a program that has failed does not fail in a trial.
pub(super) fn hint(
    candidate: &Candidate,
    config: &Config,
    script: &Script,
) -> Result<Option<String>, Failure> {
    if !candidate.is_tried_by_default() {
        return Ok(None);
    }
    let steps = input(script);
    let failed = run(candidate, config, &steps)?;
    // With other input, as from a pipe, it may go another way here.
    if !matches!(failed.stop, Stop::Exited(_)) || failed.verdict() == Verdict::Ended {
        return Ok(None);
    }
    for (option, other) in alternatives(config, candidate.options, &failed) {
        if run(candidate, &other, &steps)?.is_better_than(&failed) {
            return Ok(Some(format!("{}: {option} it does not fail", candidate.title)));
        }
    }
    Ok(None)
}

/// Whether a text complains about the machine.
fn complains(printed: &str) -> bool {
    let printed = printed.to_lowercase();
    COMPLAINTS.iter().any(|word| printed.contains(word))
}

/// Returns the machines that may have what a program lacks, with their options.
fn alternatives(config: &Config, options: &GuestOptions, failed: &Trial) -> Vec<(&'static str, Config)> {
    let changed = |change: fn(&mut Config)| {
        let mut config = config.clone();
        change(&mut config);
        config
    };
    // On an 8086 no instruction is invalid: without a complaint a program may run wild there.
    let may_be_older = options.cpu.is_none() && failed.complains;
    let rows: [(bool, &str, fn(&mut Config)); 7] = [
        (options.memory > 512, "with --memory 512", |config| config.memory_kib = 512),
        (options.memory < 640, "with --memory 640", |config| config.memory_kib = 640),
        (!options.no_xms, "with --no-xms", |config| config.dos.no_xms = true),
        (options.no_xms, "without --no-xms", |config| config.dos.no_xms = false),
        (!options.no_ems, "with --no-ems", |config| config.dos.no_ems = true),
        (options.no_ems, "without --no-ems", |config| config.dos.no_ems = false),
        (may_be_older, "with --cpu 8086", |config| config.model = Model::I8086),
    ];
    rows.into_iter().filter(|row| row.0).map(|(_, option, change)| (option, changed(change))).collect()
}
