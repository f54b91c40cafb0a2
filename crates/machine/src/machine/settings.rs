//! Settings of the machine that belong to a run: clock, processor, display adapter.
//!
//! A script lists them before its first step, so a recording is played on the machine that it was
//! made on.

use super::pc::{Config, Machine};
use crate::hardware::vga::Adapter;
use crate::hardware::{DateTime, ParseDateTimeError};
use oxbox_cpu::Model;
use std::fmt;

/// Settings requested by a script or a suite. `None` leaves the choice to the caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// Date and time of day at power-on.
    pub clock: Option<DateTime>,
    /// Processor.
    pub model: Option<Model>,
    /// Display adapter.
    pub adapter: Option<Adapter>,
}

/// The reason that a setting cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseSettingError {
    /// The clock.
    #[error("{0}")]
    Clock(#[from] ParseDateTimeError),
    /// The processor.
    #[error("unknown processor '{0}'; use 8086, 186, 286, 386, 486 or 586")]
    Model(String),
    /// The display adapter.
    #[error("unknown display adapter '{0}'; use cga, ega or vga")]
    Adapter(String),
}

impl Settings {
    /// Returns the settings of a configuration for a recording: the clock, and differences from
    /// [`Config::default`].
    pub fn of(config: &Config) -> Settings {
        let default = Config::default();
        Settings {
            clock: Some(config.start),
            model: Some(config.model).filter(|model| *model != default.model),
            adapter: Some(config.adapter).filter(|adapter| *adapter != default.adapter),
        }
    }

    /// Changes a configuration to these settings.
    pub fn apply(&self, config: &mut Config) {
        config.start = self.clock.unwrap_or(config.start);
        config.model = self.model.unwrap_or(config.model);
        config.adapter = self.adapter.unwrap_or(config.adapter);
    }

    /// Returns these settings; those of another replace `None`.
    #[must_use]
    pub fn or(self, other: Settings) -> Settings {
        Settings {
            clock: self.clock.or(other.clock),
            model: self.model.or(other.model),
            adapter: self.adapter.or(other.adapter),
        }
    }

    /// Returns the settings as options of `oxbox run`: name and value.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let clock = self.clock.map(|clock| ("--clock", clock.to_string()));
        let model = self.model.map(|model| ("--cpu", model.name().to_owned()));
        let adapter = self.adapter.map(|adapter| ("--machine", adapter.name().to_owned()));
        [clock, model, adapter].into_iter().flatten().collect()
    }

    /// Parses one setting by its name in a script or a suite: `clock`, `cpu` or `machine`. Returns
    /// false if the name is unknown.
    ///
    /// # Errors
    /// Fails if the value cannot be parsed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, ParseSettingError> {
        match name {
            "clock" => self.clock = Some(value.parse()?),
            "cpu" => {
                let model = Model::named(value).ok_or_else(|| ParseSettingError::Model(value.to_owned()))?;
                self.model = Some(model);
            }
            "machine" => {
                let adapter =
                    Adapter::named(value).ok_or_else(|| ParseSettingError::Adapter(value.to_owned()))?;
                self.adapter = Some(adapter);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Machine {
    /// Returns the settings that the program has turned out to need, each with the reason: the
    /// processor that has an instruction, the CGA whose registers it programs. Meant for a run that
    /// is discarded: [`Machine::take_notices`] then no longer returns the notice about the
    /// instruction.
    ///
    /// ```
    /// use oxbox_machine::machine::{Config, Machine, Until};
    ///
    /// // cpuid; mov ah, 4Ch; int 21h
    /// let program = b"\x0F\xA2\xB4\x4C\xCD\x21";
    /// let mut machine = Machine::start(&Config::default(), program, "ID.COM", "")?;
    /// machine.run(&Until::KEY_WAIT, &mut ());
    /// let needed = machine.needed_settings();
    /// assert_eq!((needed.len(), needed[0].0.to_string()), (1, "cpu 586\n".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn needed_settings(&mut self) -> Vec<(Settings, String)> {
        let mut needed = Vec::new();
        if let Some((name, Some(model), (segment, offset))) = self.cpu.take_missed_instruction() {
            let settings = Settings { model: Some(model), ..Settings::default() };
            needed.push((settings, format!("it executes {name} at {segment:04X}:{offset:04X}")));
        }
        if self.hardware.wants_cga() {
            let settings = Settings { adapter: Some(Adapter::Cga), ..Settings::default() };
            needed.push((settings, "it programs registers 3D8h and 3D9h of a CGA".to_owned()));
        }
        needed
    }
}

/// Formats the lines at the beginning of a script.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clock.iter().try_for_each(|clock| writeln!(f, "clock {clock}"))?;
        self.model.iter().try_for_each(|model| writeln!(f, "cpu {}", model.name()))?;
        self.adapter.iter().try_for_each(|adapter| writeln!(f, "machine {}", adapter.name()))
    }
}
