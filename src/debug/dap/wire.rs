//! Messages as they travel: a header with the length, an empty line, JSON.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// Bytes that a message has at most.
const LONGEST: u64 = 64 << 20;

/// The next message; None at the end, or at something that is no message.
pub(super) fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.take(4096).read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok().filter(|length| *length <= LONGEST);
        }
    }
    let length = length?;
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// Sends a message.
pub(super) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}
