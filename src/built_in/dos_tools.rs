//! Runs DOS assemblers and linkers in a machine.

use oxbox_machine::hardware::vga::cp437::{self, Controls};
use oxbox_machine::machine::{Machine, Stop, Until};
use oxbox_toolchain::{DosEnd, DosJob};

/// The time limit of a tool in virtual milliseconds. Old assemblers take a second or more.
const LIMIT_MS: u64 = 120_000;

/// The work limit of a tool in instructions: half of its virtual time at the usual speed.
const WORK: u64 = 200_000_000;

/// Runs a tool to its end, without keys.
pub(super) fn run(job: &DosJob) -> Result<DosEnd, String> {
    let mut config = super::config();
    config.dos.folder = Some(job.folder.to_owned());
    let mut machine = Machine::new(&config).map_err(|error| error.to_string())?;
    machine.load(job.program, job.name, job.tail).map_err(|error| error.to_string())?;
    machine.keep_printout();
    machine.set_work_budget(WORK);
    let until = Until { cycle: machine.cycle_at_ms(LIMIT_MS), ..Until::KEY_WAIT };
    let stop = machine.run(&until, &mut ());
    machine.flush_files().map_err(|error| error.to_string())?;
    let output = cp437::text(&machine.take_printout(), Controls::Kept);
    let (code, why) = match stop {
        Stop::Exited(code) => (Some(code), None),
        Stop::KeyWait | Stop::InputWait => (None, Some("it waits for a key".to_owned())),
        Stop::Cycle | Stop::Instructions => (None, Some("it did not end".to_owned())),
        Stop::Crashed(crash) => (None, Some(format!("it crashed: {crash}"))),
        Stop::Dead(fault) => (None, Some(fault.to_string())),
        Stop::Breakpoint => (None, Some("it was stopped".to_owned())),
    };
    Ok(DosEnd { code, output, why })
}
