//! Tests a DOS program: loads it, types keys, checks the screen, restores a snapshot.
//!
//! `cargo run --example test_a_program`

use oxbox::machine::{Config, Machine, Stop, Until};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut machine = Machine::new(&Config::default())?;
    machine.load(include_bytes!("../roms/TTT1.EXE"), "TTT1.EXE", "")?;
    assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
    let start = machine.snapshot();

    for (keys, expected) in [("0 2 7", " 6 |   | 8      | X |"), ("4", " 3 |   | 5      | X |")] {
        machine.restore(&start);
        for key in keys.split(' ') {
            machine.type_key(key.parse()?);
            assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
        }
        let screen = machine.text().ok_or("a text screen")?.to_string();
        assert!(screen.lines().any(|line| line == expected), "after {keys}:\n{screen}");
        println!("{keys}: as expected, after {} instructions", machine.instructions());
    }
    Ok(())
}
