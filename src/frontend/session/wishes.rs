//! What the user wishes of a session, and what it says of itself.

use super::super::hotkeys::{self, Wish};
use super::super::picture;
use super::{End, Session};
use oxbox::hardware::DEFAULT_SPEED;
use oxbox::machine::{Action, Key};

/// How far the run goes back where the key cannot be held.
const BACK_SECONDS: u32 = 5;

impl Session {
    /// Fulfils a wish; the answer is a line for the user.
    pub(crate) fn fulfil(&mut self, wish: Wish) -> Option<String> {
        match wish {
            Wish::Help | Wish::Save | Wish::Load | Wish::Fullscreen => None,
            Wish::Pause => {
                self.paused = !self.paused;
                None
            }
            Wish::Step => {
                self.step_frame();
                None
            }
            Wish::Back => {
                self.jump_back(BACK_SECONDS);
                Some(format!("back at {}", clock(self.machine.nanoseconds())))
            }
            Wish::Faster | Wish::Slower => {
                let speed = hotkeys::next_speed(self.machine.speed(), wish == Wish::Faster);
                self.act(Action::Speed(speed));
                Some(format!("{speed} instructions a millisecond"))
            }
            Wish::Mute => {
                self.set_muted(!self.outputs.muted);
                Some(if self.outputs.muted { "sound off".to_owned() } else { "sound on".to_owned() })
            }
            Wish::Louder | Wish::Quieter => {
                self.outputs.volume = self.outputs.volume.next(wish == Wish::Louder);
                self.set_muted(false);
                Some(format!("volume {} %", self.outputs.volume.0))
            }
            Wish::Shot => Some(self.save_shot()),
            Wish::Film => Some(self.start_or_stop_reel()),
            Wish::Record => Some(self.save_recording_somewhere()),
            Wish::Contrast => {
                self.high_contrast = !self.high_contrast;
                Some(if self.high_contrast { "high contrast" } else { "colours as they are" }.to_owned())
            }
            Wish::CtrlC => {
                if let Some(key) = Key::typing('\x03') {
                    self.strike(key);
                }
                None
            }
            Wish::Quit => {
                self.leave();
                None
            }
        }
    }

    fn save_shot(&self) -> String {
        let path = picture::free_name(&self.name, "png");
        match picture::save(&self.machine.frame(), &path) {
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

    /// What is not as usual, the most important first: for the picture, a title or a status line.
    pub(crate) fn states(&self) -> Vec<String> {
        let mut states = Vec::new();
        match &self.end {
            Some(End::Exited(code)) => states.push(format!("ended (code {code}), press a key")),
            Some(End::Crashed(crash)) => states.push(format!("crashed: {crash}, press a key")),
            Some(End::Dead(why)) => states.push(format!("stopped: {why}, press a key")),
            Some(_) => states.push("over, press a key".to_owned()),
            None if self.is_going_back() => {
                states.push(format!("\u{25C4}\u{25C4} {}", clock(self.machine.nanoseconds())));
            }
            None if self.paused => states.push("paused: Ctrl+F2 goes on".to_owned()),
            None if self.is_deaf() => states.push("it takes no keys: Ctrl+F9 quits, F1 more".to_owned()),
            None => {}
        }
        if let Some(since) = self.outputs.filming_since() {
            let length = self.machine.nanoseconds().saturating_sub(since);
            states.push(format!("\u{2022} GIF {}", clock(length)));
        }
        if self.machine.speed() != DEFAULT_SPEED {
            states.push(format!("{}/ms", self.machine.speed()));
        }
        if self.outputs.muted {
            states.push("sound off".to_owned());
        } else if self.outputs.volume.0 != 100 {
            states.push(format!("volume {} %", self.outputs.volume.0));
        }
        states
    }
}

/// A span of time, in nanoseconds, as minutes and seconds.
pub(crate) fn clock(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}
