//! Puts the assembler that the crate `uasm` has built where the library can embed it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "assembler")]
    {
        let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        std::fs::copy(uasm::UASM_PATH, out.join("uasm")).expect("copy the built assembler");
    }
}
