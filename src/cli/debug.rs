//! `oxbox debug`, `oxbox dap` and `run --gdb`: a program under a debugger.

use std::io::Write;

use super::arguments::{AssemblerOptions, Debug, GuestOptions, Run};
use super::failure::Failure;
use super::program::guest_of;
use super::{guest, symbols};
use crate::debug::dap::Launch;
use crate::debug::debuggee::Debuggee;
use crate::debug::origin;
use oxbox::machine::Until;

/// Debugs a program in the terminal.
pub(super) fn run(options: &Debug) -> Result<u8, Failure> {
    let debuggee = prepare(options)?;
    #[cfg(feature = "terminal")]
    {
        use std::io::IsTerminal;
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            let advice = "debug wants a terminal (for programs: run --gdb, or dap)";
            return Err(Failure::Host(advice.to_owned()));
        }
        crate::debug::console::run(debuggee)?;
        Ok(0)
    }
    #[cfg(not(feature = "terminal"))]
    {
        drop(debuggee);
        Err(Failure::Host("this oxbox was built without the terminal".to_owned()))
    }
}

/// Lets gdb run a program.
pub(super) fn gdb(options: &Run, address: &str) -> Result<u8, Failure> {
    crate::debug::gdb::serve(load(options)?, address).map_err(Failure::Host)?;
    Ok(0)
}

/// Tells where something on the final screen, or in the final state, came from.
pub(super) fn who(options: &Run, what: &str) -> Result<u8, Failure> {
    let mut debuggee = load(options)?;
    let limits = &options.guest;
    let cycle = limits.time_limit.map_or(u64::MAX, |ms| debuggee.history.machine().cycle_at_ms(ms));
    let instructions = limits.instruction_limit.unwrap_or(u64::MAX);
    debuggee.history.run(&Until { cycle, instructions, key_wait: true }, &mut ());
    let lines = origin::chain(&mut debuggee, what.trim())
        .map_err(|why| Failure::Usage(format!("--who {what}: {why}")))?;
    writeln!(std::io::stdout().lock(), "{}", lines.join("\n"))?;
    Ok(0)
}

/// Serves an editor.
pub(super) fn dap() -> Result<u8, Failure> {
    let launcher = |launch| prepare(&launched(launch)).map_err(|failure| failure.to_string());
    let input = std::io::BufReader::new(std::io::stdin());
    crate::debug::dap::serve(input, &mut std::io::stdout().lock(), &launcher)?;
    Ok(0)
}

/// A program with its names, ready to run under a debugger.
fn prepare(options: &Debug) -> Result<Debuggee, Failure> {
    let guest = GuestOptions {
        keys: options.keys.clone(),
        script: options.script.clone(),
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

/// What an editor asks to be launched.
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
        cpu: defaults.cpu,
        fpu: defaults.fpu,
        speed: defaults.speed,
        dir: None,
        assembler: AssemblerOptions { include: Vec::new(), assembler: None },
    }
}

fn load(options: &Run) -> Result<Debuggee, Failure> {
    let program = guest_of(options)?;
    let script = guest::read_script(&options.guest)?;
    let machine = guest::power_on(&program, &options.guest)?;
    let lookup = symbols::of_drive(options.guest.dir.clone().or_else(|| program.folder.clone()));
    let folder = program.folder.unwrap_or_default();
    let (symbols, size) = (program.symbols, program.bytes.len());
    Ok(Debuggee::new(machine, script, &program.title, symbols, size, &folder, lookup))
}
