//! The channels of a program: all ways in which a user, or the next program, can observe it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A channel in which a program differs from its twin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Channel {
    /// Whether the program waits for a key, has ended, or cannot continue.
    State,
    /// Characters or pixels at a wait, and the position of the cursor.
    Screen,
    /// The appearance of text: attributes, palette, font, cursor shape, number of lines, border.
    Look,
    /// Pictures between two waits that are visible for at least 20 ms.
    Pictures,
    /// The speaker: notes and their lengths, and other sounds.
    Sound,
    /// Virtual time from a key to the next wait, without the sounds.
    Time,
    /// Bytes written to the console through DOS.
    Console,
    /// The printer, the serial ports, and the clock, which a program can set.
    Devices,
    /// Files and folders.
    Files,
    /// The exit code.
    ExitCode,
    /// State left to the next program: vectors, video mode, memory, the devices, the BIOS and DOS.
    LeftBehind,
    /// Results of a procedure that is called directly.
    #[default]
    Procedure,
}

impl Channel {
    /// Returns the name in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Channel::State => "state",
            Channel::Screen => "screen",
            Channel::Look => "look",
            Channel::Pictures => "pictures",
            Channel::Sound => "sound",
            Channel::Time => "time",
            Channel::Console => "console",
            Channel::Devices => "devices",
            Channel::Files => "files",
            Channel::ExitCode => "exit-code",
            Channel::LeftBehind => "left-behind",
            Channel::Procedure => "procedure",
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) channel: Channel,
    pub(super) what: String,
}

impl Channel {
    pub(super) fn differs(self, what: impl Into<String>) -> Difference {
        Difference { channel: self, what: what.into() }
    }
}
