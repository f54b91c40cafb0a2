//! Observes a running program: traces, coverage and profile, as requested by the user.
//!
//! Without a request the machine runs unobserved. A trace of calls runs at full speed; the others
//! observe every instruction.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use oxbox::atomic_file::{self, AtomicFile};
use oxbox::cpu::Cpu;
use oxbox::hardware::Hardware;
use oxbox::inspect::{
    CallTrace, Check, CodeTrace, Coverage, Finding, Kinds, Lcov, PortTrace, Profile, Programs,
};
use oxbox::machine::{Observer, Outcome};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WatchOptions {
    /// `--trace`: the kind, and the file instead of stderr.
    pub(crate) traces: Vec<(Trace, Option<PathBuf>)>,
    /// `--coverage`.
    pub(crate) coverage: Option<PathBuf>,
    /// `--profile`.
    pub(crate) profile: Option<PathBuf>,
    /// `--check`.
    pub(crate) check: Option<Kinds>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trace {
    Calls,
    Ports,
    Code,
}

enum Sink {
    Errors,
    File(PathBuf, Box<BufWriter<AtomicFile>>),
}

/// A trace and its destination; its first error ends it.
struct Line {
    sink: Sink,
    trouble: Option<io::Error>,
}

impl Line {
    fn to(path: Option<&Path>) -> Result<Line, Trouble> {
        let sink = match path {
            None => Sink::Errors,
            Some(path) => {
                let file = AtomicFile::create(path).map_err(|error| (path.to_owned(), error))?;
                Sink::File(path.to_owned(), Box::new(BufWriter::new(file)))
            }
        };
        Ok(Line { sink, trouble: None })
    }

    fn write(&mut self, line: &str) {
        if self.trouble.is_some() {
            return;
        }
        let written = match &mut self.sink {
            Sink::Errors => writeln!(io::stderr(), "{line}"),
            Sink::File(_, file) => writeln!(file, "{line}"),
        };
        self.trouble = written.err();
    }

    fn complete(self) -> Result<(), Trouble> {
        // An unread stderr is not an error.
        let Sink::File(path, file) = self.sink else { return Ok(()) };
        let complete = || match self.trouble {
            Some(error) => Err(error),
            None => file.into_inner().map_err(io::IntoInnerError::into_error)?.commit(),
        };
        complete().map_err(|error| (path, error))
    }
}

/// A file that could not be written, and the error.
pub(crate) type Trouble = (PathBuf, io::Error);

pub(crate) struct Watch {
    programs: Programs,
    calls: Option<(CallTrace, Line)>,
    ports: Option<(PortTrace, Line)>,
    code: Option<(CodeTrace, Line)>,
    coverage: Option<(Coverage, PathBuf)>,
    profile: Option<(Profile, PathBuf)>,
    check: Option<Check>,
}

impl Watch {
    /// Starts with the program that has just been loaded; `None` if nothing is observed. Fails with
    /// a file that cannot be written.
    pub(crate) fn begin(wanted: &WatchOptions, programs: Programs) -> Result<Option<Watch>, Trouble> {
        if *wanted == WatchOptions::default() {
            return Ok(None);
        }
        let profile = wanted.profile.as_ref().map(|path| (Profile::new(&programs), path.clone()));
        let coverage = wanted.coverage.as_ref().map(|path| (Coverage::new(), path.clone()));
        let check = wanted.check.map(|kinds| Check::new(kinds, &programs));
        let mut watch = Watch { programs, calls: None, ports: None, code: None, coverage, profile, check };
        for (trace, path) in &wanted.traces {
            let line = Line::to(path.as_deref())?;
            match trace {
                Trace::Calls => {
                    // `-vv`.
                    let trace = CallTrace::new(log::log_enabled!(log::Level::Debug));
                    watch.calls = Some((trace, line));
                }
                Trace::Ports => watch.ports = Some((PortTrace::default(), line)),
                Trace::Code => watch.code = Some((CodeTrace::default(), line)),
            }
        }
        Ok(Some(watch))
    }

    pub(crate) fn needs_instructions(&self) -> bool {
        self.check.is_some()
            || self.ports.is_some()
            || self.code.is_some()
            || self.coverage.is_some()
            || self.profile.is_some()
    }

    /// Ends the traces on stderr.
    pub(crate) fn leave_stderr(&mut self) {
        let is_on_stderr = |line: &Line| matches!(line.sink, Sink::Errors);
        self.calls.take_if(|(_, line)| is_on_stderr(line));
        self.ports.take_if(|(_, line)| is_on_stderr(line));
        self.code.take_if(|(_, line)| is_on_stderr(line));
    }

    pub(crate) fn findings(&self) -> Option<&[Finding]> {
        self.check.as_ref().map(Check::findings)
    }

    /// Completes the files at the end of the run. Errors: the first file that cannot be written;
    /// the others are written if possible.
    pub(crate) fn complete(self) -> Result<(), Trouble> {
        let Watch { programs, calls, ports, code, coverage, profile, check: _ } = self;
        let mut result = Ok(());
        if let Some((mut calls, mut line)) = calls {
            calls.finish(&mut |text| line.write(text));
            result = result.and(line.complete());
        }
        if let Some((_, line)) = ports {
            result = result.and(line.complete());
        }
        if let Some((mut code, mut line)) = code {
            code.finish(None, &mut |text| line.write(text));
            result = result.and(line.complete());
        }
        if let Some((coverage, path)) = coverage {
            let added = add_coverage(&path, coverage.report(&programs));
            result = result.and(added.map_err(|error| (path, error)));
        }
        if let Some((profile, path)) = profile {
            let written = atomic_file::write(&path, profile.to_string().as_bytes());
            result = result.and(written.map_err(|error| (path, error)));
        }
        result
    }
}

pub(crate) fn add_coverage(path: &Path, mut report: Lcov) -> io::Result<()> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let before: Lcov =
                text.parse().map_err(|why: String| io::Error::new(io::ErrorKind::InvalidData, why))?;
            report.merge(&before);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    atomic_file::write(path, report.to_string().as_bytes())
}

/// Observes only services.
pub(crate) struct Services<'a>(pub(crate) &'a mut Watch);

impl Observer for Services<'_> {
    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        self.0.service(vector, cpu, hw);
    }

    fn served(&mut self, vector: u8, outcome: Outcome, cpu: &Cpu, hw: &Hardware) {
        self.0.served(vector, outcome, cpu, hw);
    }
}

pub(crate) struct Instructions<'a>(pub(crate) &'a mut Watch);

impl Observer for Instructions<'_> {
    const EVERY_INSTRUCTION: bool = true;

    fn instruction(&mut self, cpu: &Cpu, hw: &Hardware) {
        let Watch { programs, ports, code, coverage, profile, check, .. } = &mut *self.0;
        programs.see(cpu, hw);
        if let Some(check) = check {
            check.instruction(programs, cpu, hw);
        }
        if let Some((ports, line)) = ports {
            ports.instruction(programs, cpu, hw, &mut |text| line.write(text));
        }
        if let Some((code, line)) = code {
            code.instruction(programs, cpu, hw, &mut |text| line.write(text));
        }
        if let Some((coverage, _)) = coverage {
            coverage.instruction(programs, cpu, hw);
        }
        if let Some((profile, _)) = profile {
            profile.instruction(programs, cpu, hw);
        }
    }

    fn interrupt(&mut self, vector: u8, cpu: &Cpu, _: &Hardware) {
        if let Some(check) = &mut self.0.check {
            check.interrupt(vector, cpu);
        }
        if let Some((coverage, _)) = &mut self.0.coverage {
            coverage.interrupt(cpu);
        }
        if let Some((profile, _)) = &mut self.0.profile {
            profile.interrupt(vector);
        }
    }

    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        self.0.service(vector, cpu, hw);
    }

    fn served(&mut self, vector: u8, outcome: Outcome, cpu: &Cpu, hw: &Hardware) {
        self.0.served(vector, outcome, cpu, hw);
    }
}

impl Watch {
    fn service(&mut self, vector: u8, cpu: &Cpu, hw: &Hardware) {
        let Watch { programs, calls, .. } = self;
        if let Some((calls, _)) = calls {
            programs.see(cpu, hw);
            calls.service(programs, vector, cpu, hw);
        }
        programs.serve(vector, cpu);
    }

    fn served(&mut self, vector: u8, outcome: Outcome, cpu: &Cpu, hw: &Hardware) {
        let Watch { calls: Some((calls, line)), programs, .. } = self else { return };
        calls.served(vector, outcome, cpu, hw, &mut |text| line.write(text));
        // The first call of an executed program comes after its first instruction: this detects the
        // program at its start.
        programs.see(cpu, hw);
    }
}
