//! Redirected input and output: what the host takes and feeds.

use crate::dos::state::Dos;

impl Dos {
    /// Returns the standard output since the last call, after [`Dos::redirect_output`]: bytes of
    /// code page 437 as written, with line ends CR LF.
    pub(crate) fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.console.captured)
    }

    /// Returns the standard error output since the last call, after [`Dos::redirect_errors`].
    pub(crate) fn take_errors(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.console.captured_errors)
    }

    /// Appends bytes to the standard input, after [`Dos::redirect_input`].
    pub(crate) fn feed_input(&mut self, bytes: &[u8]) {
        self.console.fed.extend(bytes);
    }

    /// Ends the input: reads return the end of the file after the last byte fed.
    pub(crate) fn close_input(&mut self) {
        self.console.fed_end = true;
    }

    /// Whether the standard input has ended and the program has read all of it.
    pub(crate) fn input_has_ended(&self) -> bool {
        self.console.fed_ended()
    }

    /// Returns the number of requests for standard input after its end.
    pub(crate) fn asked_at_end(&self) -> u64 {
        self.console.asked_at_end()
    }
}
