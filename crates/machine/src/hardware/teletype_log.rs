//! The text printed by teletype output, for a host that shows the console as a stream of
//! characters.
//!
//! It is kept only while a host listens, and only up to a limit. Like the speaker's record it is
//! output and not guest state: serialised snapshots leave it out.

/// The maximum number of characters. Further ones are lost until the host takes them.
const CAPACITY: usize = 1 << 20;

/// The characters printed since the host last took them.
#[derive(Debug, Clone, Default)]
pub(crate) struct TeletypeLog {
    listening: bool,
    characters: Vec<u8>,
}

impl TeletypeLog {
    /// Starts to keep printed characters.
    pub(crate) fn listen(&mut self) {
        self.listening = true;
    }

    /// Returns and clears the printed characters: code page 437, with BEL, BS, LF and CR as sent.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.characters)
    }

    /// Returns the printed characters that have not been taken yet.
    pub(crate) fn characters(&self) -> &[u8] {
        &self.characters
    }

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
        let mut teletype_log = TeletypeLog::default();
        teletype_log.push(b'a');
        teletype_log.listen();
        teletype_log.push(b'b');
        assert_eq!(teletype_log.take(), b"b");
        (0..CAPACITY + 1).for_each(|_| teletype_log.push(b'c'));
        assert_eq!(teletype_log.take().len(), CAPACITY);
        assert!(teletype_log.take().is_empty());
    }
}
