//! Writes the program file: an EXE with its header and relocation table, or a COM file.
//!
//! The header is as short as its relocations permit, in paragraphs. Source: the header that DOS
//! function 4Bh reads.

use super::layout::{Layout, Section};
use super::symbols::Program;
use crate::Format;
use crate::diagnostic::Diagnostic;
use crate::omf::Combine;

/// The offset at which a COM program starts in its segment.
const COM_START: u32 = 0x100;
/// The largest COM program: it shares its segment with the PSP and at least one word of stack.
const LARGEST_COM: usize = 0xFF00 - 2;
const HEADER_WORDS: u32 = 14;
/// The most relocations, whose number is a word of the header.
const MOST_RELOCATIONS: usize = 0xFFFF;
const PAGE: usize = 512;

pub(super) struct Finished {
    pub(super) bytes: Vec<u8>,
    pub(super) format: Format,
    /// CS:IP relative to the start of the program.
    pub(super) entry: (u32, u32),
    pub(super) warnings: Vec<Diagnostic>,
}

pub(super) fn finish(
    program: &Program,
    layout: &Layout,
    memory: &[u8],
    relocations: &[u32],
    wanted: Option<Format>,
) -> Result<Finished, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let entry = entry(program, layout, &mut warnings)?;
    let stack = layout.sections.iter().find(|section| section.combine == Combine::Stack);
    let is_com = entry == Some((0, COM_START)) && stack.is_none() && relocations.is_empty();
    let format = wanted.unwrap_or(if is_com { Format::Com } else { Format::Exe });
    let bytes = match format {
        Format::Com => com(entry, memory, relocations).map_err(|error| vec![error])?,
        Format::Exe => {
            if relocations.len() > MOST_RELOCATIONS {
                let text = format!(
                    "{} segment relocations: an EXE file can have {MOST_RELOCATIONS}",
                    relocations.len()
                );
                return Err(vec![Diagnostic::error("link", text)]);
            }
            if stack.is_none() {
                warnings.push(Diagnostic::warning("link", "the program has no stack segment"));
            }
            exe(entry.unwrap_or_default(), memory, layout.end, relocations, stack)
        }
    };
    Ok(Finished { bytes, format, entry: entry.unwrap_or_default(), warnings })
}

/// Returns CS:IP of the first module with a start address.
fn entry(
    program: &Program,
    layout: &Layout,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<(u32, u32)>, Vec<Diagnostic>> {
    let mut starts =
        program.modules.iter().enumerate().filter_map(|(n, module)| Some((n, module, module.start?)));
    let Some((number, module, start)) = starts.next() else {
        let text = "no module names a start address after END: the program begins at its first byte";
        warnings.push(Diagnostic::warning("link", text));
        return Ok(None);
    };
    for (_, other, _) in starts {
        let text = format!("its start address is ignored, because {} has one", module.origin);
        warnings.push(Diagnostic::warning(&other.origin, text));
    }
    let wrong = |text: &str| vec![start.record.error(&module.origin, text)];
    let target = layout.target(program, number, start.target);
    let target = target.ok_or_else(|| wrong("the start address is not in the program"))?;
    let frame = layout.frame(program, number, start.frame, Some(target), target);
    let (frame, _) = frame.ok_or_else(|| wrong("the start address has no segment"))?;
    let address = target.address.wrapping_add(start.displacement);
    match address.checked_sub(frame * 16) {
        Some(offset) if offset <= 0xFFFF && target.relocatable => Ok(Some((frame, offset))),
        _ => Err(wrong("the start address is outside its segment")),
    }
}

fn com(entry: Option<(u32, u32)>, memory: &[u8], relocations: &[u32]) -> Result<Vec<u8>, Diagnostic> {
    let error = |text: String| Err(Diagnostic::error("link", text));
    if entry != Some((0, COM_START)) {
        return error(
            "a COM program must begin at 100h of its only segment: write org 100h, and END with that label"
                .into(),
        );
    }
    if let Some(at) = relocations.first() {
        return error(format!("a COM program cannot contain a segment number, as at {at:05X}h"));
    }
    let Some((before, code)) = memory.split_at_checked(COM_START as usize) else {
        return error("the program has no code".into());
    };
    if before.iter().any(|&byte| byte != 0) {
        return error("there is data below 100h, where a COM program has its PSP".into());
    }
    if code.len() > LARGEST_COM {
        return error(format!("a COM program of {} bytes: the limit is {LARGEST_COM}", code.len()));
    }
    Ok(code.to_vec())
}

fn exe(
    (cs, ip): (u32, u32),
    memory: &[u8],
    end: u32,
    relocations: &[u32],
    stack: Option<&Section>,
) -> Vec<u8> {
    let table = HEADER_WORDS * 2;
    let header = (table + 4 * relocations.len() as u32).next_multiple_of(16);
    let size = header as usize + memory.len();
    let beyond = (end as usize).saturating_sub(memory.len());
    // SP is the end of the stack segment relative to its paragraph. For a full 64 KiB it is 0,
    // because PUSH decrements first.
    let (ss, sp) = stack.map_or((0, 0), |stack| (stack.frame, (stack.end - stack.frame * 16) & 0xFFFE));
    let words: [u32; HEADER_WORDS as usize] = [
        0x5A4D,
        (size % PAGE) as u32,
        size.div_ceil(PAGE) as u32,
        relocations.len() as u32,
        header / 16,
        beyond.div_ceil(16) as u32,
        0xFFFF,
        ss,
        sp,
        0,
        ip,
        cs,
        table,
        0,
    ];
    let mut bytes: Vec<u8> = words.iter().flat_map(|&word| (word as u16).to_le_bytes()).collect();
    for &address in relocations {
        // Many pairs of segment and offset are equivalent. This one has a small offset.
        bytes.extend(((address & 0xF) as u16).to_le_bytes());
        bytes.extend(((address >> 4) as u16).to_le_bytes());
    }
    bytes.resize(header as usize, 0);
    bytes.extend(memory);
    bytes
}
