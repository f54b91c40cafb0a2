//! Builds UASM for the host of oxbox and stores it where the library can embed it.
//!
//! The crate `uasm` builds for the compiling host. For another target its C sources are compiled
//! here with that target's C compiler, which `cc` finds or takes from `CC_x86_64_pc_windows_gnu`
//! and the like. Without such a compiler the library has no assembler: cargo prints a warning, and
//! assembling a source reports the missing compiler.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(carries_assembler)");
    #[cfg(feature = "assembler")]
    embed::assembler();
}

#[cfg(feature = "assembler")]
mod embed {
    use std::error::Error;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// C files among the sources that belong to other programs.
    const OTHERS: [&str; 2] = ["procJWasm.c", "trmem.c"];

    /// Copies or builds the assembler for the target. Sets the cfg `carries_assembler` if that
    /// succeeded.
    pub(super) fn assembler() {
        let out = PathBuf::from(variable("OUT_DIR")).join("uasm");
        let made = if variable("TARGET") == variable("HOST") {
            std::fs::copy(uasm::UASM_PATH, &out).map(|_| ()).map_err(Box::from)
        } else {
            compile(&out)
        };
        match made {
            Ok(()) => println!("cargo::rustc-cfg=carries_assembler"),
            Err(error) => println!("cargo::warning=built without an assembler: {error}"),
        }
    }

    fn variable(name: &str) -> String {
        std::env::var(name).unwrap_or_default()
    }

    /// Compiles the C sources for the target and links them into the executable `out`.
    fn compile(out: &Path) -> Result<(), Box<dyn Error>> {
        let folder = sources()?;
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.retain(|path| {
            path.extension().is_some_and(|end| end == "c")
                && !OTHERS.iter().any(|other| path.file_name().is_some_and(|name| name == *other))
        });
        files.sort();
        let is_windows = variable("CARGO_CFG_TARGET_OS") == "windows";
        let mut build = cc::Build::new();
        build
            .files(files)
            .include(folder.join("H"))
            .define(if is_windows { "_WIN32" } else { "__UNIX__" }, None)
            .opt_level(2)
            .std("gnu99")
            .warnings(false)
            .flag("-w");
        for tolerated in ["implicit-function-declaration", "incompatible-pointer-types", "int-conversion"] {
            build.flag(format!("-Wno-{tolerated}"));
        }
        let objects = build.try_compile_intermediates()?;
        // Linkers for Windows append `.exe` to a name without an extension.
        let linked = out.with_extension("exe");
        let mut link = cc::Build::new().opt_level(2).try_get_compiler()?.to_command();
        let status = link.arg("-static").arg("-s").arg("-o").arg(&linked).args(objects).status()?;
        if !status.success() {
            return Err(format!("{link:?}: {status}").into());
        }
        std::fs::rename(linked, out)?;
        Ok(())
    }

    /// Returns the folder of the C sources in the package `uasm`, which cargo has fetched.
    fn sources() -> Result<PathBuf, Box<dyn Error>> {
        let manifest = Path::new(&variable("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let mut metadata = Command::new(variable("CARGO"));
        metadata.args(["metadata", "--format-version", "1", "--offline", "--manifest-path"]).arg(manifest);
        let told = metadata.output()?;
        if !told.status.success() {
            return Err(String::from_utf8_lossy(&told.stderr).into_owned().into());
        }
        let told = String::from_utf8(told.stdout)?;
        let manifests = told.split(r#""manifest_path":""#).skip(1).filter_map(|rest| rest.split('"').next());
        let packages =
            manifests.filter_map(|path| Some(Path::new(&path.replace(r"\\", r"\")).parent()?.to_owned()));
        let is_uasm = |package: &PathBuf| {
            let name = package.file_name().unwrap_or_default().to_string_lossy();
            name == "uasm" || name.starts_with("uasm-")
        };
        let package = packages.into_iter().find(is_uasm).ok_or("the package uasm is missing")?;
        Ok(package.join("UASM"))
    }
}
