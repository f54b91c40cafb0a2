//! What teletype output has printed, for a host that shows the console as a stream of characters.
//!
//! Kept only while a host listens, and only up to a bound. Like the speaker's record it is output, not guest state: it is left out of
//! snapshots that are serialised.

/// Characters kept at most; what a program prints beyond them before the host takes them is lost.
const CAPACITY: usize = 1 << 20;

/// The characters printed since the host last took them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Printout {
    listening: bool,
    characters: Vec<u8>,
}

impl Printout {
    /// Keeps what is printed from now on.
    pub(crate) fn listen(&mut self) {
        self.listening = true;
    }

    /// Hands over what has been printed, in code page 437, with BEL, BS, LF and CR as they were sent.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.characters)
    }

    /// What has been printed and not been handed over.
    pub(crate) fn characters(&self) -> &[u8] {
        &self.characters
    }

    /// A character is printed.
    pub(crate) fn push(&mut self, character: u8) {
        if self.listening && self.characters.len() < CAPACITY {
            self.characters.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_listener_gets_it_and_only_so_much() {
        let mut printout = Printout::default();
        printout.push(b'a');
        printout.listen();
        printout.push(b'b');
        assert_eq!(printout.take(), b"b");
        (0..CAPACITY + 1).for_each(|_| printout.push(b'c'));
        assert_eq!(printout.take().len(), CAPACITY);
        assert!(printout.take().is_empty());
    }
}
