//! Converts terminal keys to PC keys. A terminal reports characters and names, but no key releases.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use oxbox::machine::Key;

use crate::frontend::session::LiveSession;

/// Types a terminal key for the program. A character without a PC key is typed by its code.
pub(crate) fn type_key(event: KeyEvent, session: &mut LiveSession) {
    match (pc_key(event), event.code) {
        (Some(key), _) => session.type_key(key),
        (None, KeyCode::Char(character)) => session.type_character(character),
        _ => {}
    }
}

/// Returns the PC key of a terminal key; `None` for keys and characters that a PC keyboard lacks.
pub(crate) fn pc_key(event: KeyEvent) -> Option<Key> {
    let key = match event.code {
        KeyCode::Char(character) => return typed(character, event.modifiers),
        KeyCode::BackTab => "SHIFT+TAB",
        KeyCode::Enter => "ENTER",
        KeyCode::Esc => "ESC",
        KeyCode::Tab => "TAB",
        KeyCode::Backspace => "BKSP",
        KeyCode::Up => "UP",
        KeyCode::Down => "DOWN",
        KeyCode::Left => "LEFT",
        KeyCode::Right => "RIGHT",
        KeyCode::Home => "HOME",
        KeyCode::End => "END",
        KeyCode::PageUp => "PGUP",
        KeyCode::PageDown => "PGDN",
        KeyCode::Insert => "INS",
        KeyCode::Delete => "DEL",
        KeyCode::Pause => "PAUSE",
        KeyCode::F(number @ 1..=12) => {
            return format!("F{number}").parse().ok().map(|key| held(key, event.modifiers));
        }
        _ => return None,
    };
    key.parse().ok().map(|key| held(key, event.modifiers))
}

/// Returns a named key with the modifiers that the terminal reports.
fn held(key: Key, modifiers: KeyModifiers) -> Key {
    Key {
        shift: key.shift || modifiers.contains(KeyModifiers::SHIFT),
        ctrl: modifiers.contains(KeyModifiers::CONTROL),
        alt: modifiers.contains(KeyModifiers::ALT),
        ..key
    }
}

/// Returns a character's key. It includes Shift; with Ctrl or Alt a letter's case is ignored.
fn typed(character: char, modifiers: KeyModifiers) -> Option<Key> {
    let ctrl = modifiers.contains(KeyModifiers::CONTROL);
    let alt = modifiers.contains(KeyModifiers::ALT);
    let plain = if ctrl || alt { character.to_ascii_lowercase() } else { character };
    let key = Key::typing(plain)?;
    let shift = key.shift || (ctrl || alt) && modifiers.contains(KeyModifiers::SHIFT);
    Some(Key { shift, ctrl: key.ctrl || ctrl, alt, ..key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_keys_are_these_strokes() {
        const NONE: KeyModifiers = KeyModifiers::NONE;
        let table = [
            (KeyCode::Char('a'), NONE, "a"),
            (KeyCode::Char('A'), KeyModifiers::SHIFT, "A"),
            (KeyCode::Char('!'), NONE, "!"),
            (KeyCode::Char(' '), NONE, "SP"),
            (KeyCode::Char('d'), KeyModifiers::CONTROL, "CTRL+d"),
            (KeyCode::Char('x'), KeyModifiers::ALT, "ALT+x"),
            (KeyCode::Enter, NONE, "ENTER"),
            (KeyCode::BackTab, KeyModifiers::SHIFT, "SHIFT+TAB"),
            (KeyCode::Up, NONE, "UP"),
            (KeyCode::F(10), KeyModifiers::ALT, "ALT+F10"),
            (KeyCode::Left, KeyModifiers::CONTROL, "CTRL+LEFT"),
        ];
        for (code, modifiers, name) in table {
            let expected: Key = name.parse().unwrap();
            assert_eq!(pc_key(KeyEvent::new(code, modifiers)), Some(expected), "{name}");
        }
        for code in [KeyCode::Char('é'), KeyCode::F(13), KeyCode::Null] {
            assert_eq!(pc_key(KeyEvent::new(code, NONE)), None, "{code:?}");
        }
    }
}
