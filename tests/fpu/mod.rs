//! The programs of `asm/fpu` on every processor with its coprocessor, and without one.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::path::Path;

use oxbox::cpu::Model::{self, I186, I286, I386, I8086};
use oxbox::machine::{Config, Machine, Stop, Until};
use oxbox::toolchain::{BuildRequest, Format, LinkOptions, build};

/// Far more than any of the programs needs.
const END: Until = Until { cycle: 20_000_000, ..Until::KEY_WAIT };

fn assemble(name: &str) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("asm/fpu/{name}.asm"));
    let options = LinkOptions { format: Some(Format::Com), ..LinkOptions::default() };
    let built = build(&BuildRequest { inputs: vec![source], options, ..oxbox::built_in::build_request() });
    built.unwrap_or_else(|error| panic!("{error}")).bytes
}

/// Returns a program's output, and oxbox's notices about it.
fn run(name: &str, program: &[u8], model: Model, fpu: bool) -> (String, Vec<String>) {
    let mut machine = Machine::new(&Config { model, fpu, ..Config::default() }).unwrap();
    machine.redirect_output();
    machine.load(program, "FPU.COM", "").unwrap();
    assert_eq!(machine.run(&END, &mut ()), Stop::Exited(0), "{name} on {model:?}");
    let output = String::from_utf8(machine.take_output()).unwrap().replace("\r\n", "\n");
    (output, machine.take_notices().iter().map(ToString::to_string).collect())
}

const ALL: [Model; 4] = [I8086, I186, I286, I386];

#[test]
fn the_coprocessor_is_found() {
    let program = assemble("detect");
    let rows = [(I8086, "8087"), (I186, "8087"), (I286, "80287"), (I386, "80387")];
    for (model, name) in rows {
        assert_eq!(
            run("detect", &program, model, true),
            (format!("{name}, in the equipment word\n"), vec![])
        );
        let without = ("none, not in the equipment word\n".to_owned(), vec![]);
        assert_eq!(run("detect", &program, model, false), without, "{model:?}");
    }
}

const NUMBERS: &str = "\
pi         003.141592653589793
sqrt 2     001.414213562373095
log2 10    003.321928094887362
log2 e     001.442695040888963
log10 2    000.301029995663981
ln 2       000.693147180559945
2^0.5 - 1  000.414213562373095
tan 0.5    000.546302489843791
4 atan 1   003.141592653589793
ln 10      002.302585092994046
ln 1.125   000.117783035656383
-10 mod 3 -001.000000000000000
12345/1024 012.055664062500000
1/7        000.142857142857143
";

#[test]
fn numbers_come_out() {
    let program = assemble("numbers");
    for model in ALL {
        assert_eq!(run("numbers", &program, model, true), (NUMBERS.to_owned(), vec![]), "{model:?}");
    }
}

/// A program that computes without a coprocessor causes one notice.
#[test]
fn what_is_left_out_is_told() {
    let (_, notices) = run("numbers", &assemble("numbers"), I386, false);
    assert_eq!(notices.len(), 1);
    assert!(notices[0].starts_with("missing: a coprocessor (--fpu none), first used at "), "{}", notices[0]);
}

#[test]
fn errors_that_are_not_masked_are_caught() {
    let program = assemble("errors");
    for model in ALL {
        // Condition code 1 is undefined up to the 80287.
        let expected = "caught, status B084 at the division\nwent on with 1\n";
        assert_eq!(run("errors", &program, model, true), (expected.to_owned(), vec![]), "{model:?}");
    }
}
