//! The error type of the reports.

/// The reason why a report cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A format for one submission was requested, but none was graded.
    #[error("no submission was graded")]
    NoSubmission,
    /// A format for one submission was requested, but several were graded.
    #[error("a {0} is for one submission: name only one program")]
    SeveralSubmissions(&'static str),
    /// The CSV could not be written.
    #[error("cannot write the CSV: {0}")]
    Csv(#[from] csv::Error),
    /// The JUnit XML could not be written.
    #[error("cannot write the JUnit XML: {0}")]
    Junit(#[from] quick_junit::SerializeError),
}
