//! Function 29h: parses a file name from a command line into an FCB.

use crate::dos::{codepage::upper, error::Answer, pending::Call, state::Dos};
use crate::firmware::GuestMemory;

/// Bits of AL: skip separators; keep drive, name, extension of the FCB if the text has none.
const SKIP_SEPARATORS: u8 = 0x01;
const KEEP_DRIVE: u8 = 0x02;
const KEEP_NAME: u8 = 0x04;
const KEEP_EXTENSION: u8 = 0x08;

/// The maximum length of text that is parsed.
const LONGEST: usize = 128;

fn is_separator(byte: u8) -> bool {
    b":.;,=+ \t".contains(&byte)
}

fn ends_name(byte: u8) -> bool {
    byte <= b' ' || is_separator(byte) || b"/\\\"[]<>|".contains(&byte)
}

/// Parses `text` into drive, name and extension. Returns the bytes used, and AL: 0, 1 with
/// wildcards, FFh for a drive that does not exist.
fn parse(text: &[u8], flags: u8, fcb: &mut [u8; 12], is_there: impl Fn(u8) -> bool) -> (usize, u8) {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let blank = |at: usize| matches!(byte(at), b' ' | b'\t');
    let mut at = 0;
    while blank(at) {
        at += 1;
    }
    if flags & SKIP_SEPARATORS != 0 && is_separator(byte(at)) {
        at += 1;
        while blank(at) {
            at += 1;
        }
    }
    let mut answer = 0;
    if byte(at).is_ascii_alphabetic() && byte(at + 1) == b':' {
        fcb[0] = upper(byte(at)) - b'A' + 1;
        if !is_there(fcb[0] - 1) {
            answer = 0xFF;
        }
        at += 2;
    } else if flags & KEEP_DRIVE == 0 {
        fcb[0] = 0;
    }
    let start = at;
    at = part(text, at, &mut fcb[1..9], flags & KEEP_NAME != 0);
    if byte(at) == b'.' && (at > start || flags & SKIP_SEPARATORS == 0 || byte(at + 1) > b' ') {
        at = part(text, at + 1, &mut fcb[9..12], false);
    } else if flags & KEEP_EXTENSION == 0 {
        fcb[9..12].fill(b' ');
    }
    if answer == 0 && fcb[1..12].contains(&b'?') {
        answer = 1;
    }
    (at, answer)
}

/// Parses a name or extension into `field`. If it is empty, the field becomes blank or is kept.
fn part(text: &[u8], from: usize, field: &mut [u8], keep: bool) -> usize {
    let rest = text.get(from..).unwrap_or(&[]);
    let len = rest.iter().position(|&b| ends_name(b)).unwrap_or(rest.len());
    if len == 0 && keep {
        return from;
    }
    field.fill(b' ');
    for (i, &byte) in rest[..len].iter().enumerate() {
        if byte == b'*' {
            if let Some(tail) = field.get_mut(i..) {
                tail.fill(b'?');
            }
            break;
        }
        if let Some(place) = field.get_mut(i) {
            *place = upper(byte);
        }
    }
    from + len
}

/// Returns the two FCBs that the command interpreter makes of the first two arguments.
pub(in crate::dos) fn from_tail(tail: &[u8]) -> [[u8; 12]; 2] {
    let mut fcbs = [[b' '; 12]; 2];
    let mut at = 0;
    for fcb in &mut fcbs {
        fcb[0] = 0;
        while tail.get(at).is_some_and(|&b| is_separator(b)) {
            at += 1;
        }
        let (read, _) = parse(&tail[at..], SKIP_SEPARATORS, fcb, |_| true);
        at += read;
        // The rest of an argument that is longer than a name, such as a path, is skipped.
        while tail.get(at).is_some_and(|&b| !matches!(b, b' ' | b'\t' | b',' | b';' | b'=')) {
            at += 1;
        }
    }
    fcbs
}

impl Dos {
    /// 29h: parses DS:SI into the FCB at ES:DI.
    pub(in crate::dos) fn fcb_parse(&mut self, g: &mut Call) -> Answer {
        let (from, to) = (g.ds_si(), g.es_di());
        let text = g.hw.bytes(from, LONGEST);
        let mut fcb = [0; 12];
        fcb.copy_from_slice(&g.hw.bytes(to, 12));
        let (read, answer) = parse(&text, g.cpu.regs.al(), &mut fcb, |drive| self.disk.volumes.has(drive));
        g.hw.set_bytes(to, &fcb);
        g.hw.set_dword(to.plus(12), 0);
        g.cpu.regs.set_si(from.offset.wrapping_add(read as u16));
        g.cpu.regs.set_al(answer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, flags, before, expected) in [
            ("a.b", 0, "0xxxxxxxxxxx", "0A       B  , 3, 0"),
            ("c:name.ext rest", 0, "0xxxxxxxxxxx", "3NAME    EXT, 10, 0"),
            ("d:x", 0, "0xxxxxxxxxxx", "4X          , 3, 255"),
            ("  *.a*", 0, "0xxxxxxxxxxx", "0????????A??, 6, 1"),
            ("a?", 0, "0xxxxxxxxxxx", "0A?         , 2, 1"),
            ("longfilename.text", 0, "0xxxxxxxxxxx", "0LONGFILETEX, 17, 0"),
            (";a", 1, "0xxxxxxxxxxx", "0A          , 2, 0"),
            (";a", 0, "0xxxxxxxxxxx", "0           , 0, 0"),
            ("", 0, "2oldname ext", "0           , 0, 0"),
            ("", 2, "2oldname ext", "2           , 0, 0"),
            ("", 14, "2oldname ext", "2oldname ext, 0, 0"),
            ("new", 8, "2oldname ext", "0NEW     ext, 3, 0"),
            (".x", 4, "2oldname ext", "0oldname X  , 2, 0"),
            ("a/b", 0, "0xxxxxxxxxxx", "0A          , 1, 0"),
            ("a\\b", 0, "0xxxxxxxxxxx", "0A          , 1, 0"),
            ("a\rb", 0, "0xxxxxxxxxxx", "0A          , 1, 0"),
        ] {
            let mut fcb: [u8; 12] = before.as_bytes().try_into().unwrap();
            fcb[0] -= b'0';
            let (read, answer) = parse(text.as_bytes(), flags, &mut fcb, |drive| drive < 3);
            fcb[0] += b'0';
            let shown = format!("{}, {read}, {answer}", String::from_utf8(fcb.to_vec()).unwrap());
            assert_eq!(shown, expected, "{text:?} {flags}");
        }
    }

    #[test]
    fn first_two_arguments() {
        for (tail, first, second) in [
            ("", "0           ", "0           "),
            (" a.txt b.txt", "0A       TXT", "0B       TXT"),
            (" c:\\dir\\x y", "3           ", "0Y          "),
            (" /s d:z", "0           ", "4Z          "),
        ] {
            let shown = from_tail(tail.as_bytes()).map(|mut fcb| {
                fcb[0] += b'0';
                String::from_utf8(fcb.to_vec()).unwrap()
            });
            assert_eq!(shown, [first, second], "{tail:?}");
        }
    }
}
