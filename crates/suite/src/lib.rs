//! Test suites in TOML, and their runner.
//!
//! ```text
//!   suite.toml ─format─> Suite ─┐                         ┌─check─> Report ─> text, JSON, JUnit, Gradescope, CSV, HTML
//!   programs ──assembled once───┴─runner─> a run a test ──┘
//! ```
//! Every test is a separate run: a machine after power-on, and a new drive C: with the files that
//! the suite gives. So results depend only on the suite and the program, and not on the number of
//! threads. A submission is assembled alone: it sees its own files and those that the suite names,
//! never the suite, a model, a golden screen or another submission.
//!
//! ```
//! use oxbox_suite::{Options, Suite};
//!
//! let folder = tempfile::tempdir()?;
//! // mov ah, 9; mov dx, 10Ch; int 21h; mov ax, 4C00h; int 21h; "Hello!$"
//! std::fs::write(folder.path().join("HI.COM"), b"\xB4\x09\xBA\x0C\x01\xCD\x21\xB8\x00\x4C\xCD\x21Hello!$")?;
//! let text = r#"
//!     program = "HI.COM"
//!
//!     [[test]]
//!     name = "greets"
//!     screen = ["Hello"]
//!     exit = 0
//!
//!     [[test]]
//!     name = "says good bye"
//!     points = 2
//!     output_has = ["Bye"]
//! "#;
//! let suite = Suite::parse(&folder.path().join("suite.toml"), text)?;
//! let report = oxbox_suite::run(&[suite], &[], &Options::default())?;
//!
//! let submission = &report.suites[0].submissions[0];
//! assert_eq!((submission.points(), submission.of()), (1.0, 3.0));
//! assert_eq!(submission.tests[1].failures[0].message, "\"Bye\" is not in the output");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
mod difference;
mod drive;
mod inputs;
mod template;
mod generated;
mod model;
mod case;
mod archive;
mod submission;
mod program;
mod likeness;
mod play;
mod results;
mod check;
mod format;
pub mod report;
mod same;
mod runner;

pub use generated::Generated;
pub use likeness::{Compared, Likeness, ListingLine, Pair, Passage, WORTH_A_LOOK};
pub use model::{
    Expectations, Input, NamedFile, Partial, Suite, SuiteError, Test, ValidationError, Visibility,
};
pub use oxbox_machine::machine::End;
pub use play::{At, MOST_OUTPUT};
pub use program::BuildError;
pub use results::{Check, Failure, Pictures, Report, SubmissionReport, SuiteReport, TestReport};
pub use runner::{Built, Options, build, run};

/// Compiles and runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
