//! Queries which kinds of pictures the terminal supports, with a timeout.
//!
//! Terminals that know kitty's graphics protocol and the query of the cell size answer these. Every
//! terminal answers the query after them (DA1, primary device attributes), so the wait always ends.
//! Sixel is attribute 4 of that answer.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The timeout of the answer: enough for a slow connection, and hardly noticeable.
const PATIENCE: Duration = Duration::from_millis(300);

/// Queries: whether a one-pixel picture is accepted; a cell's size in pixels; the attributes.
const QUESTION: &[u8] = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ImageProtocol {
    /// Half blocks: two pixels per cell.
    #[default]
    HalfBlocks,
    /// Kitty's graphics protocol.
    Kitty,
    /// Sixels. Width and height of a character cell in pixels.
    Sixel(usize, usize),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) pictures: ImageProtocol,
    /// Keys that were typed meanwhile.
    pub(super) keys: Vec<KeyEvent>,
}

/// Queries the terminal, which is in raw mode and is not read elsewhere.
pub(super) fn ask() -> Answer {
    let mut out = stdout().lock();
    if out.write_all(QUESTION).and_then(|()| out.flush()).is_err() {
        return Answer::default();
    }
    let mut bytes = Vec::new();
    let start = Instant::now();
    while let Some(rest) = PATIENCE.checked_sub(start.elapsed()) {
        if !read_some(&mut bytes, rest) || has_attributes(&bytes) {
            break;
        }
    }
    understand(&bytes, cell_of_window())
}

/// Returns the size of a cell from the size of the terminal's window, if the host knows it.
fn cell_of_window() -> Option<(usize, usize)> {
    let window = crossterm::terminal::window_size().ok()?;
    let pixels = |size: u16, cells: u16| size.checked_div(cells).map(usize::from).filter(|size| *size > 0);
    Some((pixels(window.width, window.columns)?, pixels(window.height, window.rows)?))
}

/// Appends the bytes that arrive within `wait`. Returns whether there were any.
#[cfg(unix)]
fn read_some(bytes: &mut Vec<u8>, wait: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = rustix::stdio::stdin();
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(wait.subsec_nanos()) };
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    let mut buffer = [0; 256];
    match poll(&mut watched, Some(&timeout)) {
        Ok(1..) => match rustix::io::read(stdin, &mut buffer) {
            Ok(count @ 1..) => {
                bytes.extend(&buffer[..count]);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(not(unix))]
fn read_some(_: &mut Vec<u8>, _: Duration) -> bool {
    false
}

fn has_attributes(bytes: &[u8]) -> bool {
    sequences(bytes).0.iter().any(|sequence| sequence.starts_with(b"[?") && sequence.ends_with(b"c"))
}

/// Returns the escape sequences in the bytes, without ESC, and the bytes between them.
fn sequences(bytes: &[u8]) -> (Vec<&[u8]>, Vec<u8>) {
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at + 1..];
        let length = match (bytes[at], rest.first()) {
            (0x1B, Some(b'[')) => {
                rest[1..].iter().position(|byte| (0x40..0x7F).contains(byte)).map(|end| end + 2)
            }
            (0x1B, Some(b'_' | b'P')) => {
                rest.windows(2).position(|pair| pair == b"\x1b\\").map(|end| end + 2)
            }
            _ => {
                others.push(bytes[at]);
                at += 1;
                continue;
            }
        };
        // An incomplete sequence is ignored.
        let Some(length) = length else { break };
        found.push(&rest[..length]);
        at += 1 + length;
    }
    (found, others)
}

/// Interprets the answer. `cell` is the size of a cell to use if the answer contains none.
fn understand(bytes: &[u8], mut cell: Option<(usize, usize)>) -> Answer {
    let (sequences, others) = sequences(bytes);
    let (mut kitty, mut sixel) = (false, false);
    for sequence in sequences {
        let text = String::from_utf8_lossy(sequence);
        if text.starts_with("_Gi=31;OK") {
            kitty = true;
        } else if let Some(attributes) = text.strip_prefix("[?").and_then(|text| text.strip_suffix('c')) {
            sixel = attributes.split(';').skip(1).any(|attribute| attribute == "4");
        } else if let Some(size) = text.strip_prefix("[6;").and_then(|text| text.strip_suffix('t')) {
            let numbers: Vec<usize> = size.split(';').filter_map(|number| number.parse().ok()).collect();
            if let [height @ 1..=200, width @ 1..=200] = numbers[..] {
                cell = Some((width, height));
            }
        }
    }
    let pictures = match (kitty, sixel, cell) {
        (true, ..) => ImageProtocol::Kitty,
        (false, true, Some((width, height))) => ImageProtocol::Sixel(width, height),
        _ => ImageProtocol::HalfBlocks,
    };
    Answer { pictures, keys: others.into_iter().filter_map(key).collect() }
}

fn key(byte: u8) -> Option<KeyEvent> {
    let code = match byte {
        b'\r' => KeyCode::Enter,
        0x1B => KeyCode::Esc,
        b' '..=b'~' => KeyCode::Char(char::from(byte)),
        0x03 => return Some(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)),
        _ => return None,
    };
    Some(KeyEvent::new(code, KeyModifiers::NONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_say_what_they_can() {
        let table: [(&str, ImageProtocol, &str); 8] = [
            ("", ImageProtocol::HalfBlocks, ""),
            ("\x1b[?1;2c", ImageProtocol::HalfBlocks, ""),
            ("\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;c", ImageProtocol::Kitty, ""),
            ("\x1b_Gi=31;ENOTSUP\x1b\\\x1b[?62;c", ImageProtocol::HalfBlocks, ""),
            ("\x1b[6;20;10t\x1b[?63;1;2;4;6c", ImageProtocol::Sixel(10, 20), ""),
            ("\x1b[?63;1;2;4;6c", ImageProtocol::HalfBlocks, ""),
            ("\x1b[6;0;0t\x1b[?4;6c", ImageProtocol::HalfBlocks, ""),
            ("a\x1b[?1;2cb", ImageProtocol::HalfBlocks, "ab"),
        ];
        for (bytes, pictures, typed) in table {
            let answer = understand(bytes.as_bytes(), None);
            assert_eq!(answer.pictures, pictures, "{bytes:?}");
            let keys: String = answer.keys.iter().filter_map(|key| key.code.as_char()).collect();
            assert_eq!(keys, typed, "{bytes:?}");
        }
    }

    #[test]
    fn a_terminal_that_keeps_its_cells_to_itself_has_a_window() {
        let answer = understand(b"\x1b[?63;1;2;4c", Some((9, 18)));
        assert_eq!(answer.pictures, ImageProtocol::Sixel(9, 18));
    }

    #[test]
    fn half_an_answer_is_waited_for() {
        for (bytes, complete) in
            [("\x1b[?1;2", false), ("\x1b_Gi=31;OK\x1b\\\x1b[?1", false), ("\x1b[?1c", true)]
        {
            assert_eq!(has_attributes(bytes.as_bytes()), complete, "{bytes:?}");
        }
    }
}
