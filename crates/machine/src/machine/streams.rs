//! The program's standard streams and files, for the host.
//!
//! A redirected stream leads to the host instead of the console: for the running program and for
//! those loaded later.

use super::{pc::Machine, record::Input};
use crate::dos::PutFileError;

impl Machine {
    /// Returns the DOS name of a file in the folder of drive C:, given its name on the host
    /// relative to that folder. `None` if it does not exist.
    pub fn dos_name(&mut self, file: &str) -> Option<String> {
        self.dos.name_of_host(file)
    }

    /// Stores a file on drive C: before the program runs, for a machine without a host folder.
    /// `path` is written from the root as in a program; names that are too long for DOS are
    /// truncated.
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine};
    ///
    /// let mut machine = Machine::new(&Config::default())?;
    /// machine.put_file("data/in.txt", b"1 2 3")?;
    /// assert_eq!(machine.kept_files(), [("DATA\\IN.TXT".to_owned(), b"1 2 3".to_vec())]);
    /// assert!(machine.put_file("a?b", b"").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if such a file cannot exist.
    pub fn put_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), PutFileError> {
        self.dos.put_file(path, bytes)
    }

    /// Returns the files of drive C: outside of the host folder: paths from the root, and contents.
    pub fn kept_files(&mut self) -> Vec<(String, Vec<u8>)> {
        self.dos.kept_files()
    }

    /// Keeps the program's standard output for [`Machine::take_output`] instead of showing it.
    pub fn redirect_output(&mut self) {
        self.dos.redirect_output(&mut self.hardware);
    }

    /// Keeps the program's standard error for [`Machine::take_errors`] instead of showing it.
    pub fn redirect_errors(&mut self) {
        self.dos.redirect_errors(&mut self.hardware);
    }

    /// Takes the program's standard input from [`Machine::feed_input`] instead of the keyboard. A
    /// program that reads more than it has been given stops the machine with
    /// [`Stop::InputWait`](super::Stop::InputWait).
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine, Stop, Until};
    ///
    /// let mut machine = Machine::new(&Config::default())?;
    /// // mov ah, 1; int 21h; mov ah, 4Ch; int 21h
    /// machine.load(&[0xB4, 0x01, 0xCD, 0x21, 0xB4, 0x4C, 0xCD, 0x21], "GETCHAR.COM", "")?;
    /// machine.redirect_input();
    /// assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::InputWait);
    /// machine.feed_input(b"A");
    /// assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::Exited(b'A'));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn redirect_input(&mut self) {
        self.dos.redirect_input(&mut self.hardware);
    }

    /// Appends bytes to the standard input, after [`Machine::redirect_input`].
    pub fn feed_input(&mut self, bytes: &[u8]) {
        self.note(|| Input::Feed(bytes.to_vec()));
        self.dos.feed_input(bytes);
    }

    /// Ends the standard input: reads return the end of the file after the last byte fed.
    pub fn close_input(&mut self) {
        self.note(|| Input::CloseInput);
        self.dos.close_input();
    }

    /// Returns and clears the standard output since the last call, after
    /// [`Machine::redirect_output`]: bytes of code page 437 as written, with line ends CR LF.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.dos.take_output()
    }

    /// Returns and clears the standard error output, after [`Machine::redirect_errors`].
    pub fn take_errors(&mut self) -> Vec<u8> {
        self.dos.take_errors()
    }

    /// Starts to keep teletype output for [`Machine::take_printout`].
    pub fn keep_printout(&mut self) {
        self.hardware.teletype_log.listen();
    }

    /// Returns and clears the teletype output since the last call, in code page 437, with BEL, BS,
    /// LF and CR as sent.
    pub fn take_printout(&mut self) -> Vec<u8> {
        self.hardware.teletype_log.take()
    }

    /// Returns the number of bytes that the program has written to files and that are not in the
    /// host folder yet; without a folder all of them.
    pub fn pending_bytes(&self) -> u64 {
        self.dos.pending_bytes()
    }

    /// Stores everything that the program has written so far in the host's files and in disk
    /// images: at the end of a run, so that nothing is lost if it was interrupted, or if the host
    /// refused it before.
    ///
    /// # Errors
    /// The first file that the host refuses, and the reason.
    pub fn flush_files(&mut self) -> std::io::Result<()> {
        self.dos.flush().and(self.hardware.disks.flush())
    }
}
