//! Program files: the fields of an MZ header and DOS's interpretation of them.
//!
//! An EXE is recognised by its signature, not by its name. DOS counts whole pages and paragraphs:
//! it never uses the length of the last page, and a file may end up to 511 bytes before the end of
//! its last page. Sources: Ralf Brown's interrupt list, table 01594 (MZ header); EXEC of MS-DOS
//! 4.00 for its interpretation.

use super::error::ErrorCode;
use thiserror::Error;

/// The reason that a program cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file is empty.
    #[error("the program file is empty")]
    Empty,
    /// The file begins with MZ, but ends within the header.
    #[error("the EXE header is truncated: {0} of 28 bytes")]
    HeaderCut(usize),
    /// The header describes more than the file contains.
    #[error(
        "the EXE file is truncated: its header names {pages} pages of 512 bytes, the file has {present} bytes"
    )]
    Truncated {
        /// Pages of header and image.
        pages: u16,
        /// Size of the file in bytes.
        present: u64,
    },
    /// The header is inconsistent.
    #[error("the EXE header is not valid: {0}")]
    Header(&'static str),
    /// A COM program that leaves no room for the stack in its segment.
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
    /// The command tail is too long for the PSP.
    #[error("the arguments are too long for DOS: {0} characters, at most 126")]
    Tail(usize),
    /// An argument or the name contains a character that code page 437 lacks.
    #[error("{0:?} cannot be written in the DOS code page 437")]
    CodePage(String),
    /// The memory chain is broken (overwritten by a program that ran before).
    #[error("the memory chain of DOS is destroyed")]
    Chain,
}

/// The maximum size of a COM file in bytes: DOS reads up to FF00h bytes and treats a full read as a
/// file that is too large.
pub const LARGEST_COM: usize = 0xFEFF;

impl From<LoadError> for ErrorCode {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::ComTooLarge(_) | LoadError::Memory { .. } => ErrorCode::InsufficientMemory,
            LoadError::Chain => ErrorCode::ChainDestroyed,
            _ => ErrorCode::InvalidFormat,
        }
    }
}

/// A program file, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Program<'a> {
    Com(&'a [u8]),
    Exe(Exe<'a>),
}

/// The relevant fields of an EXE's header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exe<'a> {
    /// The part of the image that the file contains, without the header.
    pub(crate) image: &'a [u8],
    /// Paragraphs of the image: up to the end of the last page.
    pub(crate) paragraphs: u16,
    /// Pages according to the header, and bytes in the file.
    pages: u16,
    present: usize,
    /// Additional paragraphs, minimum and maximum.
    pub(crate) minimum: u16,
    pub(crate) maximum: u16,
    /// Relative to the image's segment.
    pub(crate) cs: u16,
    pub(crate) ip: u16,
    pub(crate) ss: u16,
    pub(crate) sp: u16,
    /// Addresses of words to which the segment is added: offset, segment.
    pub(crate) relocations: Vec<(u16, u16)>,
}

/// The bytes of a header that DOS reads; a shorter file is not an EXE.
const HEADER: usize = 0x1A;

/// Paragraphs per read if there are 1000h or more, and the bytes by which a read may be short.
const CHUNK: u32 = 0xFE0;
const SHORT: u32 = 512;

/// Parses a program file. `size` is its whole size; `file` may be only its beginning (a megabyte is
/// enough: more could not be loaded). `available` is the memory for it in paragraphs. Fails with
/// the errors of [`LoadError`] that depend only on the file.
pub(crate) fn parse(file: &[u8], size: u64, available: u16) -> Result<Program<'_>, LoadError> {
    match file {
        [] => Err(LoadError::Empty),
        [b'M', b'Z', ..] | [b'Z', b'M', ..] => {
            let exe = parse_exe(file)?;
            let needed = exe.needed();
            if needed > u32::from(available) {
                let (needed, available) = (u64::from(needed) * 16, u64::from(available) * 16);
                return Err(LoadError::Memory { needed, available });
            }
            Ok(Program::Exe(exe.whole()?))
        }
        _ if size > LARGEST_COM as u64 => Err(LoadError::ComTooLarge(size as usize)),
        _ => Ok(Program::Com(file)),
    }
}

/// Parses an EXE that is loaded at an address chosen by the caller, who owns the memory there.
/// `None` if it is not an EXE. Fails with the errors of [`LoadError`] that depend only on the file.
pub(crate) fn parse_overlay(file: &[u8]) -> Result<Option<Exe<'_>>, LoadError> {
    match file {
        [b'M', b'Z', ..] | [b'Z', b'M', ..] if file.len() >= HEADER => parse_exe(file)?.whole().map(Some),
        _ => Ok(None),
    }
}

fn parse_exe(file: &[u8]) -> Result<Exe<'_>, LoadError> {
    // DOS would run it as a COM program. But such a file has most likely been truncated.
    if file.len() < HEADER {
        return Err(LoadError::HeaderCut(file.len()));
    }
    let word = |at: usize| u16::from_le_bytes([file[at], file[at + 1]]);
    let (pages, header) = (word(0x04), word(0x08));
    let paragraphs = u32::from(pages) * 32;
    if paragraphs < u32::from(header) {
        return Err(LoadError::Header("it is larger than the program"));
    }
    // No program can have 65,536 paragraphs or more: DOS counts to 65,535 and continues from 0.
    let paragraphs = (paragraphs - u32::from(header)) as u16;
    let (count, table) = (usize::from(word(0x06)), usize::from(word(0x18)));
    let entries = if count == 0 { Some(&[][..]) } else { file.get(table..table + count * 4) };
    let entries = entries.ok_or(LoadError::Header("its relocation table is outside the file"))?;
    let begin = usize::from(header) * 16;
    let end = (begin + usize::from(paragraphs) * 16).min(file.len());
    Ok(Exe {
        image: file.get(begin..end).unwrap_or(&[]),
        paragraphs,
        pages,
        present: file.len(),
        minimum: word(0x0A),
        maximum: word(0x0C),
        ss: word(0x0E),
        sp: word(0x10),
        ip: word(0x14),
        cs: word(0x16),
        relocations: entries
            .chunks_exact(4)
            .map(|e| (u16::from_le_bytes([e[0], e[1]]), u16::from_le_bytes([e[2], e[3]])))
            .collect(),
    })
}

impl Exe<'_> {
    /// Whether it is loaded at the end of memory, all of which it gets: its header requests none
    /// beyond the image.
    pub(crate) fn loads_high(&self) -> bool {
        self.maximum == 0
    }

    /// Returns the minimum of paragraphs, with the PSP.
    fn needed(&self) -> u32 {
        let behind = if self.loads_high() { 0 } else { self.minimum };
        0x10 + u32::from(self.paragraphs) + u32::from(behind)
    }

    /// Returns the paragraphs that it gets of `free` ones: the maximum, even if below the minimum.
    pub(crate) fn wanted(&self, free: u16) -> u16 {
        let wanted = 0x10 + u32::from(self.paragraphs) + u32::from(self.maximum);
        if self.loads_high() { free } else { wanted.min(u32::from(free)) as u16 }
    }

    /// Returns itself, or an error if the file ends too early.
    fn whole(self) -> Result<Self, LoadError> {
        let mut left = u32::from(self.paragraphs);
        let mut present = self.image.len() as u32;
        while left > 0 {
            let chunk = if left < 0x1000 { left } else { CHUNK };
            let read = present.min(chunk * 16);
            if chunk * 16 - read >= SHORT {
                return Err(LoadError::Truncated { pages: self.pages, present: self.present as u64 });
            }
            (left, present) = (left - chunk, present - read);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a header of 32 bytes for `image` bytes, with changed words.
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
    fn files_that_are_not_loaded() {
        for (name, file, expected) in [
            ("empty", vec![], "the program file is empty"),
            ("two bytes", b"MZ".to_vec(), "the EXE header is truncated: 2 of 28 bytes"),
            ("no pages", exe(100, &[(4, 0)]), "the EXE header is not valid: it is larger than the program"),
            (
                "truncated",
                exe(100, &[(4, 9)]),
                "the EXE file is truncated: its header names 9 pages of 512 bytes, the file has 132 bytes",
            ),
            (
                "header large",
                exe(100, &[(8, 33)]),
                "the EXE header is not valid: it is larger than the program",
            ),
            (
                "table",
                exe(100, &[(6, 2), (0x18, 130)]),
                "the EXE header is not valid: its relocation table is outside the file",
            ),
            (
                "memory",
                exe(100, &[(0x0A, 0xFFFF)]),
                "the program needs 1049296 bytes of memory, 600000 are free",
            ),
            ("com", vec![0x90; 0xFF00], "the COM program is too large: 65280 bytes, at most 65279"),
        ] {
            let error = parse(&file, file.len() as u64, 37_500).unwrap_err();
            assert_eq!(error.to_string(), expected, "{name}");
        }
    }

    /// For an image of 1,000 bytes with a header of 32: paragraphs in memory, bytes of the image,
    /// paragraphs that it gets.
    #[test]
    fn what_dos_takes_of_a_file() {
        for (name, bytes, changes, expected) in [
            ("whole", 1000, &[][..], "94 1000 37500"),
            ("cut by 511", 993, &[(4, 3)], "94 993 37500"),
            ("last page counted to its end", 1000, &[(2, 1)], "94 1000 37500"),
            ("last page of 0", 1000, &[(2, 0)], "94 1000 37500"),
            ("last page too long", 1000, &[(2, 600)], "94 1000 37500"),
            ("more behind the last page", 3000, &[(4, 3)], "94 1504 37500"),
            ("header of no size", 1000, &[(8, 0)], "96 1032 37500"),
            ("header of one paragraph", 1000, &[(8, 1)], "95 1016 37500"),
            ("nothing but header", 0, &[(4, 1), (8, 32)], "0 0 37500"),
            ("maximum", 1000, &[(0x0C, 5)], "94 1000 115"),
            ("maximum below minimum", 1000, &[(0x0A, 50), (0x0C, 5)], "94 1000 115"),
            ("maximum beyond memory", 1000, &[(0x0C, 0xFFF0)], "94 1000 37500"),
            ("high", 1000, &[(0x0C, 0)], "94 1000 37500"),
            ("high, whatever its minimum", 1000, &[(0x0A, 0xFFFF), (0x0C, 0)], "94 1000 37500"),
        ] {
            let file = exe(bytes, changes);
            let parsed = parse(&file, file.len() as u64, 37_500);
            let Ok(Program::Exe(exe)) = parsed else { panic!("{name}: {parsed:?}") };
            let found = format!("{} {} {}", exe.paragraphs, exe.image.len(), exe.wanted(37_500));
            assert_eq!(found, expected, "{name}");
        }
    }

    /// A long file is read in parts, each of which may be short.
    #[test]
    fn where_a_long_file_may_end() {
        for (missing, loads) in [(0, true), (511, true), (512, false), (5000, false)] {
            let mut file = exe(150 * 512 - 32, &[]);
            file.truncate(file.len() - missing);
            assert_eq!(parse(&file, file.len() as u64, 37_500).is_ok(), loads, "{missing} missing");
        }
    }

    #[test]
    fn signatures() {
        for (first, second, is_exe) in
            [(b'M', b'Z', true), (b'Z', b'M', true), (b'M', b'X', false), (0xEB, 0, false)]
        {
            let mut file = exe(100, &[]);
            (file[0], file[1]) = (first, second);
            let program = parse(&file, file.len() as u64, 37_500).unwrap();
            assert_eq!(matches!(program, Program::Exe(_)), is_exe);
            assert_eq!(parse_overlay(&file).unwrap().is_some(), is_exe);
        }
    }
}
