//! Reports on a [`Report`](super::Report): each a function from the results to the text of a file.

mod csv;
mod gradescope;
mod html;
mod json;
mod junit;
mod text;
mod words;

pub use csv::csv;
pub use gradescope::gradescope;
pub use html::html;
pub use json::json;
pub use junit::junit;
pub use text::text;
