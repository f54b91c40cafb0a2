//! What is known of the requests for input that cannot come any more.

/// What is known of the requests in vain.
#[derive(Debug, Clone, Default)]
pub(super) struct Vain {
    /// How many there were.
    pub(super) count: u64,
    /// Those that DOS has counted.
    pub(super) of_dos: u64,
    /// When the first one came, in nanoseconds.
    pub(super) since: u64,
    /// The number of the request at which the state was looked at, and what it was.
    pub(super) noted: Option<(u64, u128)>,
    /// The same state came again.
    pub(super) is_round: bool,
}
