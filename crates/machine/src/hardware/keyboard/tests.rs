//! Controller and keyboard through their two ports, one row per statement.

use super::*;

/// Runs steps: `c20` a command to port 64h, `d45` data to port 60h, `kE0,1D` the codes of keys,
/// `r1E` reads port 60h and compares, `s14` does so for port 64h, `+1000` lets microseconds pass,
/// `irq` and `!irq` compare IRQ 1, `aux` and `!aux` IRQ 12, `a20on`, `a20off` and `reset` compare
/// the last effect.
fn run(name: &str, steps: &str) {
    let mut keyboard = Keyboard::new();
    let mut ns = 0;
    let mut effect = Effect::None;
    for step in steps.split_whitespace() {
        let hex = |text: &str| u8::from_str_radix(text, 16).unwrap();
        match step {
            "irq" | "!irq" => assert_eq!(keyboard.irq(), step == "irq", "{name}: {step} of {steps}"),
            "aux" | "!aux" => assert_eq!(keyboard.aux_irq(), step == "aux", "{name}: {step}"),
            "a20on" => assert_eq!(effect, Effect::A20(true), "{name}"),
            "a20off" => assert_eq!(effect, Effect::A20(false), "{name}"),
            "reset" => assert_eq!(effect, Effect::Reset, "{name}"),
            "none" => assert_eq!(effect, Effect::None, "{name}"),
            _ => match (&step[..1], &step[1..]) {
                ("c", value) => effect = keyboard.write_command(hex(value), ns),
                ("d", value) => effect = keyboard.write_data(hex(value), ns),
                ("k", codes) => {
                    keyboard.send(&codes.split(',').map(hex).collect::<Vec<_>>(), ns);
                    keyboard.advance(ns);
                }
                ("r", value) => {
                    assert_eq!(format!("{:02X}", keyboard.read_data(ns)), value, "{name}: {step} at {ns}");
                }
                ("s", value) => {
                    assert_eq!(format!("{:02X}", keyboard.read_status(ns)), value, "{name}: {step} at {ns}");
                }
                (_, wait) => {
                    ns += wait.parse::<u64>().unwrap() * 1000;
                    keyboard.advance(ns);
                }
            },
        }
    }
}

#[test]
fn keys() {
    let rows = [
        ("a key fills the output buffer", "s14 !irq k1E s15 irq r1E s14 !irq"),
        ("an empty buffer gives its last byte again", "k1E r1E r1E"),
        ("the next byte takes a millisecond from the read", "k1E,9E r1E s14 +999 s14 +1 s15 irq r9E"),
        ("also from a late read", "k1E,9E +5000 r1E +999 s14 +1 r9E"),
        ("prefixes are bytes of their own", "kE0,48 rE0 +1000 r48"),
        ("interrupts off, bytes come all the same", "c60 d44 k1E !irq s15 r1E"),
        ("a disabled keyboard keeps its bytes", "cAD k1E s1C !irq cAE +1 irq r1E"),
        (
            "16 codes, then FF for an overrun, the rest is lost",
            "k01,02,03,04,05,06,07,08,09,0A,0B,0C,0D,0E,0F,10,11,12,13 \
          r01 +1000 r02 +1000 r03 +1000 r04 +1000 r05 +1000 r06 +1000 r07 +1000 r08 +1000 r09 +1000 r0A +1000 r0B +1000 \
          r0C +1000 r0D +1000 r0E +1000 r0F +1000 r10 +1000 rFF +1000 s14",
        ),
        (
            "without translation set 2 comes",
            "c60 d05 k1E,9E,E0,C8 r1C +1000 rF0 +1000 r1C +1000 rE0 +1000 rF0 +1000 r75",
        ),
    ];
    for (name, steps) in rows {
        run(name, steps);
    }
}

#[test]
fn a_key_that_is_held_repeats() {
    let rows = [
        (
            "after half a second, then 10.9 times a second",
            "k1E r1E +499999 s14 +1 r1E +91666 s14 +1 r1E +91667 r1E",
        ),
        ("until it is let go", "k1E r1E +500000 r1E +1000 k9E r9E +900000 s14"),
        ("the last one", "k1E r1E +100000 k30 r30 +499999 s14 +1 r30"),
        ("also when another is let go", "k1E r1E +100000 k30 r30 +1000 k9E r9E +499000 r30"),
        ("with its prefix", "kE0,48 rE0 +1000 r48 +499000 rE0 +1000 r48"),
        ("a grey key is not the keypad's", "kE0,48 rE0 +1000 r48 +1000 kC8 rC8 +498000 rE0"),
        (
            "Pause does not",
            "kE1,1D,45,E1,9D,C5 rE1 +1000 r1D +1000 r45 +1000 rE1 +1000 r9D +1000 rC5 +900000 s14",
        ),
        (
            "F3h sets delay and rate",
            "dF3 +1000 rFA d00 +1000 rFA +1000 k1E r1E +249999 s14 +1 r1E +33334 r1E",
        ),
        (
            "16 codes wait, the others are lost",
            "k1E +9000000 k9E r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 \
          r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 r1E +1000 rFF +1000 s14",
        ),
    ];
    for (name, steps) in rows {
        run(name, steps);
    }
}

#[test]
fn controller_commands() {
    let rows = [
        ("20h reads the command byte", "c20 s1D r45"),
        ("60h writes it", "c60 d47 c20 r47"),
        ("memory at 21h to 3Fh", "c7F d5A c3F r5A"),
        ("AAh tests itself", "cAA r55"),
        ("ABh and A9h test the lines", "cAB r00 cA9 r00"),
        ("ADh and AEh move bit 4", "cAD c20 r55 cAE c20 r45"),
        ("A7h and A8h move bit 5", "cA7 c20 r65 cA8 c20 r45"),
        ("C0h reads the input port", "cC0 rB0"),
        ("D0h reads the output port: A20 shut, no interrupt", "cD0 rC1"),
        ("D1h writes it: A20", "cD1 none dDD a20off cD1 dDF a20on"),
        ("D1h writes it: reset", "cD1 dDE reset"),
        ("D2h puts a byte into the output buffer", "cD2 d77 s15 irq r77"),
        ("D3h as if from a mouse", "c60 d47 cD3 d77 s35 aux !irq r77 !aux"),
        ("D4h: there is no mouse", "cD4 dFF +2000 s14"),
        ("DDh and DFh move A20", "cDD a20off cDF a20on"),
        ("FEh pulses reset", "cFE reset"),
        ("FFh pulses nothing", "cFF none"),
        ("unknown commands do nothing", "c00 none s1C"),
        ("bit 3 tells commands from data", "cAE s1C c60 s1C d45 s14"),
        ("the system flag", "c60 d41 s10"),
        ("answers wait for the buffer", "cAA c20 r55 r45"),
        ("answers pass ahead of keys", "k1E,9E cAA r1E r55 +1000 r9E"),
    ];
    for (name, steps) in rows {
        run(name, steps);
    }
}

#[test]
fn keyboard_commands() {
    let rows = [
        ("EDh sets the lights", "dED s14 +1000 irq rFA d07 +1000 rFA"),
        ("EEh echoes", "dEE +1000 rEE"),
        ("F2h identifies, translated", "dF2 +1000 rFA +1000 rAB +1000 r41"),
        ("F2h identifies, as it is", "c60 d05 dF2 +1000 rFA +1000 rAB +1000 r83"),
        ("F0h 00h tells the set, translated", "dF0 +1000 rFA d00 +1000 rFA +1000 r41"),
        ("F0h sets the set", "c60 d05 dF0 +1000 rFA d01 +1000 rFA dF0 +1000 rFA d00 +1000 rFA +1000 r01"),
        ("F3h sets the rate", "dF3 +1000 rFA d20 +1000 rFA"),
        ("F5h stops scanning, F4h starts it", "dF5 +1000 rFA k1E +1000 s14 dF4 +1000 rFA k1E +1000 r1E"),
        ("F6h keeps scanning", "dF6 +1000 rFA k1E +1000 r1E"),
        ("FEh repeats", "k1E r1E +1000 dFE +1000 r1E"),
        ("FFh resets: FA, and AA after half a second", "dFF +1000 rFA +498999 s14 +1 rAA"),
        ("a command instead of a parameter", "dED +1000 rFA dEE +1000 rEE"),
        ("unknown bytes ask for them again", "d10 +1000 rFE"),
        ("a byte for the keyboard enables its line", "cAD dEE +1000 rEE c20 r45"),
        ("the answer passes ahead of keys", "k1E,9E,1F r1E dED +1000 rFA +1000 r9E +1000 r1F"),
    ];
    for (name, steps) in rows {
        run(name, steps);
    }
}

#[test]
fn what_was_set_can_be_seen() {
    let mut keyboard = Keyboard::new();
    for byte in [0xED, 0x05, 0xF3, 0x7F] {
        keyboard.write_data(byte, 0);
    }
    assert_eq!((keyboard.lights(), keyboard.typematic()), (0x05, 0x7F));
    assert!(keyboard.send(&[0x1E; 16], 0));
    assert_eq!(keyboard.room(), 0);
    assert!(!keyboard.send(&[0x1E], 0));
    assert!(!keyboard.is_idle());
}

#[test]
fn what_nobody_reads_stays_bounded() {
    let mut keyboard = Keyboard::new();
    for round in 0..10_000 {
        keyboard.send(&[0x1E], round);
        keyboard.write_command(0xAA, round);
        keyboard.write_data(0xFF, round);
        keyboard.write_data(0xF2, round);
    }
    assert!(keyboard.answers.len() <= ANSWERS && keyboard.room() <= 16);
    assert!(postcard::to_allocvec(&keyboard).unwrap().len() < 1000);
}
