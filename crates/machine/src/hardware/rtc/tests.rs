//! Registers, time and interrupts: the data sheet's statements, one per row.

use super::*;

const MS: u64 = 1_000_000;

fn evening() -> Rtc {
    let start = DateTime { hour: 23, minute: 59, second: 57, ..DateTime::date(1999, 12, 31) };
    Rtc::new(start)
}

/// Runs steps: `w0B=82` writes a register, `r00=57` reads and compares, `+1000` lets milliseconds
/// pass, `irq` and `-irq` compare the line.
fn run(name: &str, steps: &str) {
    let mut rtc = evening();
    let mut ns = 0;
    for step in steps.split_whitespace() {
        let hex = |range: std::ops::Range<usize>| u8::from_str_radix(&step[range], 16).unwrap();
        match step.as_bytes()[0] {
            b'w' => {
                rtc.select(hex(1..3));
                rtc.write(hex(4..6), ns);
            }
            b'r' => {
                rtc.select(hex(1..3));
                assert_eq!(format!("{:02X}", rtc.read(ns)), step[4..6], "{name}: {step}");
            }
            b'+' => {
                ns += step[1..].parse::<u64>().unwrap() * MS;
                rtc.advance(ns);
            }
            _ => assert_eq!(rtc.irq(), step == "irq", "{name}: {step}"),
        }
    }
}

#[test]
fn registers() {
    let rows = [
        ("time in BCD", "r04=23 r02=59 r00=57 r07=31 r08=12 r09=99 r32=19 r06=06"),
        ("midnight, year and century", "+3000 r04=00 r02=00 r00=00 r07=01 r08=01 r09=00 r32=20 r06=07"),
        ("a second is an update", "+999 r00=57 +1 r00=58 +1000 r00=59"),
        ("binary", "w0B=06 r04=17 r02=3B r00=39 r09=63"),
        ("12 hours", "w0B=00 r04=91 w04=12 r04=12 +2000 w0B=02 r04=00"),
        ("noon is 12 pm", "w0B=00 w04=92 r04=92 w0B=02 r04=12"),
        ("SET stops the time", "w0B=82 +5000 r00=57 w0B=02 +1000 r00=58"),
        ("SET clears update-ended enable", "w0B=92 r0B=82"),
        (
            "a stopped divider comes back after half a second",
            "w0A=66 +5000 r00=57 w0A=26 +499 r00=57 +1 r00=58",
        ),
        ("update in progress for the last 2.2 ms", "r0A=26 +997 r0A=26 +1 r0A=A6 +2 r0A=26"),
        ("setting the time", "w00=30 w02=15 w04=08 r00=30 r02=15 r04=08 +1000 r00=31"),
        ("setting a date", "w07=28 w08=02 w09=00 w32=20 +3000 r07=29 r08=02"),
        ("an impossible date stays until midnight", "w08=02 r07=31 r08=02 +1000 r07=31 +2000 r07=04 r08=03"),
        ("register D: the battery is good", "r0D=80 w0D=00 r0D=80"),
        ("memory", "w40=5A r40=5A r15=80 r16=02 r17=40 r18=00"),
        ("checksum of 10h to 2Dh", "r2E=00 r2F=C2"),
    ];
    for (name, steps) in rows {
        run(name, steps);
    }
}

#[test]
fn interrupts() {
    let rows = [
        ("flags are set without being enabled", "+1000 -irq r0C=10 r0C=00"),
        ("update-ended", "w0B=12 +999 -irq +1 irq r0C=90 -irq r0C=00"),
        ("enabling a flag that is set", "+1000 -irq w0B=12 irq"),
        ("periodic at 2 Hz", "w0A=2F w0B=42 r0C=00 +499 -irq +1 irq r0C=C0 -irq +500 irq"),
        ("periodic at 1024 Hz", "w0A=26 w0B=42 -irq +1 irq r0C=C0 -irq +1 irq"),
        ("no rate, no ticks", "w0A=20 r0C=00 w0B=42 +400 -irq r0C=00"),
        ("alarm", "w05=00 w03=00 w01=01 w0B=22 +3999 -irq +1 irq r0C=B0"),
        ("alarm each minute", "w05=FF w03=C0 w01=00 w0B=22 +3000 irq r0C=B0 +59999 -irq +1 irq"),
        ("alarm in a jump over days", "w05=12 w03=34 w01=56 w0B=22 +200000000 irq r0C=B0"),
        ("an alarm that no time equals", "w05=24 w03=00 w01=00 w0B=22 +200000000 -irq"),
    ];
    for (name, steps) in rows {
        // Without a rate: otherwise the periodic flag of the BIOS's 1024 Hz would be set in every
        // row.
        run(name, &format!("w0A=20 {steps}"));
    }
}
