//! Reads the fields of an OMF record (bytes, words, indices, names) and checks them against its
//! end.
//!
//! Source: Tool Interface Standards, Relocatable Object Module Format 1.1, "Record format" and "Conventions".

/// A field, or the error in the record, without its position.
pub(crate) type Field<T> = Result<T, String>;

/// The unread part of a record's contents.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(contents: &'a [u8]) -> Self {
        Self { rest: contents }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn take(&mut self, count: usize) -> Field<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(head)
            }
            None => Err("the record ends in the middle of a field".into()),
        }
    }

    pub(crate) fn all(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    pub(crate) fn byte(&mut self) -> Field<u8> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn word(&mut self) -> Field<u16> {
        Ok(self.little_endian(2)? as u16)
    }

    /// Reads a number of 1 to 4 bytes.
    pub(crate) fn little_endian(&mut self, bytes: usize) -> Field<u32> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    /// Reads an offset or a length: 4 bytes in the 32-bit form of a record, otherwise 2.
    pub(crate) fn offset(&mut self, wide: bool) -> Field<u32> {
        self.little_endian(if wide { 4 } else { 2 })
    }

    /// Reads an index: one byte up to 7Fh; otherwise two with bit 15 set, the high byte first.
    pub(crate) fn index(&mut self) -> Field<usize> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(first.into());
        }
        Ok(usize::from(first & 0x7F) << 8 | usize::from(self.byte()?))
    }

    /// Reads a length-prefixed name. Each byte becomes the character with that code.
    pub(crate) fn name(&mut self) -> Field<String> {
        let length = self.byte()?;
        Ok(self.take(length.into())?.iter().map(|&byte| char::from(byte)).collect())
    }

    /// Reads a COMDEF length: one byte up to 80h; otherwise 81h, 84h or 88h and 2, 3 or 4 bytes.
    pub(crate) fn communal_length(&mut self) -> Field<u32> {
        match self.byte()? {
            small @ 0..=0x80 => Ok(small.into()),
            0x81 => self.little_endian(2),
            0x84 => self.little_endian(3),
            0x88 => self.little_endian(4),
            other => Err(format!("a communal length cannot begin with {other:02X}h")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let mut fields = Reader::new(&[0x34, 0x12, 0x7F, 0x81, 0x02, 3, b'a', b'b', b'c', 0x84, 1, 0, 2, 9]);
        assert_eq!(fields.word(), Ok(0x1234));
        assert_eq!(fields.index(), Ok(0x7F));
        assert_eq!(fields.index(), Ok(0x102));
        assert_eq!(fields.name(), Ok("abc".into()));
        assert_eq!(fields.communal_length(), Ok(0x20001));
        assert!(fields.name().is_err(), "a name of nine bytes with none left");
    }
}
