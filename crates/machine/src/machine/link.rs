//! A script in a link: the text after a program's name in the fragment of a page's address.
//!
//! ```text
//! SP/5/@500/1     keys typed one at a time, each when the program waits for a key, and time that passes, as `--keys` has them
//! 1500+SP/80-SP   1500 ms after power-on the key goes down, 80 ms after that it goes up
//! 20(left/50)left a button of the mouse goes down, and up
//! 10:320,96       the pointer goes there
//! 0*6000          the guest now runs at 6,000 instructions per millisecond
//! 230=            continues for another 230 ms
//! !cpu%20286      a setting of the machine, as in a script
//! ```
//! A number before a sign is milliseconds since the previous one. Characters that a link cannot
//! contain are written as `%` and their code in two hexadecimal digits.

use super::script::{Action, ParseScriptError, Script, Step};
use crate::hardware::DEFAULT_START;
use std::fmt::Write;

/// The signs that can follow a number of milliseconds, and the sign of a setting.
const SIGNS: [char; 8] = ['+', '-', '(', ')', ':', '*', '=', SETTING];

/// The sign of a setting.
const SETTING: char = '!';

/// The text is not a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{part}' in the link: {why}")]
pub struct ParseLinkError {
    /// The part between two slashes.
    pub part: String,
    /// The error in it.
    pub why: String,
}

impl Script {
    /// Returns the script as text for a link. Steps that check the screen (`expect`, `shot`,
    /// `text`) and `click` are not supported there and are left out.
    ///
    /// ```
    /// use oxbox_machine::machine::Script;
    ///
    /// let script: Script = "key SP +\nat 1500\npress UP\nat 1580\nrelease UP\nat 2000\n".parse()?;
    /// assert_eq!(script.to_link(), "SP/%2B/1500+UP/80-UP/420=");
    /// assert_eq!(Script::from_link(&script.to_link())?.to_string(), script.to_string().replace("SP +", "SP\nkey +"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_link(&self) -> String {
        let usual = format!("clock {DEFAULT_START}");
        let settings = self.settings.to_string();
        let settings = settings.lines().filter(|line| *line != usual);
        let mut parts: Vec<String> = settings.map(|line| format!("{SETTING}{}", escaped(line))).collect();
        let mut last = 0;
        let mut pending = None;
        for Step { action, .. } in &self.steps {
            if let (Some(delta), false) = (pending, has_time(action)) {
                parts.push(format!("{delta}="));
                pending = None;
            }
            let time = pending.map(|delta: u64| delta.to_string()).unwrap_or_default();
            let part = match action {
                Action::Key(key) => escaped(&key.to_string()),
                Action::Wait(ms) => format!("@{ms}"),
                Action::At(ms) => {
                    // Of two consecutive ones the later one applies.
                    pending = Some(pending.unwrap_or(0) + ms.saturating_sub(last));
                    last = last.max(*ms);
                    continue;
                }
                Action::Press(key) => format!("{time}+{}", escaped(&key.to_string())),
                Action::Release(key) => format!("{time}-{}", escaped(&key.to_string())),
                Action::Button(button, true) => format!("{time}({button}"),
                Action::Button(button, false) => format!("{time}){button}"),
                Action::Mouse(x, y) => format!("{time}:{x},{y}"),
                Action::Speed(speed) => format!("{time}*{speed}"),
                Action::Click(_) | Action::Expect(_) | Action::Shot(_) | Action::Text(_) => continue,
            };
            pending = None;
            parts.push(part);
        }
        parts.extend(pending.map(|delta| format!("{delta}=")));
        parts.join("/")
    }

    /// Parses the script of a link.
    ///
    /// # Errors
    /// Fails with the first part that cannot be parsed.
    pub fn from_link(text: &str) -> Result<Script, ParseLinkError> {
        let mut script = Script::default();
        let mut last = 0_u64;
        for part in text.split('/').filter(|part| !part.is_empty()) {
            let failed = |why: String| ParseLinkError { part: part.to_owned(), why };
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (time, rest) = part.split_at(digits);
            let mut characters = rest.chars();
            let Some(sign) = characters.next().filter(|sign| SIGNS.contains(sign)) else {
                let line = format!("key {}", unescaped(part).map_err(failed)?);
                add(&mut script, &line).map_err(|error| failed(error.to_string()))?;
                continue;
            };
            if !time.is_empty() {
                let ms: u64 = time.parse().map_err(|_| failed("the number is too large".to_owned()))?;
                last = last.checked_add(ms).ok_or_else(|| failed("the number is too large".to_owned()))?;
                script.push(Action::At(last));
            }
            let argument = unescaped(characters.as_str()).map_err(failed)?;
            let line = match sign {
                '+' | '(' => format!("press {argument}"),
                '-' | ')' => format!("release {argument}"),
                ':' => format!("mouse {}", argument.replacen(',', " ", 1)),
                '*' => format!("speed {argument}"),
                SETTING if script.steps.is_empty() => argument,
                SETTING => return Err(failed("a setting stands first".to_owned())),
                _ if argument.is_empty() => continue,
                _ => return Err(failed("nothing may follow '='".to_owned())),
            };
            add(&mut script, &line).map_err(|error| failed(error.to_string()))?;
        }
        Ok(script)
    }
}

/// Whether an action that follows `at` includes the time.
fn has_time(action: &Action) -> bool {
    matches!(
        action,
        Action::At(_)
            | Action::Press(_)
            | Action::Release(_)
            | Action::Button(..)
            | Action::Mouse(..)
            | Action::Speed(_)
    )
}

/// Adds a line of a script. Line numbers have no meaning in a link.
fn add(script: &mut Script, line: &str) -> Result<(), ParseScriptError> {
    let Script { settings, steps } = line.parse()?;
    script.settings = settings.or(script.settings);
    script.steps.extend(steps.into_iter().map(|step| Step { line: 0, ..step }));
    Ok(())
}

/// Returns the name of a key: letters and digits, and the separator in names such as `CTRL+c`.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Decodes text that we, or a program that passed the link on, have escaped.
fn unescaped(text: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(rest.next()), digit(rest.next())) else {
            return Err("two hexadecimal digits must follow '%'".to_owned());
        };
        bytes.push((high << 4 | low) as u8);
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    if text.chars().any(char::is_control) {
        Err("it contains a control character".to_owned())
    } else {
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Key;
    use proptest::prelude::*;

    #[test]
    fn links_are_scripts() {
        let table = [
            ("", ""),
            ("SP/5/1/7/3", "key SP\nkey 5\nkey 1\nkey 7\nkey 3\n"),
            ("@500/%40", "wait 500\nkey @\n"),
            ("100+UP/80-UP/20=", "at 100\npress UP\nat 180\nrelease UP\nat 200\n"),
            (
                "100+LEFT/5(left/9)left/1:320,96",
                "at 100\npress LEFT\nat 105\npress left\nat 114\nrelease left\nat 115\nmouse 320 96\n",
            ),
            ("0*6000/+%2B/-%2B", "at 0\nspeed 6000\npress +\nrelease +\n"),
            ("CTRL%2Bc", "key CTRL+c\n"),
            (
                "!clock%201999%2D12%2D31%2023%3A59%3A58/!machine%20cga/a",
                "clock 1999-12-31 23:59:58\nmachine cga\nkey a\n",
            ),
        ];
        for (link, script) in table {
            let read = Script::from_link(link).expect(link);
            assert_eq!(read.to_string(), script, "{link}");
            assert_eq!(read.to_link(), link);
        }
    }

    #[test]
    fn nonsense_is_named() {
        for link in [
            "FOO",
            "12",
            "5+",
            "5=x",
            "%",
            "%4",
            "%0Akey",
            "99999999999999999999=",
            "1:5",
            "0*-1",
            "5&x",
            "!noon",
            "!cpu%201",
            "a/!cpu%20286",
        ] {
            assert!(Script::from_link(link).is_err(), "{link}");
        }
    }

    proptest! {
        #[test]
        fn a_recording_survives_the_link(events in prop::collection::vec((0_u64..5000, 0x21_u8..0x7F, any::<bool>()), 0..40)) {
            let mut script = Script::default();
            let mut now = 0;
            for (delay, byte, down) in events {
                now += delay;
                let key = Key::typing(char::from(byte)).expect("a character of the keyboard");
                script.push(Action::At(now));
                script.push(if down { Action::Press(key) } else { Action::Release(key) });
            }
            script.push(Action::At(now + 7));
            prop_assert_eq!(Script::from_link(&script.to_link()).expect("a link").to_string(), script.to_string());
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = Script::from_link(&text);
        }
    }
}
