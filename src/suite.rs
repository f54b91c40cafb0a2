//! Test suites: what programs are to do, written down in TOML, and who does it.
//!
//! ```text
//!   suite.toml ─format─> Suite ─┐                         ┌─check─> Report ─> text, JSON, JUnit, Gradescope, CSV, HTML
//!   programs ──assembled once───┴─runner─> a run a test ──┘
//! ```
//! Every test is a run of its own: a machine just switched on, and a copy of the suite's folder as drive C:. So results depend on
//! the suite and the program alone, and are the same from any number of threads.
//!
//! ```
//! use oxbox::suite::{self, Options, Suite};
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
//! let report = suite::run(&[suite], &[], &Options::default())?;
//!
//! let submission = &report.suites[0].submissions[0];
//! assert_eq!((submission.points(), submission.of()), (1.0, 3.0));
//! assert_eq!(submission.tests[1].failures[0].message, "\"Bye\" is not in the output");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
mod check;
mod difference;
mod drive;
mod format;
mod memory;
mod model;
mod picture;
mod play;
mod program;
pub mod report;
mod results;
mod runner;
mod same;

pub use memory::{MemoryCheck, MemoryPlace};
pub use model::{Expectations, Input, Mistake, Suite, SuiteError, Test, Visibility, Wanted};
pub use play::{At, End, MOST_OUTPUT};
pub use program::BuildError;
pub use results::{Failure, Pictures, Report, SubmissionReport, SuiteReport, TestReport};
pub use runner::{Options, run};
