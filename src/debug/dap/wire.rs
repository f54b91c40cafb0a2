//! The transport of messages: a header with the length, an empty line, JSON.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// The maximum size of a message in bytes.
const LONGEST: u64 = 64 << 20;

/// Reads the next message; `None` at the end. Fails on an invalid message.
pub(super) fn read(input: &mut impl BufRead) -> Result<Option<Value>, String> {
    let no_message = |what: &str| {
        format!(
            "{what} is not a message of the Debug Adapter Protocol: a line Content-Length: N, an empty line, N bytes of JSON"
        )
    };
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let count = input.take(4096).read_until(b'\n', &mut line);
        if count.map_err(|error| error.to_string())? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if !line.contains(':') {
            return Err(no_message(&format!("'{}'", line.chars().take(40).collect::<String>())));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok().filter(|length| *length <= LONGEST);
        }
    }
    let length = length.ok_or_else(|| no_message("a header without a valid length"))?;
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body).map_err(|error| error.to_string())?;
    serde_json::from_slice(&body).map(Some).map_err(|error| no_message(&format!("invalid JSON ({error})")))
}

pub(super) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}
