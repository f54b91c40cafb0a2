//! Program files: with any header a file is loaded or refused, and a loaded program runs for a
//! moment.

use oxbox::machine::{Config, Machine, Until};

pub(crate) fn run(program: &[u8]) {
    let Ok(mut machine) = Machine::new(&Config::default()) else { return };
    if machine.load(program, "FUZZ.EXE", " arguments").is_ok() {
        machine.set_work_budget(0);
        machine.run(&Until::cycle(3_000), &mut ());
    }
}
