//! The program's standard streams and files, as the host sees them.
//!
//! A stream that the host takes over leads to the host's side of [`Dos`](crate::dos::Dos) in place of the console: for the program
//! that runs and for those loaded later.

use super::{pc::Machine, record::Input};
use crate::dos::PutFileError;

impl Machine {
    /// The name by which DOS finds a file of the folder that is drive C:, given by the name that the host finds it by, from that
    /// folder. None when it is not there.
    pub fn dos_name(&mut self, file: &str) -> Option<String> {
        self.dos.name_of_host(file)
    }

    /// Puts a file on drive C: before the program runs: for a machine without a folder of the host. `path` is as a program would write
    /// it from the root; names that are too long for DOS are cut.
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
    /// Why there can be no such file.
    pub fn put_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), PutFileError> {
        self.dos.put_file(path, bytes)
    }

    /// The files of drive C: that no folder of the host has: their paths from the root, and what they hold.
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

    /// Takes the program's standard input from [`Machine::feed_input`] instead of the keyboard. A program that reads more than it
    /// has been given stops the machine with [`Stop::InputWait`](super::Stop::InputWait).
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

    /// Gives bytes to the standard input, after [`Machine::redirect_input`].
    pub fn feed_input(&mut self, bytes: &[u8]) {
        self.note(|| Input::Feed(bytes.to_vec()));
        self.dos.feed_input(bytes);
    }

    /// Ends the standard input: reads find the end of the file once the bytes fed so far are used up.
    pub fn close_input(&mut self) {
        self.note(|| Input::CloseInput);
        self.dos.close_input();
    }

    /// Hands over what the program has written to its standard output since the last call, after [`Machine::redirect_output`]: bytes
    /// of code page 437 as written, line ends CR LF.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.dos.take_output()
    }

    /// The same for standard error, after [`Machine::redirect_errors`].
    pub fn take_errors(&mut self) -> Vec<u8> {
        self.dos.take_errors()
    }

    /// Keeps what teletype output prints from now on, for [`Machine::take_printout`].
    pub fn keep_printout(&mut self) {
        self.hardware.printout.listen();
    }

    /// Hands over what teletype output has printed since the last call, in code page 437, with BEL, BS, LF and CR as they were sent.
    pub fn take_printout(&mut self) -> Vec<u8> {
        self.hardware.printout.take()
    }

    /// Bytes that the program has written into files and the host's folder has not got: all of them where there is no folder.
    pub fn pending_bytes(&self) -> u64 {
        self.dos.pending_bytes()
    }

    /// Writes everything that the program has written so far to the host's files, and to the images of disks: at the end of a run, so that nothing is lost when it
    /// was cut short, or in silence when the host has refused it before.
    ///
    /// # Errors
    /// The first file that the host refuses, and why.
    pub fn flush_files(&mut self) -> std::io::Result<()> {
        self.dos.flush().and(self.hardware.disks.flush())
    }
}
