//! What the host takes and feeds where input or output is redirected.

use crate::dos::state::Dos;

impl Dos {
    /// What the program has written to its standard output since the last call, after [`Dos::redirect_output`]: bytes of code page
    /// 437 as written, line ends CR LF.
    pub(crate) fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.console.captured)
    }

    /// The same for standard error, after [`Dos::redirect_errors`].
    pub(crate) fn take_errors(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.console.captured_errors)
    }

    /// Bytes for the standard input, after [`Dos::redirect_input`].
    pub(crate) fn feed_input(&mut self, bytes: &[u8]) {
        self.console.fed.extend(bytes);
    }

    /// No more input comes: reads find the end of the file once the bytes fed so far are used up.
    pub(crate) fn close_input(&mut self) {
        self.console.fed_end = true;
    }

    /// Whether the program has read all of the standard input, which has ended.
    pub(crate) fn input_has_ended(&self) -> bool {
        self.console.fed_ended()
    }

    /// How often the program has asked for standard input after its end.
    pub(crate) fn asked_at_end(&self) -> u64 {
        self.console.asked_at_end()
    }
}
