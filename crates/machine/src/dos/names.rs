//! File names of DOS: 8.3, wildcards and paths.
//!
//! A [`Name`] has eleven bytes as in a directory entry, padded with blanks, in capitals of code
//! page 437. Longer parts are truncated, as in DOS. A path contains no dot entries, no separators
//! and no drive, so it cannot lead upwards.

use super::{codepage::upper, devices::Device, error::ErrorCode};

/// Name and extension, padded with blanks.
pub(crate) type Name = [u8; 11];

/// A path from the root of a drive.
pub(crate) type Path = Vec<Name>;

/// The meaning of a path given by a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A character device, with the name that the program used.
    Device(Device, Name),
    /// An entry of a drive, or its root if `path` is empty.
    Disk { drive: u8, path: Path, wild: bool },
    /// A floppy drive (0 is A:) that exists but is never ready.
    NotReady(u8),
}

/// The program's folder.
pub(crate) const DRIVE_C: u8 = 2;

/// The drive with files of oxbox; see [`built_in`](super::built_in).
pub(crate) const DRIVE_Z: u8 = 25;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence<'a> {
    MissingDevices,
    NotReady,
    /// A drive, with its current directory.
    Ready(&'a [Name]),
}

pub(crate) fn is_name_character(byte: u8) -> bool {
    byte > b' ' && !b"\"*+,./:;<=>?[\\]|".contains(&byte)
}

/// Parses name and extension from `NAME.EXT`; `*` becomes question marks. `None` if a character is
/// not permitted, or the name before the dot is empty.
pub(crate) fn parse_name(text: &[u8]) -> Option<Name> {
    let (base, extension) = match text.iter().position(|&b| b == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &text[..0]),
    };
    if base.is_empty() {
        return None;
    }
    let mut name = [b' '; 11];
    fill(&mut name[..8], base)?;
    fill(&mut name[8..], extension)?;
    // E5h marks a deleted entry, so DOS stores such a first character as 05h on disk. The name here
    // keeps E5h.
    Some(name)
}

fn fill(part: &mut [u8], text: &[u8]) -> Option<()> {
    for (i, &byte) in text.iter().enumerate() {
        match byte {
            b'*' => {
                if let Some(rest) = part.get_mut(i..) {
                    rest.fill(b'?');
                }
                return Some(());
            }
            b'?' => {}
            _ if !is_name_character(byte) => return None,
            _ => {}
        }
        if let Some(place) = part.get_mut(i) {
            *place = upper(byte);
        }
    }
    Some(())
}

/// Returns `NAME.EXT` without the padding.
pub(crate) fn display(name: &Name) -> Vec<u8> {
    let part = |bytes: &[u8]| bytes.iter().rposition(|&b| b != b' ').map_or(0, |i| i + 1);
    let mut text = name[..part(&name[..8])].to_vec();
    let extension = part(&name[8..]);
    if extension > 0 {
        text.push(b'.');
        text.extend_from_slice(&name[8..8 + extension]);
    }
    text
}

/// Returns `\DIR\NAME.EXT`, or `\` for the root.
pub(crate) fn display_path(path: &[Name]) -> Vec<u8> {
    let mut text = Vec::new();
    for name in path {
        text.push(b'\\');
        text.extend(display(name));
    }
    if text.is_empty() { b"\\".to_vec() } else { text }
}

/// Whether `name` matches the pattern, in which `?` matches any character or none.
pub(crate) fn matches(pattern: &Name, name: &Name) -> bool {
    pattern.iter().zip(name).all(|(&p, &n)| p == b'?' || p == n)
}

pub(crate) fn full_path(drive: u8, path: &[Name]) -> Vec<u8> {
    [&[b'A' + drive, b':'], &display_path(path)[..]].concat()
}

fn is_separator(byte: u8) -> bool {
    byte == b'\\' || byte == b'/'
}

/// Splits off `C:`. Drives are numbered from A: = 0.
pub(crate) fn split_drive(text: &[u8]) -> (Option<u8>, &[u8]) {
    match text {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => (Some(upper(*letter) - b'A'), rest),
        _ => (None, text),
    }
}

/// Resolves a path from a program. `presence` returns the state of a drive; `default_drive` is the
/// current one. Fails with `InvalidDrive` for a drive that does not exist, `PathNotFound` for an
/// invalid path, `FileNotFound` for an invalid last part.
///
/// Also returns the drive and the folder that must exist for a device: every folder has its name. A
/// name alone and `\DEV\NAME` are the device at once.
pub(crate) fn resolve<'a>(
    text: &[u8],
    default_drive: u8,
    presence: impl Fn(u8) -> Presence<'a>,
) -> Result<(Target, Option<(u8, Path)>), ErrorCode> {
    let (drive, rest) = split_drive(text);
    let drive = drive.unwrap_or(default_drive);
    let parts: Vec<&[u8]> = rest.split(|&b| is_separator(b)).filter(|part| !part.is_empty()).collect();
    let absolute = rest.first().is_some_and(|&b| is_separator(b));
    let name = parts.last().and_then(|part| parse_name(part.strip_suffix(b":").unwrap_or(part)));
    let device = name.and_then(|name| Some(Target::Device(Device::named(&name)?, name)));
    let is_at_once = match parts[..] {
        [_] => !rest.iter().any(|&b| is_separator(b)),
        [folder, _] => absolute && folder.eq_ignore_ascii_case(b"DEV"),
        _ => false,
    };
    if let Some(device) = device.clone().filter(|_| is_at_once) {
        return Ok((device, None));
    }
    let current = match presence(drive) {
        Presence::Ready(current) => current,
        Presence::NotReady => return Ok((Target::NotReady(drive), None)),
        Presence::MissingDevices => return Err(ErrorCode::PathNotFound),
    };
    let mut path = if absolute { Path::new() } else { current.to_vec() };
    let mut wild = false;
    for (i, part) in parts.iter().enumerate() {
        let last = i + 1 == parts.len();
        match *part {
            b"." => {}
            b".." => {
                path.pop().ok_or(ErrorCode::PathNotFound)?;
            }
            _ if last && let Some(device) = &device => return Ok((device.clone(), Some((drive, path)))),
            _ => {
                let name = parse_name(part).ok_or(if last {
                    ErrorCode::FileNotFound
                } else {
                    ErrorCode::PathNotFound
                })?;
                if name.contains(&b'?') {
                    if !last {
                        return Err(ErrorCode::PathNotFound);
                    }
                    wild = true;
                }
                path.push(name);
            }
        }
    }
    // A path that ends in a separator does not name a file: DOS 5 accepts it only for the root.
    if rest.len() > 1 && rest.last().is_some_and(|&b| is_separator(b)) && !path.is_empty() {
        return Err(ErrorCode::PathNotFound);
    }
    Ok((Target::Disk { drive, path, wild }, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let (home, work) = ([parse_name(b"HOME").unwrap()], [parse_name(b"WORK").unwrap()]);
        let presence = |drive| match drive {
            0 | 1 => Presence::NotReady,
            DRIVE_C => Presence::Ready(&home),
            4 => Presence::Ready(&work),
            DRIVE_Z => Presence::Ready(&[]),
            _ => Presence::MissingDevices,
        };
        match resolve(text.as_bytes(), DRIVE_C, presence) {
            Ok((Target::Device(device, _), Some((drive, path)))) => {
                format!("{device:?} in {}", String::from_utf8(full_path(drive, &path)).unwrap())
            }
            Ok((Target::Device(device, _), None)) => format!("{device:?}"),
            Ok((Target::Disk { drive, path, wild }, _)) => {
                let path = String::from_utf8(full_path(drive, &path)).unwrap();
                path.trim_start_matches("C:").to_owned() + if wild { " wild" } else { "" }
            }
            Ok((Target::NotReady(drive), _)) => format!("not ready {drive}"),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn paths() {
        for (text, expected) in [
            ("a.txt", r"\HOME\A.TXT"),
            (r"\a.txt", r"\A.TXT"),
            ("/x/y.z", r"\X\Y.Z"),
            ("c:b", r"\HOME\B"),
            ("C:/B", r"\B"),
            ("", r"\HOME"),
            (".", r"\HOME"),
            ("..", r"\"),
            (r"..\..", "PathNotFound"),
            (r"..\..\..\..\etc\passwd", "PathNotFound"),
            (r"\..\etc", "PathNotFound"),
            (r"sub\..\x", r"\HOME\X"),
            (r"\", r"\"),
            (r"\sub\", "PathNotFound"),
            ("longfilename.text", r"\HOME\LONGFILE.TEX"),
            ("*.*", r"\HOME\????????.??? wild"),
            ("a*b.c?", r"\HOME\A???????.C? wild"),
            (r"a*\b", "PathNotFound"),
            ("a|b", "FileNotFound"),
            ("a+b\\c", "PathNotFound"),
            ("...", "FileNotFound"),
            (".hidden", "FileNotFound"),
            ("a.b.c", "FileNotFound"),
            ("con", "Con"),
            ("CON.TXT", "Con"),
            (r"C:\any\where\nul.dat", r"Nul in C:\ANY\WHERE"),
            (r"sub\con", r"Con in C:\HOME\SUB"),
            (r"\nul", r"Nul in C:\"),
            (r"\dev\nul", "Nul"),
            (r"dev\nul", r"Nul in C:\HOME\DEV"),
            (r"D:\nul", "PathNotFound"),
            (r"a:\nul", "not ready 0"),
            ("D:nul", "Nul"),
            ("com1", "Aux"),
            ("lpt3.x", "Prn"),
            ("CON:", "Con"),
            ("prn:", "Prn"),
            ("clock$", "Clock"),
            ("com5", r"\HOME\COM5"),
            ("a:x", "not ready 0"),
            ("B:", "not ready 1"),
            ("D:x", "PathNotFound"),
            (r"z:\x", r"Z:\X"),
            ("Z:x", r"Z:\X"),
            (r"z:\", r"Z:\"),
            (r"z:\..\x", "PathNotFound"),
            (r"y:\x", "PathNotFound"),
            ("e:x", r"E:\WORK\X"),
            (r"e:\x", r"E:\X"),
            ("c:c:x", "FileNotFound"),
            ("\u{1}x", "FileNotFound"),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("*.*", "A", true),
            ("*", "A.B", false),
            ("*.", "A", true),
            ("A?.TXT", "A.TXT", true),
            ("A?.TXT", "AB.TXT", true),
            ("A?.TXT", "ABC.TXT", false),
        ] {
            let (p, n) = (parse_name(pattern.as_bytes()).unwrap(), parse_name(name.as_bytes()).unwrap());
            assert_eq!(matches(&p, &n), expected, "{pattern} {name}");
        }
    }
}
