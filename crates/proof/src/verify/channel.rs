//! The channels of a program: all ways in which a user, or the next program, can tell what it does.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A way in which a program differs from its twin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Channel {
    /// Whether the program waits for a key, has ended, or cannot go on.
    State,
    /// Characters or pixels at a wait, and where the cursor is.
    Screen,
    /// How text looks: attributes, palette, font, the cursor's shape, the number of lines, the border.
    Look,
    /// Pictures between two waits, each that stands for at least 20 ms.
    Pictures,
    /// The speaker: notes and their lengths, and sounds that are no note.
    Sound,
    /// Virtual time from a key to the next wait, beside the sounds.
    Time,
    /// Bytes that go to the console by DOS.
    Console,
    /// Files and folders.
    Files,
    /// The exit code.
    ExitCode,
    /// What an ended program leaves to the next one: vectors, video mode, timer, speaker, keyboard flags, memory.
    LeftBehind,
    /// Answers of a procedure that is called directly.
    #[default]
    Procedure,
}

impl Channel {
    /// Its name in reports, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Channel::State => "state",
            Channel::Screen => "screen",
            Channel::Look => "look",
            Channel::Pictures => "pictures",
            Channel::Sound => "sound",
            Channel::Time => "time",
            Channel::Console => "console",
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

/// How a program differs from its twin, in one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) channel: Channel,
    /// What is different, in a line.
    pub(super) what: String,
}

impl Channel {
    /// A difference in this channel.
    pub(super) fn differs(self, what: impl Into<String>) -> Difference {
        Difference { channel: self, what: what.into() }
    }
}
