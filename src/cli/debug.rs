//! `oxbox debug`, `oxbox dap` and `run --gdb`: a program under a debugger.

use std::io::Write;

use super::arguments::{AssemblerOptions, Debug, GuestOptions, Run};
use super::failure::Failure;
use super::program::guest_of;
use super::{guest, symbols};
use crate::debug::dap::Launch;
use crate::debug::debuggee::Debuggee;
use crate::debug::origin;
use crate::frontend::signals;
use oxbox::inspect::{EndingCall, RegisterPart, last_moment};
use oxbox::machine::{Stop, Until};

pub(super) fn run(options: &Debug) -> Result<u8, Failure> {
    let mut debuggee = prepare(options)?;
    for text in &options.watches {
        debuggee.condition(text).map_err(|why| Failure::Usage(format!("--watch: {why}")))?;
    }
    #[cfg(feature = "terminal")]
    {
        use std::io::IsTerminal;
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            let advice = "debug needs a terminal (programs can use run --gdb, or dap)";
            return Err(Failure::Host(advice.to_owned()));
        }
        crate::debug::console::run(debuggee, options.watches.clone()).map_err(Failure::Host)?;
        Ok(told_to_end())
    }
    #[cfg(not(feature = "terminal"))]
    {
        drop(debuggee);
        Err(Failure::Host("this oxbox was built without the terminal".to_owned()))
    }
}

pub(super) fn gdb(options: &Run, address: &str) -> Result<u8, Failure> {
    crate::debug::gdb::serve(load(options)?, address).map_err(Failure::Host)?;
    Ok(told_to_end())
}

/// Reports the origin of something on the final screen, or in the final state.
pub(super) fn who(options: &Run, what: &str) -> Result<u8, Failure> {
    let mut debuggee = load(options)?;
    let limits = &options.guest;
    let cycle = limits.time_limit.map_or(u64::MAX, |ms| debuggee.timeline.machine().cycle_at_ms(ms));
    let instructions = limits.instruction_limit.unwrap_or(u64::MAX);
    let mut ending = EndingCall::default();
    let stop = debuggee.timeline.run(&Until { cycle, instructions, ..Until::KEY_WAIT }, &mut ending);
    // After the program's end the registers are its parent's: the values at its end are needed.
    let is_register = what.trim().parse::<RegisterPart>().is_ok();
    if let (Stop::Exited(_), true, Some(called)) = (stop, is_register, ending.registers) {
        const INT: u16 = 2;
        let at = (called.cs(), (called.ip as u16).wrapping_sub(INT));
        last_moment(&mut debuggee.timeline, |registers, _| (registers.cs(), registers.ip as u16) == at);
    }
    let lines = origin::chain(&mut debuggee, what.trim())
        .map_err(|why| Failure::Usage(format!("--who {what}: {why}")))?;
    writeln!(std::io::stdout().lock(), "{}", lines.join("\n"))?;
    Ok(0)
}

/// Serves an editor.
pub(super) fn dap() -> Result<u8, Failure> {
    let launcher = |launch| prepare(&launched(launch)).map_err(|failure| failure.to_string());
    let input = std::io::BufReader::new(std::io::stdin());
    let _watch = signals::watch();
    crate::debug::dap::serve(input, &mut std::io::stdout().lock(), &launcher)?;
    Ok(told_to_end())
}

/// Returns the exit code of a debugger that may have been ended by a signal.
fn told_to_end() -> u8 {
    signals::received().map_or(0, oxbox::machine::Signal::exit_code)
}

/// Prepares a program with its symbols for running under a debugger.
fn prepare(options: &Debug) -> Result<Debuggee, Failure> {
    let guest = GuestOptions {
        keys: options.keys.clone(),
        script: options.script.clone(),
        clock: options.clock,
        cpu: options.cpu,
        fpu: options.fpu,
        speed: options.speed,
        dir: options.dir.clone(),
        ..GuestOptions::default()
    };
    let run = Run {
        program: options.program.clone(),
        symbols: options.symbols.clone(),
        args: options.args.clone(),
        guest,
        gdb: None,
        who: None,
        assembler: options.assembler.clone(),
    };
    let mut debuggee = load(&run)?;
    for text in &options.breakpoints {
        debuggee.add_breakpoint(text).map_err(|why| Failure::Usage(format!("--break: {why}")))?;
    }
    Ok(debuggee)
}

/// Converts an editor's launch request.
fn launched(launch: Launch) -> Debug {
    let defaults = GuestOptions::default();
    let Launch { program, args, keys, script } = launch;
    Debug {
        program,
        symbols: None,
        args,
        keys,
        script,
        breakpoints: Vec::new(),
        clock: defaults.clock,
        watches: Vec::new(),
        cpu: defaults.cpu,
        fpu: defaults.fpu,
        speed: defaults.speed,
        dir: None,
        assembler: AssemblerOptions::default(),
    }
}

fn load(options: &Run) -> Result<Debuggee, Failure> {
    let program = guest_of(options)?;
    let script = guest::read_script(&options.guest)?;
    let machine = guest::power_on(&program, &options.guest, &script)?.0;
    let lookup = symbols::of_drive(options.guest.dir.clone().or_else(|| program.folder.clone()));
    let folder = program.folder.unwrap_or_default();
    let (symbols, size) = (program.symbols, program.bytes.len());
    Ok(Debuggee::new(machine, script, &program.title, symbols, size, &folder, lookup))
}
