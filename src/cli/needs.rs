//! The host resources that each command still needs after it has read its options and opened its
//! files.

use std::path::{Path, PathBuf};

use oxbox::inspect::Symbols;
use oxbox::suite::Suite;
use oxbox::toolchain;
use oxbox::walk::Setup;

use super::arguments::{GuestOptions, Test, Verify, WalkOptions};
use super::failure::Failure;
use super::guest::{self, DisplayMode, Guest};
use super::sandbox::{Confined, Needs};
use super::{outputs, test};
use crate::frontend::console;

/// Confines the process of a guest, unless it will open resources that are unknown in advance: a
/// window, a terminal, sound. A program that is run on a terminal may need them later. Fails like
/// [`SandboxOptions::confine`](super::sandbox::SandboxOptions::confine).
pub(super) fn confine_guest(guest: &Guest, options: &GuestOptions) -> Result<Confined, Failure> {
    let may_have_screen = match guest::wanted(options) {
        DisplayMode::Screen(_) => true,
        DisplayMode::Headless | DisplayMode::ScreenReader => false,
        DisplayMode::Default => console::is_interactive(),
    };
    if may_have_screen { Ok(Confined::default()) } else { options.sandbox.confine(&of_guest(guest, options)) }
}

/// `run` and `play`: the drives, the outputs, and the sources quoted in messages.
fn of_guest(guest: &Guest, options: &GuestOptions) -> Needs {
    let folder = options.dir.iter().chain(&guest.folder).next().cloned();
    let drives = folder.into_iter().chain(options.drive.iter().map(|(_, folder)| folder.clone()));
    let mut needs = Needs { translates: translates(options.no_translate), ..Needs::default() };
    needs.reads = guest.inputs.iter().cloned().chain(sources(guest.symbols.as_ref())).collect();
    // Existing coverage is added to.
    needs.reads.extend(options.coverage.clone());
    let place = if options.read_only { &mut needs.reads } else { &mut needs.drives };
    place.extend(drives);
    needs.outputs = named(outputs::of_guest(options));
    if !options.read_only {
        // An image is rewritten at the end of the run.
        let started = guest.inputs.iter().filter(|_| guest.disk.is_some());
        needs.outputs.extend(options.floppy.iter().chain(&options.disk).chain(started).cloned());
    }
    if let Some(script) = &options.script {
        let parent = script.parent().unwrap_or(Path::new(""));
        needs.folders.push(options.out.clone().unwrap_or_else(|| parent.to_owned()));
    }
    needs
}

/// `explore` and `same`: the programs' drives, which do not change, and storage for states.
pub(super) fn of_walk(options: &WalkOptions, setups: &[&Setup]) -> Needs {
    let drives = setups.iter().filter_map(|setup| setup.config.dos.folder.clone());
    let symbols = setups.iter().flat_map(|setup| sources(setup.symbols.as_deref()));
    Needs {
        reads: drives.chain(symbols).collect(),
        outputs: options.out.iter().cloned().collect(),
        scratch: options.state_disk > 0,
        translates: translates(false),
        ..Needs::default()
    }
}

/// `verify`: its programs are read, and have no drive.
pub(super) fn of_verify(options: &Verify) -> Needs {
    Needs {
        outputs: options.out.iter().chain(&options.html).cloned().collect(),
        folders: vec![options.divergences.clone()],
        translates: translates(false),
        ..Needs::default()
    }
}

/// `test` while it reads the files of suites and assembles.
pub(super) fn of_building(options: &Test, suites: &[Suite], programs: &[PathBuf]) -> Needs {
    let mut needs = of_tests(options, suites, programs);
    let own = suites.iter().filter_map(|suite| suite.program.as_ref()).map(|program| &program.path);
    needs.reads.extend(own.chain(programs).flat_map(|path| toolchain::parts(path)));
    needs.reads.extend(options.assembler.include.iter().cloned());
    for suite in suites {
        needs.reads.extend(suite.include.iter().map(|wanted| wanted.path.clone()));
        // A model may include files in its folder.
        let files = suite.files();
        needs.reads.extend(files.iter().filter_map(|file| file.parent()).map(Path::to_owned));
        needs.reads.extend(files);
    }
    // A DOS assembler has its overlays in its folder.
    let assembler = options.assembler.assembler.as_deref();
    needs.reads.extend(assembler.and_then(Path::parent).map(Path::to_owned));
    needs.children = Some(toolchain_files(assembler));
    needs
}

/// `test` after assembling: the folders copied to drives, and the reports.
pub(super) fn of_tests(options: &Test, suites: &[Suite], programs: &[PathBuf]) -> Needs {
    let mut needs = Needs { scratch: true, translates: translates(false), ..Needs::default() };
    needs.reads.extend(options.dir.clone());
    needs.reads.extend(options.coverage.clone());
    for suite in suites {
        needs.reads.extend(suite.dir.iter().chain(&suite.given).map(|wanted| wanted.path.clone()));
        if options.bless {
            let goldens = suite.tests.iter().filter_map(|test| test.expect.golden.as_ref());
            needs.outputs.extend(goldens.map(|golden| golden.path.clone()));
        }
    }
    if options.similar.is_some() {
        // The page shows the sources.
        let own = suites.iter().filter_map(|suite| suite.program.as_ref()).map(|program| &program.path);
        needs.reads.extend(own.chain(programs).flat_map(|path| toolchain::parts(path)));
        needs.reads.extend(suites.iter().flat_map(|suite| &suite.include).map(|wanted| wanted.path.clone()));
    }
    let files = test::reports(options).into_iter().chain([&options.coverage]);
    needs.outputs.extend(files.flatten().cloned());
    needs
}

#[cfg(all(feature = "assembler", target_os = "linux"))]
fn toolchain_files(assembler: Option<&Path>) -> Vec<PathBuf> {
    toolchain::host_files(assembler)
}

#[cfg(not(all(feature = "assembler", target_os = "linux")))]
fn toolchain_files(_: Option<&Path>) -> Vec<PathBuf> {
    Vec::new()
}

/// Returns the known sources of a program.
fn sources(symbols: Option<&Symbols>) -> impl Iterator<Item = PathBuf> {
    symbols.into_iter().flat_map(Symbols::files).map(PathBuf::from)
}

fn named(paths: Vec<Option<&Path>>) -> Vec<PathBuf> {
    paths.into_iter().flatten().map(Path::to_owned).collect()
}

fn translates(not: bool) -> bool {
    cfg!(feature = "translator") && !not
}
