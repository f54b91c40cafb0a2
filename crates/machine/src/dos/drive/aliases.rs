//! Short names for host names that are not 8.3: `FILENA~1.TXT`.
//!
//! The names depend only on the set of host names, not on the order in which the host lists them:
//! callers sort first.

use crate::dos::{
    codepage::{from_char, upper},
    devices::Device,
    names::{Name, is_name_character, parse_name},
};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the host name as a DOS name if it is one: 8.3, in the code page, not a device.
pub(super) fn plain(host: &str) -> Option<Name> {
    let bytes: Vec<u8> = host.chars().map(from_char).collect::<Option<_>>()?;
    let dot = bytes.iter().position(|&b| b == b'.').unwrap_or(bytes.len());
    let extension = bytes.get(dot + 1..).unwrap_or(&[]);
    let fits =
        (1..=8).contains(&dot) && extension.len() <= 3 && (dot == bytes.len() || !extension.is_empty());
    if !fits || bytes.iter().any(|&b| b != b'.' && !is_name_character(b)) {
        return None;
    }
    parse_name(&bytes).filter(|name| Device::named(name).is_none())
}

/// Creates short names that are not in use.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    taken: BTreeSet<Name>,
    /// The last number tried for each beginning: similar names do not need a million attempts.
    numbers: BTreeMap<Name, u32>,
}

impl Aliases {
    /// Reserves a name. Returns false if it is already in use.
    pub(super) fn take(&mut self, name: Name) -> bool {
        self.taken.insert(name)
    }

    /// Returns a new short name for a host name. `None` if a million are in use.
    pub(super) fn make(&mut self, host: &str) -> Option<Name> {
        let trimmed = host.trim_start_matches('.');
        let (base, extension) = trimmed.rsplit_once('.').unwrap_or((trimmed, ""));
        let base: Vec<u8> = short_characters(base).take(6).collect();
        let base = if base.is_empty() { vec![b'_'] } else { base };
        let mut key = [b' '; 11];
        key[..base.len()].copy_from_slice(&base);
        for (place, byte) in key[8..].iter_mut().zip(short_characters(extension)) {
            *place = byte;
        }
        loop {
            let number = self.numbers.entry(key).or_insert(0);
            *number += 1;
            let tail = format!("~{number}");
            let keep = base.len().min(8usize.checked_sub(tail.len())?);
            let mut name = key;
            name[..8].fill(b' ');
            name[..keep].copy_from_slice(&base[..keep]);
            name[keep..keep + tail.len()].copy_from_slice(tail.as_bytes());
            if self.take(name) {
                return Some(name);
            }
        }
    }
}

/// Returns the permitted characters of a name, in capitals; `_` for those not in the code page.
fn short_characters(text: &str) -> impl Iterator<Item = u8> {
    text.chars().filter(|&c| c != ' ' && c != '.').map(|c| match from_char(c) {
        Some(byte) if is_name_character(byte) => upper(byte),
        _ => b'_',
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dos::names::display;

    #[test]
    fn plain_names() {
        for (host, expected) in [
            ("a.txt", Some("A.TXT")),
            ("MixedCas.e", Some("MIXEDCAS.E")),
            ("noext", Some("NOEXT")),
            ("toolongname.txt", None),
            ("a.html", None),
            (".profile", None),
            ("a.", None),
            ("a b", None),
            ("a.b.c", None),
            ("con", None),
            ("Nul.txt", None),
            ("語.txt", None),
        ] {
            let name = plain(host).map(|name| String::from_utf8(display(&name)).unwrap());
            assert_eq!(name.as_deref(), expected, "{host}");
        }
    }

    #[test]
    fn made_names() {
        let mut aliases = Aliases::default();
        for (host, expected) in [
            ("filename one.txt", "FILENA~1.TXT"),
            ("filename two.txt", "FILENA~2.TXT"),
            ("filename.html", "FILENA~1.HTM"),
            (".profile", "PROFIL~1"),
            ("...", "_~1"),
            ("con.txt", "CON~1.TXT"),
            ("a+b=c.t", "A_B_C~1.T"),
            ("語語.x", "__~1.X"),
            ("archive.tar.gz", "ARCHIV~1.GZ"),
        ] {
            let name = aliases.make(host).unwrap();
            assert_eq!(String::from_utf8(display(&name)).unwrap(), expected, "{host}");
        }
        for _ in 3..=9 {
            aliases.make("filename x.txt").unwrap();
        }
        assert_eq!(display(&aliases.make("filename y.txt").unwrap()), b"FILEN~10.TXT");
    }
}
