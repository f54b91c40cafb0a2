//! Built-in files for programs and sources: COMMAND.COM, and the files that any source can include.
//!
//! The lower crates do not contain these files, so that each is complete without them. A machine or
//! an assembler gets them with its configuration.

#[cfg(feature = "assembler")]
mod dos_tools;

use oxbox_machine::dos::DosOptions;
use oxbox_machine::machine::Config;
use oxbox_toolchain::BuildRequest;

/// The command interpreter, built from `asm/command`.
pub const COMMAND_COM: &[u8] = include_bytes!("../roms/COMMAND.COM");

/// The files of `asm/include`: name and text.
pub const INCLUDES: &[(&str, &str)] = &[
    ("dos.inc", include_str!("../asm/include/dos.inc")),
    ("emu8086.inc", include_str!("../asm/include/emu8086.inc")),
    ("io.h", include_str!("../asm/include/io.h")),
    ("irvine16.inc", include_str!("../asm/include/irvine16.inc")),
    ("macros.inc", include_str!("../asm/include/macros.inc")),
    ("screen.inc", include_str!("../asm/include/screen.inc")),
    ("speaker.inc", include_str!("../asm/include/speaker.inc")),
    ("stdlib.a", include_str!("../asm/include/stdlib.a")),
    ("stdsets.a", include_str!("../asm/include/stdsets.a")),
    ("tune.inc", include_str!("../asm/include/tune.inc")),
    ("ucrargs.a", include_str!("../asm/include/ucrargs.a")),
    ("ucrcopy.a", include_str!("../asm/include/ucrcopy.a")),
    ("ucrheap.a", include_str!("../asm/include/ucrheap.a")),
    ("ucrlib.a", include_str!("../asm/include/ucrlib.a")),
    ("ucrmatch.a", include_str!("../asm/include/ucrmatch.a")),
    ("ucrmore.a", include_str!("../asm/include/ucrmore.a")),
    ("ucrnumber.a", include_str!("../asm/include/ucrnumber.a")),
    ("ucrprint.a", include_str!("../asm/include/ucrprint.a")),
    ("ucrread.a", include_str!("../asm/include/ucrread.a")),
    ("ucrset.a", include_str!("../asm/include/ucrset.a")),
    ("ucrtext.a", include_str!("../asm/include/ucrtext.a")),
];

/// Returns [`DosOptions::default`] with COMMAND.COM on drive Z:.
pub fn dos_options() -> DosOptions {
    DosOptions { command_com: COMMAND_COM, ..DosOptions::default() }
}

/// Returns [`Config::default`] with COMMAND.COM on drive Z:.
pub fn config() -> Config {
    Config { dos: dos_options(), ..Config::default() }
}

/// Returns [`BuildRequest::default`] with `asm/include`, and the machine for DOS assemblers.
pub fn build_request() -> BuildRequest {
    BuildRequest {
        built_in: INCLUDES,
        #[cfg(feature = "assembler")]
        dos: Some(dos_tools::run),
        ..BuildRequest::default()
    }
}
