//! Methods for tests: type a text, run until a text is on the screen.

use super::{
    key::{Key, ParseKeyError},
    pc::Machine,
    stop::{Stop, Until},
};

/// Virtual time between two checks of the screen, in nanoseconds.
const LOOK_NS: u64 = 1_000_000;

impl Machine {
    /// Types a text, one key each time the program waits for one, and runs to the next wait. A line
    /// feed is ENTER. A stop other than a wait for a key ends it early: the rest of the text is not
    /// typed.
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine, Stop, Until};
    ///
    /// // again: mov ah, 1; int 21h; cmp al, 13; jne again; int 20h
    /// let echo = [0xB4, 0x01, 0xCD, 0x21, 0x3C, 0x0D, 0x75, 0xF8, 0xCD, 0x20];
    /// let mut machine = Machine::start(&Config::default(), &echo, "ECHO.COM", "")?;
    /// assert_eq!(machine.type_text("Hi!", &Until::KEY_WAIT)?, Stop::KeyWait);
    /// assert!(machine.shows("Hi!"));
    /// assert_eq!(machine.type_text("\n", &Until::KEY_WAIT)?, Stop::Exited(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if no key types a character; nothing has been typed then.
    pub fn type_text(&mut self, text: &str, limit: &Until) -> Result<Stop, ParseKeyError> {
        let key =
            |character: char| Key::typing(character).ok_or_else(|| ParseKeyError(character.to_string()));
        let keys: Vec<Key> = text.chars().map(key).collect::<Result<_, _>>()?;
        let until = Until { key_wait: true, ..*limit };
        for key in keys {
            match self.run(&until, &mut ()) {
                Stop::KeyWait => self.type_key(key),
                stop => return Ok(stop),
            }
        }
        Ok(self.run(&until, &mut ()))
    }

    /// Whether the text screen shows a text, within a row.
    pub fn shows(&self, text: &str) -> bool {
        self.text().is_some_and(|screen| (0..screen.rows).any(|row| screen.line(row).contains(text)))
    }

    /// Runs until the text screen shows a text, to the millisecond of virtual time. With
    /// [`Until::key_wait`] a wait for a key stops it.
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine, Stop, Until};
    ///
    /// // mov ax, 0E41h; int 10h; then a second of waiting and 'B': INT 15h AH=86h, CX:DX = 000F4240h microseconds
    /// let program = b"\xB8\x41\x0E\xCD\x10\xB4\x86\xB9\x0F\x00\xBA\x40\x42\xCD\x15\xB8\x42\x0E\xCD\x10\xCD\x20";
    /// let mut machine = Machine::start(&Config::default(), program, "AB.COM", "")?;
    /// assert_eq!(machine.run_until_text("A", &Until::KEY_WAIT), Ok(()));
    /// assert!(!machine.shows("AB"));
    /// assert_eq!(machine.run_until_text("AB", &Until::KEY_WAIT), Ok(()));
    /// assert_eq!(machine.run_until_text("ABC", &Until::KEY_WAIT), Err(Stop::Exited(0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The stop of the program if it came first.
    pub fn run_until_text(&mut self, text: &str, limit: &Until) -> Result<(), Stop> {
        while !self.shows(text) {
            let cycle = self.cycle_at_nanoseconds(self.nanoseconds() + LOOK_NS).min(limit.cycle);
            match self.run(&Until { cycle, ..*limit }, &mut ()) {
                Stop::Cycle if cycle < limit.cycle => {}
                _ if self.shows(text) => break,
                stop => return Err(stop),
            }
        }
        Ok(())
    }
}
