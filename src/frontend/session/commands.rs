//! Commands from the user to a session, and its status.

use super::super::hotkeys::{self, Command};
use super::super::picture;
use super::LiveSession;
use oxbox::hardware::DEFAULT_SPEED;
use oxbox::machine::{Action, End, Key};

/// The distance of a jump back if the key cannot be held.
const BACK_SECONDS: u32 = 5;

impl LiveSession {
    /// Executes a command. Returns a message for the user.
    pub(crate) fn carry_out(&mut self, command: Command) -> Option<String> {
        match command {
            Command::Help | Command::Save | Command::Load | Command::Fullscreen => None,
            Command::Pause => {
                self.paused = !self.paused;
                None
            }
            Command::Step => {
                self.step_frame();
                None
            }
            Command::Back => {
                self.jump_back(BACK_SECONDS);
                Some(format!("back at {}", clock(self.machine().nanoseconds())))
            }
            Command::Faster | Command::Slower => {
                let speed = hotkeys::next_speed(self.machine().speed(), command == Command::Faster);
                self.act(Action::Speed(speed));
                Some(format!("{speed} instructions a millisecond"))
            }
            Command::Mute => {
                self.set_muted(!self.host.outputs.muted);
                Some(if self.host.outputs.muted { "sound off".to_owned() } else { "sound on".to_owned() })
            }
            Command::Louder | Command::Quieter => {
                self.host.outputs.volume = self.host.outputs.volume.next(command == Command::Louder);
                self.set_muted(false);
                Some(format!("volume {} %", self.host.outputs.volume.0))
            }
            Command::Shot => Some(self.save_shot()),
            Command::Film => Some(self.start_or_stop_reel()),
            Command::Record => Some(self.save_recording_somewhere()),
            Command::Contrast => {
                self.high_contrast = !self.high_contrast;
                Some(if self.high_contrast { "high contrast" } else { "colours as they are" }.to_owned())
            }
            Command::CtrlC => {
                if let Some(key) = Key::typing('\x03') {
                    self.type_key(key);
                }
                None
            }
            Command::Quit => {
                self.leave();
                None
            }
        }
    }

    fn save_shot(&self) -> String {
        let path = picture::free_name(&self.name, "png");
        match picture::save(&self.machine().frame(), &path) {
            Ok(()) => format!("the picture is in {}", path.display()),
            Err(error) => format!("cannot write {}: {error}", path.display()),
        }
    }

    fn save_recording_somewhere(&self) -> String {
        let path = picture::free_name(&self.name, "script");
        match self.save_recording(&path) {
            Ok(()) => format!("the keys since the start are in {}", path.display()),
            Err(error) => format!("cannot write {}: {error}", path.display()),
        }
    }

    /// Returns the states that are not the default, the most important first: for the picture, a
    /// title or a status line.
    pub(crate) fn states(&self) -> Vec<String> {
        let mut states = Vec::new();
        match self.end() {
            Some(End::Exited(code)) => states.push(format!("ended (code {code}), press a key")),
            Some(End::Crashed(crash)) => states.push(format!("crashed: {crash}, press a key")),
            Some(End::Dead(fault)) => states.push(format!("stopped: {fault}, press a key")),
            Some(_) => states.push("over, press a key".to_owned()),
            None if self.is_rewinding() => {
                states.push(format!("\u{25C4}\u{25C4} {}", clock(self.machine().nanoseconds())));
            }
            None if self.paused => states.push("paused: Ctrl+F2 continues".to_owned()),
            None if self.is_unresponsive() => {
                states.push("it reads no keys: Ctrl+F9 quits, F1 shows more".to_owned());
            }
            None => {}
        }
        if let Some(since) = self.host.outputs.filming_since() {
            let length = self.machine().nanoseconds().saturating_sub(since);
            states.push(format!("\u{2022} GIF {}", clock(length)));
        }
        if self.machine().speed() != DEFAULT_SPEED {
            states.push(format!("{}/ms", self.machine().speed()));
        }
        if self.host.outputs.muted {
            states.push("sound off".to_owned());
        } else if self.host.outputs.volume.0 != 100 {
            states.push(format!("volume {} %", self.host.outputs.volume.0));
        }
        states
    }
}

/// Formats a duration in nanoseconds as minutes and seconds.
pub(crate) fn clock(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}
