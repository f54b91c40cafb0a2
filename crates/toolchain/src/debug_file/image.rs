//! The loaded bytes of a program file, and the data after them.

pub(super) struct Image<'a> {
    pub(super) is_com: bool,
    bytes: &'a [u8],
    /// The data after the image of an EXE.
    pub(super) trailer: &'a [u8],
}

impl Image<'_> {
    /// Splits a file. The signature identifies an EXE.
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
                let (bytes, trailer) = exe().unwrap_or_default();
                Image { is_com: false, bytes, trailer }
            }
            _ => Image { is_com: true, bytes: file, trailer: &[] },
        }
    }

    /// Returns the byte at a program address, counted as in its symbols.
    pub(super) fn byte(&self, address: u32) -> Option<u8> {
        let index = address.checked_sub(self.start())?;
        self.bytes.get(index as usize).copied()
    }

    pub(super) fn word(&self, address: u32) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(address)?, self.byte(address + 1)?]))
    }

    /// Returns the address of the first byte.
    pub(super) fn start(&self) -> u32 {
        if self.is_com { 0x100 } else { 0 }
    }

    /// Returns the address after the last byte.
    pub(super) fn end(&self) -> u32 {
        self.start() + self.bytes.len() as u32
    }
}
