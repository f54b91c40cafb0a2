//! Program files: what an MZ header says, whether it can be true, and the image with its relocations done.
//!
//! An EXE is known by its signature, not by its name. Source: Ralf Brown's interrupt list, table 01594 (MZ header), and the rules of
//! EXEC in the MS-DOS Programmer's Reference.

use super::error::DosError;
use thiserror::Error;

/// Why a program cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// Nothing in the file.
    #[error("the program file is empty")]
    Empty,
    /// MZ, but the file ends within the header.
    #[error("the EXE header is cut off: {0} of 28 bytes")]
    HeaderCut(usize),
    /// The header says more than the file holds.
    #[error("the EXE file is cut off: its header promises {promised} bytes, the file has {present}")]
    Truncated {
        /// Bytes of header and image.
        promised: u64,
        /// Bytes of the file.
        present: u64,
    },
    /// The header contradicts itself.
    #[error("the EXE header is not valid: {0}")]
    Header(&'static str),
    /// A COM program that does not leave room in its segment.
    #[error("the COM program is too large: {0} bytes, at most {LARGEST_COM}")]
    ComTooLarge(usize),
    /// Not enough memory.
    #[error("the program needs {needed} bytes of memory, {available} are free")]
    Memory {
        /// Bytes.
        needed: u64,
        /// Bytes.
        available: u64,
    },
    /// Too long for the PSP.
    #[error("the arguments are too long for DOS: {0} characters, at most 126")]
    Tail(usize),
    /// Something in the arguments or the name that DOS has no character for.
    #[error("{0:?} cannot be written in the DOS code page 437")]
    CodePage(String),
    /// The memory chain is broken (a program ran before and has overwritten it).
    #[error("the memory chain of DOS is destroyed")]
    Chain,
}

/// Largest COM file, in bytes: DOS reads up to FF00h bytes and takes a full read for a file that is too large.
pub const LARGEST_COM: usize = 0xFEFF;

impl From<LoadError> for DosError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::ComTooLarge(_) | LoadError::Memory { .. } => DosError::InsufficientMemory,
            LoadError::Chain => DosError::ChainDestroyed,
            _ => DosError::InvalidFormat,
        }
    }
}

/// A program file, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Program<'a> {
    Com(&'a [u8]),
    Exe(Exe<'a>),
}

/// An EXE's header in words of the loader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exe<'a> {
    /// The image as the file has it, without the header.
    pub(crate) image: &'a [u8],
    /// Paragraphs that the image takes: whole pages, as DOS counts them.
    pub(crate) paragraphs: u16,
    /// Additional paragraphs, at least and at most.
    pub(crate) minimum: u16,
    pub(crate) maximum: u16,
    /// Relative to the image's segment.
    pub(crate) cs: u16,
    pub(crate) ip: u16,
    pub(crate) ss: u16,
    pub(crate) sp: u16,
    /// Where a segment is to be added: offset, segment.
    relocations: Vec<(u16, u16)>,
}

/// Looks at a program file. `size` is its whole size, of which `file` may be the beginning (a megabyte is enough: more could not be
/// loaded). `available` is the memory for it, in bytes.
///
/// # Errors
/// Everything of [`LoadError`] that the file alone tells.
pub(crate) fn parse(file: &[u8], size: u64, available: u64) -> Result<Program<'_>, LoadError> {
    match file {
        [] => Err(LoadError::Empty),
        [b'M', b'Z', ..] | [b'Z', b'M', ..] => parse_exe(file, size, available).map(Program::Exe),
        _ if size > LARGEST_COM as u64 => Err(LoadError::ComTooLarge(size as usize)),
        _ => Ok(Program::Com(file)),
    }
}

fn parse_exe(file: &[u8], size: u64, available: u64) -> Result<Exe<'_>, LoadError> {
    if file.len() < 0x1C {
        return Err(LoadError::HeaderCut(file.len()));
    }
    let word = |at: usize| u16::from_le_bytes([file[at], file[at + 1]]);
    let (last_page, pages, header_paragraphs) = (word(0x02), word(0x04), word(0x08));
    if pages == 0 {
        return Err(LoadError::Header("it has no pages"));
    }
    if last_page > 0x200 {
        return Err(LoadError::Header("its last page is longer than 512 bytes"));
    }
    let unused = if last_page == 0 { 0 } else { 0x200 - u64::from(last_page) };
    let promised = u64::from(pages) * 0x200 - unused;
    let header = u64::from(header_paragraphs) * 16;
    if header < 0x1C {
        return Err(LoadError::Header("its size is below 28 bytes"));
    }
    if header > promised {
        return Err(LoadError::Header("it is larger than the program"));
    }
    if promised > size {
        return Err(LoadError::Truncated { promised, present: size });
    }
    let all = u64::from(pages) * 32 - u64::from(header_paragraphs);
    let needed = (all + u64::from(word(0x0A)) + 0x10) * 16;
    let paragraphs = match u16::try_from(all) {
        Ok(paragraphs) if needed <= available && promised <= file.len() as u64 => paragraphs,
        _ => return Err(LoadError::Memory { needed, available }),
    };
    let (count, table) = (usize::from(word(0x06)), usize::from(word(0x18)));
    let Some(entries) = file.get(table..table + count * 4) else {
        return Err(LoadError::Header("its relocation table lies outside of the file"));
    };
    let image = &file[header as usize..promised as usize];
    let relocations: Vec<(u16, u16)> = entries
        .chunks_exact(4)
        .map(|e| (u16::from_le_bytes([e[0], e[1]]), u16::from_le_bytes([e[2], e[3]])))
        .collect();
    let outside =
        |&(offset, segment): &(u16, u16)| usize::from(segment) * 16 + usize::from(offset) + 2 > image.len();
    if relocations.iter().any(outside) {
        return Err(LoadError::Header("a relocation lies outside of the program"));
    }
    Ok(Exe {
        image,
        paragraphs,
        minimum: word(0x0A),
        maximum: word(0x0C),
        ss: word(0x0E),
        sp: word(0x10),
        ip: word(0x14),
        cs: word(0x16),
        relocations,
    })
}

impl Exe<'_> {
    /// The image for a load at `base`: each relocated word has `factor` added.
    pub(crate) fn relocated(&self, factor: u16) -> Vec<u8> {
        let mut image = self.image.to_vec();
        for &(offset, segment) in &self.relocations {
            let at = usize::from(segment) * 16 + usize::from(offset);
            let value = u16::from_le_bytes([image[at], image[at + 1]]).wrapping_add(factor);
            image[at..at + 2].copy_from_slice(&value.to_le_bytes());
        }
        image
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of 32 bytes for `image` bytes, with words changed.
    fn exe(image: usize, changes: &[(usize, u16)]) -> Vec<u8> {
        let total = 32 + image;
        let mut file = vec![0; total];
        let mut put = |at: usize, value: u16| file[at..at + 2].copy_from_slice(&value.to_le_bytes());
        put(0, 0x5A4D);
        put(2, (total % 512) as u16);
        put(4, total.div_ceil(512) as u16);
        put(8, 2);
        put(0x0C, 0xFFFF);
        put(0x18, 0x1C);
        for &(at, value) in changes {
            put(at, value);
        }
        file
    }

    #[test]
    fn headers_that_lie() {
        for (name, file, expected) in [
            ("empty", vec![], "the program file is empty"),
            ("two bytes", b"MZ".to_vec(), "the EXE header is cut off: 2 of 28 bytes"),
            ("no pages", exe(100, &[(4, 0)]), "the EXE header is not valid: it has no pages"),
            (
                "page",
                exe(100, &[(2, 513)]),
                "the EXE header is not valid: its last page is longer than 512 bytes",
            ),
            (
                "truncated",
                exe(100, &[(4, 9)]),
                "the EXE file is cut off: its header promises 4228 bytes, the file has 132",
            ),
            (
                "header large",
                exe(100, &[(8, 9)]),
                "the EXE header is not valid: it is larger than the program",
            ),
            ("header small", exe(100, &[(8, 1)]), "the EXE header is not valid: its size is below 28 bytes"),
            (
                "table",
                exe(100, &[(6, 2), (0x18, 130)]),
                "the EXE header is not valid: its relocation table lies outside of the file",
            ),
            (
                "relocation",
                exe(100, &[(6, 1), (0x1C, 99), (0x1E, 0)]),
                "the EXE header is not valid: a relocation lies outside of the program",
            ),
            (
                "memory",
                exe(100, &[(0x0A, 0xFFFF)]),
                "the program needs 1049296 bytes of memory, 600000 are free",
            ),
            ("com", vec![0x90; 0xFF00], "the COM program is too large: 65280 bytes, at most 65279"),
        ] {
            let error = parse(&file, file.len() as u64, 600_000).unwrap_err();
            assert_eq!(error.to_string(), expected, "{name}");
        }
    }

    #[test]
    fn signatures() {
        for (first, second, is_exe) in
            [(b'M', b'Z', true), (b'Z', b'M', true), (b'M', b'X', false), (0xEB, 0, false)]
        {
            let mut file = exe(100, &[]);
            (file[0], file[1]) = (first, second);
            let program = parse(&file, file.len() as u64, 600_000).unwrap();
            assert_eq!(matches!(program, Program::Exe(_)), is_exe);
        }
    }

    #[test]
    fn relocations_are_added() {
        let mut file = exe(100, &[(6, 2), (0x1C, 98), (0x1E, 0)]);
        // The second entry overlaps the image's first bytes: the header ends at 32.
        file[32] = 1;
        file[33] = 0;
        let Program::Exe(exe) = parse(&file, file.len() as u64, 600_000).unwrap() else { panic!("an EXE") };
        let image = exe.relocated(0x1234);
        assert_eq!(image[98..100], [0x34, 0x12]);
        assert_eq!(image[1..3], [0x34, 0x12]);
    }
}
