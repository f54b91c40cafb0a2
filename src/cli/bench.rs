//! `oxbox bench`: measures how fast the guest runs on this host, with the built-in kernels.
//!
//! Each kernel runs in the whole machine with DOS, for up to two seconds of wall time; then follow
//! snapshots, and each game from prompt to prompt. Results are not compared: see `benches/` for
//! repeated measurements.

use std::io::Write;
use std::time::{Duration, Instant};

use oxbox::games::{GAMES, Game};
use oxbox::machine::{Config, Key, Machine, Stop, Until};
use serde_json::json;

use super::arguments::JsonOption;
use super::failure::Failure;

/// Wall time per kernel.
const TIME: Duration = Duration::from_secs(2);

/// Instructions between two reads of the wall clock.
const SLICE: u64 = 20_000_000;

/// A kernel: its name, description, program, and unit.
struct Kernel {
    name: &'static str,
    what: &'static str,
    program: &'static [u8],
    count: Count,
}

enum Count {
    /// The time from power-on to the end of the program.
    Start,
    Instructions,
    /// Instructions of a delay loop, which the machine skips instead of executing one by one.
    PassedOver,
    /// Units of work per completed run.
    Work(&'static str, u64),
}

macro_rules! kernel {
    ($name:literal, $file:literal, $what:literal, $count:expr) => {
        Kernel {
            name: $name,
            what: $what,
            program: include_bytes!(concat!("../../benches/kernels/", $file, ".com")),
            count: $count,
        }
    };
}

/// The kernels, with the work of string instructions and the console as in their sources.
const KERNELS: &[Kernel] = &[
    kernel!("empty", "empty", "starts and ends", Count::Start),
    kernel!("busy386", "a_busy386", "delay loop, dec ebx / jnz", Count::PassedOver),
    kernel!("busy86", "a_busy86", "delay loop, dec bx / jnz", Count::PassedOver),
    kernel!("sieve", "b_sieve", "prime sieve", Count::Instructions),
    kernel!("fib", "d_fib", "recursive calls", Count::Instructions),
    kernel!("crc", "e_crc", "CRC-32 bit by bit", Count::Instructions),
    kernel!("ttt", "i_ttt", "calls, tables, compares", Count::Instructions),
    kernel!("pixel", "j_pixel", "pixels by port and plane", Count::Instructions),
    kernel!("sort", "k_sort", "bubble sort", Count::Instructions),
    kernel!("plasma", "l_plasma", "pictures of 256 colours by STOSB", Count::Instructions),
    kernel!("words", "m_words", "a text by LODSB", Count::Instructions),
    kernel!("text", "f_text", "writes to the text screen", Count::Instructions),
    kernel!("smc", "h_smc", "patches its own code", Count::Instructions),
    kernel!("movs", "c_movs", "rep movsw", Count::Work("words", 4000 * 16_384)),
    kernel!("stos", "c_stos", "rep stosw", Count::Work("words", 4000 * 16_384)),
    kernel!("scas", "c_scas", "repne scasb", Count::Work("bytes", 4000 * 32_768)),
    kernel!("conout", "g_conout", "INT 21h AH=02h", Count::Work("characters", 1_000_000)),
];

struct Measured {
    instructions: u64,
    seconds: f64,
    completed: bool,
}

/// Runs every kernel once and prints one row each.
pub(super) fn run(options: &JsonOption) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let mut rows = Vec::new();
    if !options.json {
        writeln!(out, "{:<10}{:<28}{:>14}{:>10}   speed", "kernel", "what", "instructions", "s")?;
    }
    for kernel in KERNELS {
        let measured = measure(kernel)?;
        let (speed, unit) = speed(kernel, &measured);
        if options.json {
            rows.push(json!({
                "kernel": kernel.name, "instructions": measured.instructions, "seconds": measured.seconds,
                "completed": measured.completed, "speed": speed, "unit": unit,
            }));
            continue;
        }
        let Measured { instructions, seconds, .. } = measured;
        writeln!(
            out,
            "{:<10}{:<28}{instructions:>14}{seconds:>10.4}   {speed:.1} {unit}",
            kernel.name, kernel.what
        )?;
    }
    let mut repeated = Vec::new();
    for (name, what, microseconds) in snapshots()?.into_iter().chain(prompts()?) {
        if options.json {
            repeated.push(json!({ "name": name, "what": what, "microseconds": microseconds }));
        } else {
            writeln!(out, "{name:<10}{what:<28}{:>24}   {microseconds:.1} \u{3bc}s each", "")?;
        }
    }
    if options.json {
        writeln!(out, "{:#}", json!({ "kernels": rows, "repeated": repeated }))?;
    }
    Ok(0)
}

/// Returns the microseconds of one of this many turns.
fn each(turns: u32, mut turn: impl FnMut(u32)) -> f64 {
    let started = Instant::now();
    (0..turns).for_each(&mut turn);
    started.elapsed().as_secs_f64() * 1e6 / f64::from(turns)
}

/// Returns a machine that waits for the first key of a game.
fn prompt(game: &Game) -> Result<Machine, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::host(format!("the game {}", game.name), error);
    let mut machine = Machine::new(&Config::default()).map_err(|error| failed(&error))?;
    machine.load(game.program, game.file, "").map_err(|error| failed(&error))?;
    machine.run(&Until::KEY_WAIT, &mut ());
    Ok(machine)
}

/// Measures snapshots of a machine that does little between them: name, description, microseconds.
fn snapshots() -> Result<Vec<(&'static str, &'static str, f64)>, Failure> {
    const TURNS: u32 = 10_000;
    let mut machine = prompt(&GAMES[0])?;
    let mut last = machine.snapshot();
    let little = |machine: &mut Machine, turn: u32| machine.write_memory(0x500, &turn.to_le_bytes());
    let save = each(TURNS, |turn| {
        little(&mut machine, turn);
        last = machine.snapshot();
    });
    let restore = each(TURNS, |turn| {
        little(&mut machine, turn);
        machine.restore(&last);
    });
    let hash = each(TURNS, |turn| {
        little(&mut machine, turn);
        std::hint::black_box(machine.state_hash());
    });
    Ok(vec![
        ("save", "a snapshot", save),
        ("restore", "the way back to it", restore),
        ("hash", "of the whole state", hash),
    ])
}

/// Measures each game from its first prompt to its next.
fn prompts() -> Result<Vec<(&'static str, &'static str, f64)>, Failure> {
    const TURNS: u32 = 100;
    let mut rows = Vec::new();
    for game in GAMES {
        let mut machine = prompt(game)?;
        let snapshot = machine.snapshot();
        let key: Option<Key> = game.sample.split(' ').next().and_then(|key| key.parse().ok());
        let microseconds = each(TURNS, |_| {
            machine.restore(&snapshot);
            key.into_iter().for_each(|key| machine.type_key(key));
            machine.run(&Until::KEY_WAIT, &mut ());
        });
        rows.push((game.name, "from prompt to prompt", microseconds));
    }
    Ok(rows)
}

fn measure(kernel: &Kernel) -> Result<Measured, Failure> {
    let started = Instant::now();
    let failed = |error: &dyn std::fmt::Display| Failure::host(format!("the kernel {}", kernel.name), error);
    let mut machine = Machine::new(&Config::default()).map_err(|error| failed(&error))?;
    machine.load(kernel.program, "KERNEL.COM", "").map_err(|error| failed(&error))?;
    let mut until = Until { instructions: 0, ..Until::cycle(u64::MAX) };
    loop {
        until.instructions += SLICE;
        let stop = machine.run(&until, &mut ());
        let elapsed = started.elapsed();
        let done = match stop {
            Stop::Exited(_) => true,
            Stop::Instructions if elapsed > TIME => false,
            Stop::Instructions => continue,
            other => return Err(failed(&format!("{other:?}"))),
        };
        let (instructions, seconds) = (machine.instructions(), elapsed.as_secs_f64());
        return Ok(Measured { instructions, seconds, completed: done });
    }
}

/// Returns the relevant figure and its unit. An interrupted kernel has only its instructions.
fn speed(kernel: &Kernel, measured: &Measured) -> (f64, String) {
    match kernel.count {
        Count::Start => (measured.seconds * 1e3, "ms in all".to_owned()),
        Count::PassedOver => {
            (measured.instructions as f64 / measured.seconds / 1e6, "million passed over/s".to_owned())
        }
        Count::Work(unit, work) if measured.completed => {
            (work as f64 / measured.seconds / 1e6, format!("million {unit}/s"))
        }
        _ => (measured.instructions as f64 / measured.seconds / 1e6, "MIPS".to_owned()),
    }
}
