//! The data sheet's statements, one per row.

use super::*;

/// The initialisation by an AT's BIOS: vectors 08h and 70h, cascade on 2, edge mode, no automatic
/// end of interrupt.
const AT: &str = "20=11 21=08 21=04 21=01 A0=11 A1=70 A1=02 A1=01";

/// Runs steps: `20=11` writes a port, `20:04` reads and compares, `+3` and `-3` set a request line,
/// `int` and `!int` compare INTR, `ack0B` acknowledges and compares the vector.
fn run(name: &str, set_up: &str, steps: &str) {
    let mut pic = Pic::new();
    for step in set_up.split_whitespace().chain(steps.split_whitespace()) {
        let hex = |text: &str| u8::from_str_radix(text, 16).unwrap();
        if let Some((port, value)) = step.split_once('=') {
            pic.output(u16::from(hex(port)), hex(value));
        } else if let Some((port, value)) = step.split_once(':') {
            assert_eq!(format!("{:02X}", pic.input(u16::from(hex(port)))), value, "{name}: {step}");
        } else if let Some(vector) = step.strip_prefix("ack") {
            assert_eq!(format!("{:02X}", pic.acknowledge()), vector, "{name}: {step}");
        } else if step.ends_with("int") {
            assert_eq!(pic.intr(), step == "int", "{name}: {step} of {steps}");
        } else {
            pic.set_irq(step[1..].parse().unwrap(), step.starts_with('+'));
        }
    }
}

#[test]
fn requests_and_priorities() {
    let rows = [
        ("a request goes through", "!int +1 int ack09 !int"),
        ("0 is before 1", "+1 +0 ack08 20=20 ack09"),
        ("a lower one waits for the end of interrupt", "+0 ack08 +1 !int 20=20 int ack09"),
        ("a higher one does not wait", "+3 ack0B +1 int ack09"),
        ("the same level waits", "+3 ack0B -3 +3 !int 20=20 int ack0B"),
        ("masked", "21=02 +1 !int 21=00 int"),
        ("the mask reads back", "21=B8 21:B8 A1=8F A1:8F"),
        ("IRR, also of what is masked", "21=FF +1 +4 20:12 20=0A 20:12"),
        ("an acknowledge clears the IRR bit and sets ISR", "+4 ack0C 20:00 20=0B 20:10 20=20 20:00"),
        ("the choice of IRR or ISR lasts", "+4 ack0C 20=0B 20:10 20:10 20=0A 20:00"),
        ("one edge, one interrupt", "+1 ack09 20=20 !int -1 !int +1 int"),
        ("a request that falls is gone", "+1 int -1 !int 20:00"),
        ("and leaves a spurious 7 that is not in service", "+1 -1 ack0F 20=0B 20:00"),
        ("a real 7 is in service", "+7 ack0F 20=0B 20:80"),
    ];
    for (name, steps) in rows {
        run(name, AT, steps);
    }
    run("before the command words nothing passes", "", "+1 !int 20=11 21=08 21=04 !int 21=01 !int -1 +1 int");
}

#[test]
fn end_of_interrupt_and_rotation() {
    let rows = [
        (
            "non-specific: the highest in service",
            "+4 ack0C +2 20=0B 20:10 +1 ack09 20:12 20=20 20:10 20=20 20:00",
        ),
        ("specific", "+4 ack0C +1 ack09 20=64 20=0B 20:02 20=61 20:00"),
        ("set priority: 3 lowest, so 4 highest", "20=C3 +0 +4 ack0C 20=20 ack08"),
        ("set priority: 3 below 1", "20=C3 +3 +1 ack09"),
        ("rotate on non-specific end", "+0 +1 ack08 -0 +0 20=A0 ack09 20=20 ack08"),
        ("rotate on specific end", "+4 ack0C +0 +5 20=E4 ack0D"),
        ("the operation 010 does nothing", "+4 ack0C 20=40 20=0B 20:10"),
        ("ICW1 makes 7 the lowest again", "20=C3 20=11 21=08 21=04 21=01 +0 +4 ack08"),
    ];
    for (name, steps) in rows {
        run(name, AT, steps);
    }
}

#[test]
fn special_modes() {
    let automatic = "20=11 21=08 21=04 21=03 A0=11 A1=70 A1=02 A1=01";
    run("automatic end", automatic, "+3 ack0B 20=0B 20:00 +4 int ack0C");
    run("rotation on automatic end", automatic, "20=80 +3 +4 ack0B -3 +3 ack0C ack0B");
    run("and its end", automatic, "20=80 20=00 +3 +4 ack0B -3 +3 ack0B");

    let level = "20=19 21=08 21=04 21=01 A0=11 A1=70 A1=02 A1=01";
    run("levels ask again", level, "+3 ack0B 20=0A 20:08 20=20 int ack0B -3 20=20 !int");
    run("a level that falls is gone", level, "+3 -3 !int ack0F");

    run(
        "special mask: a masked level in service holds nothing back",
        AT,
        "+1 ack09 21=02 +4 !int 20=68 int ack0C",
    );
    run("special mask off again", AT, "+1 ack09 21=02 20=68 +4 int 20=48 !int");
    run(
        "special mask: masked levels are not ended",
        AT,
        "+1 ack09 21=02 20=68 20=20 20=0B 20:02 21=00 20=20 20:00",
    );

    run("poll: a request is taken into service", AT, "+3 20=0C 20:83 20=0B 20:08 !int");
    run("poll: nothing there", AT, "20=0C 20:00 20:00");
    run("poll: one read only, at either address", AT, "21=40 +3 20=0C 21:83 21:40");
    run("poll of the slave", AT, "+11 20=0C 20:82 A0=0C A0:83");

    run("single: no ICW3, 2 is a line like others", "20=13 21=08 21=01", "21:00 21=FB 21:FB");
    run("no ICW4", "20=10 21=48 21=04", "+3 ack4B 20=0B 20:08");
    run("ICW2 gives the upper five bits", "20=11 21=57 21=04 21=01", "+3 ack53");
}

#[test]
fn cascade() {
    let rows = [
        ("8 comes through 2", "+8 int ack70 20=0B 20:04 A0=0B A0:01"),
        ("8 to 15 rank between 1 and 3", "+3 +15 +1 ack09 20=20 ack77 20=20 A0=20 ack0B"),
        ("line 2 is line 9", "+2 ack71"),
        ("masked at the slave", "A1=01 +8 !int A1=00 int"),
        ("masked at the master", "21=04 +8 !int A0:01 21=00 int"),
        ("a second request of the slave needs both ends", "+9 ack71 +12 !int A0=20 !int 20=20 int ack74"),
        ("also in the other order", "+9 ack71 +12 20=20 !int A0=20 int ack74"),
        ("a higher one of the slave waits for the master", "+12 ack74 +8 !int 20=20 int ack70"),
        ("what the slave masks is gone from the master", "+8 20:04 A1=01 20:00 !int"),
    ];
    for (name, steps) in rows {
        run(name, AT, steps);
    }
    let nested = "20=11 21=08 21=04 21=11 A0=11 A1=70 A1=02 A1=01";
    run("special fully nested: a higher one of the slave does not wait", nested, "+12 ack74 +8 int ack70");
    run("special fully nested: a lower one does", nested, "+8 ack70 +12 !int");
}

#[test]
fn a_slave_whose_request_is_gone_gives_its_level_7() {
    let mut pic = Pic::new();
    for step in AT.split(' ') {
        let (port, value) = step.split_once('=').unwrap();
        pic.output(u16::from_str_radix(port, 16).unwrap(), u8::from_str_radix(value, 16).unwrap());
    }
    // The master has recorded the edge; then the slave's line falls before the acknowledge.
    pic.set_irq(8, true);
    pic.slave.set_input(0, false);
    assert_eq!(pic.acknowledge(), 0x77);
    assert_eq!((pic.master.isr(), pic.slave.isr()), (0x04, 0x00));
}
