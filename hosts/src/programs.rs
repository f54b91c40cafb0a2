//! The programs that run in addition to the games. `.ci/hosts` assembles them into the folder in
//! `OXBOX_PROGRAMS`.

/// A program, and its inputs.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) bytes: &'static [u8],
    /// The command tails; one run for each.
    pub(crate) arguments: &'static [&'static str],
    pub(crate) keys: &'static str,
    /// Its standard input; empty for none.
    pub(crate) input: &'static str,
}

macro_rules! built {
    ($name:literal, $arguments:expr) => {
        Program {
            name: $name,
            bytes: include_bytes!(concat!(env!("OXBOX_PROGRAMS"), "/", $name)),
            arguments: $arguments,
            keys: "",
            input: "",
        }
    };
}

macro_rules! kernel {
    ($name:literal) => {
        Program {
            name: $name,
            bytes: include_bytes!(concat!("../../benches/kernels/", $name)),
            arguments: &[""],
            keys: "",
            input: "",
        }
    };
}

pub(crate) const PROGRAMS: [Program; 20] = [
    Program { input: include_str!("../primes.txt"), ..built!("COMPILE.COM", &[""]) },
    Program {
        name: oxbox::dos::COMSPEC,
        bytes: oxbox::built_in::COMMAND_COM,
        arguments: &[""],
        keys: "s e t SP a = b ENTER v e r ENTER d i r SP z : ENTER e x i t ENTER",
        input: "",
    },
    built!("TEXT.COM", &["00", "01", "02", "03", "07"]),
    built!("CGA.COM", &["04", "05", "06"]),
    built!("PLANES.COM", &["0D", "0E", "0F", "10", "11", "12"]),
    built!("LINEAR.COM", &["13"]),
    built!("UNCHAIN.COM", &["00", "01", "02", "03", "04", "05"]),
    built!("SPLIT.COM", &["00", "01"]),
    built!("FONTS.COM", &["00", "01"]),
    built!("DETECT.COM", &[""]),
    built!("ERRORS.COM", &[""]),
    built!("NUMBERS.COM", &[""]),
    kernel!("b_sieve.com"),
    kernel!("c_movs.com"),
    kernel!("d_fib.com"),
    kernel!("e_crc.com"),
    kernel!("f_text.com"),
    kernel!("h_smc.com"),
    kernel!("i_ttt.com"),
    kernel!("j_pixel.com"),
];
