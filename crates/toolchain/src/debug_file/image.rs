//! The bytes of a program as they are loaded, and what stands behind them in its file.

/// A program file, taken apart.
pub(super) struct Image<'a> {
    pub(super) is_com: bool,
    /// What is loaded.
    bytes: &'a [u8],
    /// Of an EXE: what follows its image in the file.
    pub(super) behind: &'a [u8],
}

impl Image<'_> {
    /// Of a file; an EXE is told by its signature.
    pub(super) fn of(file: &[u8]) -> Image<'_> {
        let word = |at: usize| Some(usize::from(u16::from_le_bytes(*file.get(at..)?.first_chunk::<2>()?)));
        let exe = || {
            let (last, pages, header) = (word(2)?, word(4)?, word(8)? * 16);
            let end = if last == 0 { pages * 512 } else { (pages * 512 + last).checked_sub(512)? };
            let end = end.min(file.len());
            Some((file.get(header..end)?, &file[end..]))
        };
        match file {
            [b'M', b'Z', ..] | [b'Z', b'M', ..] => {
                let (bytes, behind) = exe().unwrap_or_default();
                Image { is_com: false, bytes, behind }
            }
            _ => Image { is_com: true, bytes: file, behind: &[] },
        }
    }

    /// The byte at an address of the program, as its symbols count.
    pub(super) fn byte(&self, address: u32) -> Option<u8> {
        let index = address.checked_sub(self.start())?;
        self.bytes.get(index as usize).copied()
    }

    /// The word at an address of the program.
    pub(super) fn word(&self, address: u32) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(address)?, self.byte(address + 1)?]))
    }

    /// The address of its first byte.
    pub(super) fn start(&self) -> u32 {
        if self.is_com { 0x100 } else { 0 }
    }

    /// The address behind its last byte.
    pub(super) fn end(&self) -> u32 {
        self.start() + self.bytes.len() as u32
    }
}
