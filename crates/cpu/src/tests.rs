//! Tests of the processor with flat memory: instructions by family, comparison with the host's
//! arithmetic, and events between instructions.

mod boundaries;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod changed_code;
mod coprocessor;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod divisions;
mod families;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod fpu_translated;
#[cfg(target_arch = "x86_64")]
mod host;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod interrupts_translated;
mod observed;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod one_instruction;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod operands;
mod program;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod stack_translated;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod strings_translated;
#[cfg(all(feature = "translator", target_arch = "x86_64", any(unix, windows)))]
mod translated;
