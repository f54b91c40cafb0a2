//! Report formats: functions from a [`Report`](super::Report) to the text of a file.

mod annotations;
mod classroom;
mod csv;
mod error;
mod gradescope;
mod html;
mod json;
mod junit;
mod likeness;
mod text;
mod vpl;
mod words;

pub use annotations::{sarif, workflow_commands};
pub use classroom::classroom;
pub use csv::csv;
pub use error::ReportError;
pub use gradescope::gradescope;
pub use html::html;
pub use json::json;
pub use junit::junit;
pub use likeness::{likeness_html, likeness_json};
pub use text::text;
pub use vpl::vpl;
