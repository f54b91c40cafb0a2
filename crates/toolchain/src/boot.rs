//! Boot sectors: sources with ORG 7C00h whose first 512 bytes end in 55AAh.

use crate::Format;
use crate::link::Linked;

/// The address at which a BIOS loads the first sector.
const ORIGIN: usize = 0x7C00;
const SECTOR: usize = 512;

/// Returns whether a source starts at 7C00h.
pub(crate) fn is_source(source: &[u8]) -> bool {
    let text = String::from_utf8_lossy(source).to_ascii_lowercase();
    text.lines().any(|line| {
        let code = line.split(';').next().unwrap_or_default();
        let mut words =
            code.split(|c: char| c.is_whitespace() || c == '[' || c == ']').filter(|word| !word.is_empty());
        words.next() == Some("org") && words.next().is_some_and(is_origin)
    })
}

fn is_origin(number: &str) -> bool {
    let digits =
        number.strip_prefix("0x").or_else(|| number.strip_suffix('h')).or_else(|| number.strip_prefix('$'));
    match digits {
        Some(digits) => usize::from_str_radix(digits, 16) == Ok(ORIGIN),
        None => number.parse() == Ok(ORIGIN),
    }
}

/// Extracts the boot sector, padded to whole sectors, if the signature identifies it. Otherwise
/// returns the program unchanged.
pub(crate) fn sector(linked: Linked) -> Linked {
    let bytes = &linked.bytes;
    let image = match linked.format {
        Format::Com => 0,
        Format::Exe => {
            bytes.get(8..10).map_or(0, |header| usize::from(u16::from_le_bytes([header[0], header[1]])) * 16)
        }
    };
    // A linker fills the space up to the origin, which starts 100h bytes later in a COM program.
    // NASM starts at the origin.
    let starts = [image, image + ORIGIN, (image + ORIGIN).saturating_sub(0x100)];
    let is_sector = |start: &&usize| bytes.get(**start + 510..**start + SECTOR) == Some(&[0x55, 0xAA]);
    let Some(&start) = starts.iter().find(is_sector) else { return linked };
    let mut disk = bytes[start..].to_vec();
    disk.resize(disk.len().next_multiple_of(SECTOR), 0);
    Linked { bytes: disk, boots: true, ..linked }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_tells_boot_sectors() {
        let rows = [
            ("org 7C00h", true),
            ("bits 16\n[org 0x7c00] ; here", true),
            ("  ORG 07c00h\nnop", true),
            ("org 31744", true),
            ("org 100h", false),
            ("; org 7C00h", false),
            ("mov ax, 7C00h", false),
        ];
        for (source, expected) in rows {
            assert_eq!(is_source(source.as_bytes()), expected, "{source}");
        }
    }
}
