//! The history of requests for input that cannot come any more.

/// The history of requests for input after its end.
#[derive(Debug, Clone, Default)]
pub(super) struct Vain {
    /// The number of requests.
    pub(super) count: u64,
    /// The number that DOS has counted.
    pub(super) of_dos: u64,
    /// The time of the first one, in nanoseconds.
    pub(super) since: u64,
    /// The number of the request at which the state was hashed, and the hash.
    pub(super) noted: Option<(u64, u128)>,
    /// Whether the same state has occurred again.
    pub(super) is_round: bool,
}
