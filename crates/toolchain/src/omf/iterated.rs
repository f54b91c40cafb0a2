//! The destinations of a data record's bytes: once for LEDATA, repeated by block for LIDATA.
//!
//! A fixup names a byte of the record; [`Runs::places`] returns all its copies in the segment.
//! Source: TIS OMF 1.1, "LIDATA": blocks of a repeat count, a block count, and inner blocks or a
//! counted content.

use super::reader::{Field, Reader};

/// The deepest nesting, deeper than any translator writes: a bound for hostile files.
const DEEPEST: u32 = 64;

/// A range of a record's contents that was copied to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// Its offset in the record's contents.
    from: u32,
    /// Its offset in the segment.
    to: u32,
    length: u32,
}

/// The copied ranges of a record, in the order of the segment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Runs {
    runs: Vec<Run>,
    end: u32,
}

impl Runs {
    /// Returns the range of an LEDATA record with `length` bytes at `offset`. `room` is the number
    /// of bytes up to the end of the segment.
    pub(super) fn plain(length: usize, offset: u32, room: u32) -> Field<Self> {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        if length > room {
            return Err("the data does not fit into its segment".into());
        }
        Ok(Self { runs: vec![Run { from: 0, to: offset, length }], end: offset + length })
    }

    pub(super) fn expand(contents: &[u8], wide: bool, offset: u32, room: u32) -> Field<Self> {
        let mut expansion = Expansion { contents, wide, limit: offset + room, runs: Vec::new(), to: offset };
        let mut fields = Reader::new(contents);
        while !fields.is_empty() {
            expansion.block(&mut fields, DEEPEST)?;
        }
        Ok(Self { runs: expansion.runs, end: expansion.to })
    }

    /// Returns the offset in the segment after the last byte.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    pub(super) fn copy(&self, contents: &[u8], segment: &mut [u8]) {
        for Run { from, to, length } in &self.runs {
            let (from, to, length) = (*from as usize, *to as usize, *length as usize);
            segment[to..to + length].copy_from_slice(&contents[from..from + length]);
        }
    }

    /// Returns the offsets in the segment of all copies of the `width` bytes at `at` of the record.
    pub(super) fn places(&self, at: u32, width: u32) -> impl Iterator<Item = u32> + '_ {
        self.runs
            .iter()
            .filter(move |run| at >= run.from && at + width <= run.from + run.length)
            .map(move |run| run.to + (at - run.from))
    }
}

struct Expansion<'a> {
    contents: &'a [u8],
    wide: bool,
    /// The end of the segment.
    limit: u32,
    runs: Vec<Run>,
    to: u32,
}

impl Expansion<'_> {
    fn block(&mut self, fields: &mut Reader<'_>, depth: u32) -> Field<()> {
        if depth == 0 {
            return Err("the blocks of repeated data are nested too deeply".into());
        }
        let repeat = fields.offset(self.wide)?;
        let inner = fields.word()?;
        let from = (self.contents.len() - fields.left()) as u32;
        if inner == 0 {
            let length = u32::from(fields.byte()?);
            fields.take(length as usize)?;
            return self.repeat(repeat, &[Run { from: from + 1, to: 0, length }], length);
        }
        let (first, start) = (self.runs.len(), self.to);
        for _ in 0..inner {
            self.block(fields, depth - 1)?;
        }
        // The inner blocks produced one repetition of this block.
        let length = self.to - start;
        let turn: Vec<Run> = self.runs.drain(first..).map(|run| Run { to: run.to - start, ..run }).collect();
        self.to = start;
        self.repeat(repeat, &turn, length)
    }

    fn repeat(&mut self, count: u32, turn: &[Run], length: u32) -> Field<()> {
        if length == 0 || count == 0 {
            return Ok(());
        }
        let room = self.limit - self.to;
        if u64::from(count) * u64::from(length) > u64::from(room) {
            return Err("the repeated data does not fit into its segment".into());
        }
        for _ in 0..count {
            let to = self.to;
            self.runs
                .extend(turn.iter().filter(|run| run.length > 0).map(|run| Run { to: to + run.to, ..*run }));
            self.to += length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_blocks_expand_and_tell_where_a_byte_went() {
        // Two times: (three times "ab"), (once "c").
        let contents = [2, 0, 2, 0, 3, 0, 0, 0, 2, b'a', b'b', 1, 0, 0, 0, 1, b'c'];
        let runs = Runs::expand(&contents, false, 4, 100).unwrap();
        let mut segment = vec![b'.'; runs.end() as usize];
        runs.copy(&contents, &mut segment);
        assert_eq!(String::from_utf8_lossy(&segment), "....abababcabababc");
        assert_eq!(runs.places(9, 2).collect::<Vec<_>>(), [4, 6, 8, 11, 13, 15]);
        assert!(runs.places(10, 2).next().is_none(), "b and what follows it are not together");
    }

    #[test]
    fn hostile_counts_are_refused() {
        let rows: [(&str, &[u8]); 4] = [
            ("does not fit", &[0xFF, 0xFF, 1, 0, 0xFF, 0xFF, 0, 0, 1, 0]),
            ("does not fit", &[0xFF, 0xFF, 0, 0, 2, 0, 0]),
            ("ends in the middle", &[1, 0, 0xFF, 0xFF, 1, 0]),
            ("nested too deeply", &[1, 0].repeat(200)),
        ];
        for (expected, contents) in rows {
            let error = Runs::expand(contents, false, 0, 0x10000).unwrap_err();
            assert!(error.contains(expected), "{error:?} for {contents:02X?}");
        }
    }
}
