//! Locates the segments of a listing in the program by their bytes.

use super::rows::Row;
use crate::debug_file::image::Image;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) address: u32,
    /// The paragraph used to display its names.
    pub(super) frame: u16,
}

/// The percentage of known bytes that must match. Assemblers that do not mark what the linker
/// changes show zeros there.
const ENOUGH: usize = 70;

/// Returns the positions of the segments that are found in the program, by name.
pub(super) fn bases(rows: &[Row], image: &Image) -> Vec<(String, Base)> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.at.is_some()) {
        if !names.contains(&row.segment.as_str()) {
            names.push(&row.segment);
        }
    }
    let mut found: Vec<(&str, Vec<u32>)> = Vec::new();
    for name in names {
        let known: Vec<(u32, u8)> = rows
            .iter()
            .filter(|row| row.segment == name)
            .filter_map(|row| Some((row.at?, &row.bytes)))
            .flat_map(|(at, bytes)| (at..).zip(bytes).filter_map(|(at, byte)| Some((at, (*byte)?))))
            .collect();
        // Enough bytes to identify a long segment.
        const SAMPLE: usize = 512;
        let known: Vec<(u32, u8)> = known.iter().copied().step_by(known.len() / SAMPLE + 1).collect();
        found.push((name, if known.is_empty() { Vec::new() } else { candidates(&known, image) }));
    }
    let unique: Vec<(&str, u32)> =
        found.iter().filter(|(_, bases)| bases.len() == 1).map(|(name, bases)| (*name, bases[0])).collect();
    let frames = frames(rows, &unique, image);
    let chosen = found.iter().filter_map(|(name, bases)| {
        let at_frame = |base: &u32| frames.iter().any(|frame| (frame * 16..frame * 16 + 16).contains(base));
        let address = match bases[..] {
            [only] => only,
            _ => {
                let mut near = bases.iter().copied().filter(at_frame);
                near.next().filter(|_| near.next().is_none())?
            }
        };
        let below =
            frames.iter().copied().filter(|frame| (frame * 16..frame * 16 + 0x1_0000).contains(&address));
        let frame = if image.is_com { 0 } else { below.max().unwrap_or(address / 16) as u16 };
        Some(((*name).to_owned(), Base { address, frame }))
    });
    chosen.collect()
}

/// Returns the addresses at which most of the bytes match; several if they match equally well.
fn candidates(known: &[(u32, u8)], image: &Image) -> Vec<u32> {
    const MOST: usize = 4096;
    let mut best = (known.len() * ENOUGH).div_ceil(100).max(1);
    let mut found = Vec::new();
    for base in 0..image.end() {
        let mut missing = known.len() - best.min(known.len());
        let mut there = 0;
        for &(at, byte) in known {
            if image.byte(base + at) == Some(byte) {
                there += 1;
            } else if missing == 0 {
                there = 0;
                break;
            } else {
                missing -= 1;
            }
        }
        if there > best {
            best = there;
            found.clear();
        }
        if there == best && found.len() < MOST {
            found.push(base);
        }
    }
    found
}

/// Returns the paragraphs that the located code loads into registers: words set by the linker, in
/// lines that name a segment.
fn frames(rows: &[Row], placed: &[(&str, u32)], image: &Image) -> Vec<u32> {
    let mut frames = Vec::new();
    for (name, base) in placed {
        for row in rows.iter().filter(|row| row.segment == *name) {
            let lower = row.text.to_ascii_lowercase();
            let named = rows
                .iter()
                .any(|other| !other.segment.is_empty() && lower.ends_with(&format!(" {}", other.segment)));
            let speaks =
                lower.contains("@data") || lower.contains("dgroup") || lower.contains("seg ") || named;
            let Some(at) = row.at.filter(|_| speaks && row.bytes.len() == 3) else { continue };
            frames.extend(
                image.word(base + at + 1).map(u32::from).filter(|frame| frame * 16 < image.end() + 0x1_0000),
            );
        }
    }
    frames.sort_unstable();
    frames.dedup();
    frames
}
