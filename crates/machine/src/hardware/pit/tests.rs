//! The data sheet's statements, one per row, and a comparison of the closed form with a counter
//! stepped tick by tick.

mod reference;

use proptest::prelude::*;
use reference::Reference;

use super::*;

/// Returns OUT of a counter over some ticks: `_` low, `^` high.
fn trace(counter: &Counter, ticks: std::ops::Range<u64>) -> String {
    ticks.map(|tick| if counter.out(tick) { '^' } else { '_' }).collect()
}

/// Runs steps on counter 2 from tick 0: `c34` a control word (the counter's number is inserted),
/// `w04` a byte to the counter, `g1` and `g0` the gate, `+3` lets ticks pass, `r04` reads and
/// compares a byte, `o^_` compares OUT from the current tick.
fn run(name: &str, steps: &str) {
    let mut pit = Pit::new();
    let mut tick = 0;
    pit.set_sound_gate(true, 0);
    for step in steps.split_whitespace() {
        let rest = &step[1..];
        let hex = || u8::from_str_radix(rest, 16).unwrap();
        match step.as_bytes()[0] {
            b'c' => pit.output(0x43, hex() | 0x80, tick),
            b'b' => pit.output(0x43, hex(), tick),
            b'w' => pit.output(0x42, hex(), tick),
            b'g' => pit.set_sound_gate(rest == "1", tick),
            b'+' => tick += rest.parse::<u64>().unwrap(),
            b'r' => assert_eq!(format!("{:02X}", pit.input(0x42, tick)), rest, "{name}: {step} at {tick}"),
            _ => {
                let seen = trace(pit.sound(), tick..tick + rest.len() as u64);
                assert_eq!(seen, rest, "{name}: OUT from {tick}");
            }
        }
    }
}

#[test]
fn modes() {
    let rows = [
        ("0: OUT rises count + 1 ticks after the write", "c10 o_ w04 o_____^^^ +1 r04 +1 r03 +3 r00 +1 rFF"),
        ("0: a new count starts over", "c10 w04 +3 w02 o___^^"),
        ("0: the first of two bytes stops it with OUT low", "c30 w01 w00 +9 o^ w05 o_ +5 o_ w00 o______^"),
        ("0: GATE low keeps it from counting", "c10 w04 +2 g0 +5 r03 o___ g1 o___^ r03 +1 r02"),
        ("0: loaded though GATE is low", "c10 g0 w04 +5 r04 o__ g1 o____^"),
        ("0: GATE has no influence on OUT", "c10 w02 +5 o^ g0 o^^^^ g1 o^^^^"),
        ("0: 0 counts 65536", "c10 w00 +65536 o_^^"),
        ("1: OUT is high until GATE rises", "c12 o^ w03 o^^^^^^"),
        ("1: a rise gives a pulse of count ticks", "c12 w03 g0 +2 g1 o^___^^^^"),
        ("1: GATE may fall meanwhile", "c12 w03 g0 +2 g1 +2 g0 o__^^^"),
        ("1: retriggered", "c12 w03 g0 +2 g1 +2 g0 g1 o____^^"),
        ("1: a new count waits for a trigger", "c12 w03 g0 +2 g1 +2 w05 o__^^^ g0 g1 o______^"),
        ("2: low for one tick in count", "c14 w03 o^^^_^^_^^_^^"),
        ("2: a new count comes with the next period", "c14 w03 +2 w05 o^_^^^^_^^^^_"),
        ("2: GATE low takes OUT high at once", "c14 w03 +3 o_ g0 o^^^^^"),
        ("2: GATE rising starts the period", "c14 w03 +3 g0 +7 g1 o^^^_^^_"),
        ("2: counts down to 1", "c14 w03 +1 r03 +1 r02 +1 r01 +1 r03"),
        ("3: half and half", "c16 w04 o^^^__^^__^^__"),
        ("3: counts by two", "c16 w04 +1 r04 +1 r02 +1 r04 +1 r02 +1 r04"),
        ("3: an odd count is high for the longer half", "c16 w05 o^^^^__^^^__^^^__"),
        ("3: an odd count is loaded less one", "c16 w05 +1 r04 +1 r02 +1 r00 +1 r04 +1 r02 +1 r04"),
        ("3: a new count comes with the next half", "c16 w08 +2 w04 o^^^__^^__"),
        ("3: in the low half too", "c16 w08 +6 w04 o___^^__^^"),
        ("3: GATE low takes OUT high, its rise starts over", "c16 w04 +4 o_ g0 o^^^ +5 g1 o^^^__^^__"),
        ("3: 0 counts 65536", "c36 w00 w00 +1 r00 r00 +32766 o^^__ +32768 o__^^"),
        ("4: a strobe count + 1 ticks after the write", "c18 w03 o^^^^_^^^^^"),
        ("4: GATE low keeps it from counting", "c18 w03 +2 g0 +4 r02 o^^ g1 o^^_^^^"),
        ("4: GATE does not cut the strobe short", "c18 w03 +4 o_ g0 o_^^ +3 r00 g1 o^^^^ +1 rFF"),
        ("4: a new count starts over", "c18 w03 +3 w03 o^^^^_^"),
        ("5: a strobe after the trigger", "c1A w03 o^^^^^^ g0 g1 o^^^^_^^"),
        ("5: retriggered", "c1A w03 g0 g1 +3 g0 g1 o^^^^_^"),
        ("5: GATE low does not stop it", "c1A w03 g0 g1 +2 g0 o^^_^^"),
        ("6 is 2", "c1C w03 o^^^_^^_"),
        ("7 is 3", "c1E w04 o^^^__^^"),
        ("no count, no counting", "c14 o^^^^^ +5 g0 g1 o^^^^"),
        ("a count of 1 in modes 2 and 3 is not allowed: OUT stays", "c14 w01 o^^^^ c16 w01 o^^^^"),
    ];
    for (name, steps) in rows {
        run(name, steps);
    }
}

#[test]
fn registers() {
    let rows = [
        ("low byte only", "c14 w21 +1 r21 r21"),
        ("high byte only", "c24 w21 +1 r21 +1 r20 +255 r20 +1 r1F"),
        ("low then high", "c34 w34 w12 +1 r34 r12 +4 r30 r12"),
        ("latched", "c34 w34 w12 +1 c00 +99 r34 r12 rD1 r11"),
        ("a second latch command is ignored", "c34 w34 w12 +1 c00 +9 c00 +9 r34 r12"),
        ("a latch may be read in two goes", "c34 w34 w12 +1 c00 r34 +50 r12"),
        ("86h latches and sets no mode", "c36 w04 w00 +1 b86 r04 r00 o^^__^^__"),
        ("BCD", "c35 w10 w00 +1 r10 r00 +1 r09 r00 +8 r01 r00 +1 r10 r00"),
        ("BCD: 0 counts 10000", "c31 w00 w00 +1 r00 r00 +1 r99 r99 +9998 o_^ r01 r00"),
        ("a control word starts the byte order anew", "c34 w34 w12 +1 r34 c34 w78 w56 +1 r78 r56"),
        ("a control word drops a latched count", "c34 w34 w12 +1 c00 c14 w05 +1 r05"),
        ("read-back of the count", "c34 w34 w12 +1 bD8 +9 r34 r12"),
        ("read-back of the status: OUT, null count, bytes, mode, BCD", "c34 w34 w12 +1 bE8 rB4"),
        ("null count until the load", "c34 bE8 rF4 w34 bE8 rF4 w12 bE8 rB4 +1 bE8 rB4"),
        ("a count that was just written is read", "c34 w34 w12 c00 r34 r12 +1 r34 r12 +1 r33 r12"),
        ("mode 0: so is the next one", "c30 w34 w12 +5 w78 w56 r78 r56 bE8 r30"),
        ("mode 2: a count that waits for the end of the period is not", "c14 w05 +3 w09 r03 +2 r01 +1 r09"),
        ("mode 3: nor one that waits for the half", "c16 w08 +3 w04 r04 +1 r02 +1 r04"),
        ("mode 1: loaded by the trigger", "c12 w05 bE8 rD2 g0 g1 bE8 r12 r05"),
        ("mode 5: loaded by the trigger", "c1A w05 bE8 rDA g0 g1 bE8 r9A r05"),
        ("the status has the mode as it was written", "c3E w04 w00 +1 bE8 rBE c1D w05 +1 bE8 r9D"),
        ("a latched count outlives a new count", "c34 w34 w12 +1 c00 w78 w56 +9 r34 r12"),
        ("latched between its two bytes", "c34 w34 w12 +1 r34 c00 +5 r12 r2F r12"),
        ("reads and writes take their turns apart", "c30 w34 w12 +1 r34 w78 r12 w56 r78 r56"),
        ("latched twice by read-back: the first stays", "c34 w34 w12 +1 bD8 +5 bD8 +5 r34 r12"),
        ("a status is no byte of the count", "c34 w34 w12 +1 r34 bE8 rB4 r12"),
        ("a latch of the high byte alone is one byte", "c24 w12 +1 c00 +600 r12 r0F"),
        ("a latch of another counter leaves this one", "c34 w34 w12 +1 b00 +4 r30 r12"),
        ("a control word lets a latched status go", "c34 w34 w12 +1 bE8 c10 w05 r05"),
        ("a mode without a count keeps what stood", "c34 w34 w12 +5 c30 r30 r12 +9 r30 r12"),
        ("null count while a new count waits", "c14 w05 +1 w06 bE8 rD4 +4 bE8 r54 +1 bE8 r94"),
        ("null count in mode 1 until the trigger", "c12 w05 +9 bE8 rD2 g0 g1 +1 bE8 r12"),
        ("status comes before the count", "c34 w34 w12 +1 bC8 +9 rB4 r34 r12 r2B r12"),
        ("status is latched once", "c10 w02 +2 bE8 +5 bE8 r10 bE8 r90"),
        ("read-back leaves out what is not selected", "c34 w34 w12 +1 bD6 +1 r33 r12"),
        ("read-back of several", "c34 w34 w12 +1 bDE +5 r34 r12"),
    ];
    for (name, steps) in rows {
        run(name, steps);
    }
}

#[test]
fn the_control_port_cannot_be_read() {
    assert_eq!(Pit::new().input(0x43, 0), 0xFF);
}

#[derive(Debug, Clone)]
enum Step {
    Control {
        mode: u8,
        bcd: bool,
    },
    /// Two bytes, some ticks apart.
    Count {
        count: u16,
        apart: u64,
    },
    Gate(bool),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (0..6_u8, any::<bool>()).prop_map(|(mode, bcd)| Step::Control { mode, bcd }),
        // Digits up to 9, so that binary and BCD give the same digits; 1 is not allowed in modes 2
        // and 3.
        3 => (prop_oneof![2..8_u16, Just(0), Just(0x10), Just(0x21)], 0..4_u64)
            .prop_map(|(count, apart)| Step::Count { count, apart }),
        2 => any::<bool>().prop_map(Step::Gate),
        4 => (0..20_u64).prop_map(Step::Wait),
        1 => (9_990..10_010_u64).prop_map(Step::Wait),
    ]
}

/// The counter and its reference, stepped together.
struct Pair {
    pit: Pit,
    reference: Reference,
    bcd: bool,
    tick: u64,
}

impl Pair {
    fn new() -> Self {
        let mut pit = Pit::new();
        pit.set_sound_gate(true, 0);
        Pair { pit, reference: Reference::new(), bcd: false, tick: 0 }
    }

    fn compare(&mut self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.pit.sound().out(self.tick), self.reference.state().1, "OUT at {}", self.tick);
        let (element, out, null_count) = self.reference.as_read();
        let mut looked_at = self.pit.clone();
        // Read-back of status and count.
        looked_at.output(0x43, 0xC8, self.tick);
        let status = looked_at.input(0x42, self.tick);
        prop_assert_eq!(
            (status & 0x80 != 0, status & 0x40 != 0),
            (out, null_count),
            "status at {}",
            self.tick
        );
        let low = looked_at.input(0x42, self.tick);
        let high = looked_at.input(0x42, self.tick);
        let element =
            if self.bcd { format!("{:04}", element % 10_000) } else { format!("{:04X}", element & 0xFFFF) };
        prop_assert_eq!(format!("{high:02X}{low:02X}"), element, "count at {}", self.tick);
        Ok(())
    }

    fn wait(&mut self, ticks: u64) -> Result<(), TestCaseError> {
        for _ in 0..ticks {
            self.tick += 1;
            self.reference.clock();
            // Checking every tick of a long wait takes long and adds nothing.
            if ticks < 100 || self.tick.is_multiple_of(61) {
                self.compare()?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match *step {
            Step::Control { mode, bcd } => {
                self.pit.output(0x43, 0xB0 | mode << 1 | u8::from(bcd), self.tick);
                self.reference.write_control(mode, bcd);
                self.bcd = bcd;
            }
            Step::Count { count, apart } => {
                let [low, high] = count.to_le_bytes();
                self.pit.output(0x42, low, self.tick);
                self.reference.write_first_byte();
                self.wait(apart)?;
                self.pit.output(0x42, high, self.tick);
                let count = if self.bcd { format!("{count:x}").parse().unwrap() } else { u32::from(count) };
                self.reference.write_count(count);
            }
            Step::Gate(high) => {
                self.pit.set_sound_gate(high, self.tick);
                self.reference.set_gate(high);
            }
            Step::Wait(ticks) => self.wait(ticks)?,
        }
        self.compare()
    }

    fn look_ahead(&mut self, ticks: u64) -> Result<(), TestCaseError> {
        let counter = self.pit.sound().clone();
        let start = self.tick;
        let mut rises = Vec::new();
        let mut before = counter.out(start);
        let (mut wave, mut from, mut until) = (counter.wave(start).0, start, counter.wave(start).1);
        let steady_until = counter.steady_until(start);
        for tick in start + 1..=start + ticks {
            self.reference.clock();
            let (_, out, _) = self.reference.state();
            prop_assert!(
                tick >= steady_until || out == before,
                "steady until {}, not {}",
                steady_until,
                tick
            );
            if out && !before {
                rises.push(tick);
            }
            before = out;
            if tick >= until {
                (wave, until) = counter.wave(tick);
                from = tick;
            }
            prop_assert_eq!(wave.level(tick - from), out, "wave at {}", tick);
            prop_assert_eq!(wave.later(tick - from).level(0), out, "later wave at {}", tick);
            prop_assert_eq!(counter.rises(start, tick), rises.len() as u64, "rises up to {}", tick);
        }
        let next = counter.next_rise(start).filter(|&rise| rise <= start + ticks);
        prop_assert_eq!(next, rises.first().copied());
        Ok(())
    }
}

#[test]
fn a_pulse_on_gate_within_the_strobe_loses_no_tick() -> Result<(), TestCaseError> {
    let mut pair = Pair::new();
    pair.apply(&Step::Control { mode: 4, bcd: true })?;
    let steps = [Step::Count { count: 0x10, apart: 0 }, Step::Wait(11), Step::Gate(false), Step::Gate(true)];
    for step in steps {
        pair.apply(&step)?;
    }
    pair.look_ahead(150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn closed_form_equals_stepping(mode in 0..6_u8, bcd: bool, steps in prop::collection::vec(step(), 1..24)) {
        let mut pair = Pair::new();
        pair.apply(&Step::Control { mode, bcd })?;
        for step in &steps {
            pair.apply(step)?;
        }
        pair.look_ahead(150)?;
    }
}
