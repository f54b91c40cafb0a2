//! RAM, the map of decoded bytes, and the pages that are unchanged since the last snapshot.
//!
//! 1 MiB and the HMA, addressed physically: the address map applies the A20 gate, ROM and video
//! memory. Every write checks one table of flags per granule. A set flag takes the slow path, which
//! detects changed code, watched bytes and the first write to a page since the last snapshot.

use super::pages::{Pages, Saved};
use oxbox_cpu::PlainMemory;
use serde::{Serialize, Serializer};
use std::ops::Range;

/// Returns the linear address of `segment:offset`.
pub const fn linear(segment: u16, offset: u16) -> u32 {
    segment as u32 * 16 + offset as u32
}

/// Size of memory in bytes: 1 MiB and the 64 KiB from FFFF:0010.
pub(crate) const SIZE: usize = 0x11_0000;
/// Size in bytes of a granule in the map of decoded bytes. Granules are small because programs keep
/// variables beside their code.
const GRANULE: usize = PlainMemory::GRANULE;
const GRANULES: usize = SIZE / GRANULE;
/// Size of a page in bytes.
const PAGE: usize = 4096;
/// Granule flag: one of its bytes, or one of the first bytes of the next granule, has been decoded.
const CODE: u8 = PlainMemory::BESIDE_CODE;
/// Granule flag: its page is clean.
const CLEAN: u8 = 0x02;
/// Flag of a page's last granule: the next page is clean.
const NEXT_CLEAN: u8 = 0x04;
/// Granule flag: one of its bytes, or one of the first bytes of the next granule, is watched.
const WATCHED: u8 = 0x08;
/// The maximum size of one write in bytes: an interrupt pushes six.
const LONGEST_WRITE: usize = 8;
/// The maximum number of written ranges. Further ones are reported as a write to all code.
const MOST_WRITES: usize = 4096;

pub(super) type SavedMemory = Saved<u8, SIZE, PAGE>;

/// 1 MiB and the HMA. Host code (BIOS, DOS, loader) uses these methods too, so that every write to
/// decoded code is detected.
#[derive(Debug, Clone)]
pub struct Memory {
    pages: Pages<u8, SIZE, PAGE>,
    /// If not 0, a write that begins in this granule takes the slow path. One check is enough for a
    /// write of up to [`LONGEST_WRITE`] bytes.
    granule_flags: Box<[u8; GRANULES]>,
    code: CodeMap,
    lookout: WatchList,
}

/// Watched bytes, and the number of writes to them. Not part of the state.
#[derive(Debug, Clone, Default)]
struct WatchList {
    bytes: Vec<Range<u32>>,
    writes: u64,
}

/// The decoded bytes, and those of them that have been written since.
#[derive(Debug, Clone)]
struct CodeMap {
    /// One bit per decoded byte, for each granule.
    bytes: Box<[u16; GRANULES]>,
    writes: Vec<(u32, u32)>,
    written: bool,
}

/// Returns a table with one value per granule. Entries that stay zero cost the host no memory.
fn granules<T: Copy>(value: T) -> Box<[T; GRANULES]> {
    let table = vec![value; GRANULES].into_boxed_slice();
    table.try_into().unwrap_or_else(|_| unreachable!("the length is GRANULES"))
}

impl CodeMap {
    fn new() -> Self {
        CodeMap { bytes: granules(0), writes: Vec::new(), written: false }
    }

    /// Whether any of the `N` bytes may have been decoded.
    #[inline(always)]
    fn may_hold<const N: usize>(&self, at: usize) -> bool {
        let next = self.bytes.get(at / GRANULE + 1).copied().unwrap_or(0);
        let bits = u32::from(self.bytes[at / GRANULE]) | u32::from(next) << GRANULE;
        bits >> (at % GRANULE) & const { (1u32 << N) - 1 } != 0
    }

    /// Records a write of `len` bytes near decoded code.
    #[cold]
    #[inline(never)]
    fn note(&mut self, address: u32, len: u32) {
        for here in address..address + len {
            let at = here as usize;
            let Some(mask) = self.bytes.get_mut(at / GRANULE) else { return };
            let bit = 1 << (at % GRANULE);
            if *mask & bit != 0 {
                *mask &= !bit;
                self.report(here);
            }
        }
    }

    /// Records a write for each decoded byte of a page that differs before and after.
    fn note_differences(&mut self, page: usize, before: &[u8; PAGE], after: &[u8; PAGE]) {
        /// The number of granules that are checked together: most of a page is not code.
        const RUN: usize = 16;
        for run in (page * PAGE..(page + 1) * PAGE).step_by(RUN * GRANULE) {
            if self.bytes[run / GRANULE..][..RUN].iter().fold(0, |all, bits| all | bits) == 0 {
                continue;
            }
            for at in run..run + RUN * GRANULE {
                if before[at % PAGE] != after[at % PAGE] {
                    self.note(at as u32, 1);
                }
            }
        }
    }

    fn report(&mut self, address: u32) {
        self.written = true;
        let is_full = self.writes.len() >= MOST_WRITES;
        match self.writes.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(address) => *last = address,
            _ if is_full => self.report_all(),
            _ => self.writes.push((address, address)),
        }
    }

    fn report_all(&mut self) {
        self.written = true;
        self.writes.clear();
        self.writes.push((0, u32::MAX));
    }
}

impl Memory {
    /// Returns memory filled with zeros.
    pub fn new() -> Self {
        let mut granule_flags = granules(CLEAN);
        granule_flags
            .iter_mut()
            .skip(PAGE / GRANULE - 1)
            .step_by(PAGE / GRANULE)
            .for_each(|mark| *mark |= NEXT_CLEAN);
        Memory { pages: Pages::new(), granule_flags, code: CodeMap::new(), lookout: WatchList::default() }
    }

    /// Reads a byte of RAM or ROM (not of video memory). Returns FFh past the end.
    #[inline(always)]
    pub fn read8(&self, address: u32) -> u8 {
        self.pages.cells().get(address as usize).copied().unwrap_or(0xFF)
    }

    /// Reads a word, low byte first.
    #[inline(always)]
    pub fn read16(&self, address: u32) -> u16 {
        match self.array(address) {
            Some(bytes) => u16::from_le_bytes(bytes),
            None => u16::from_le_bytes([self.read8(address), 0xFF]),
        }
    }

    /// Reads a doubleword, low byte first.
    #[inline(always)]
    pub fn read32(&self, address: u32) -> u32 {
        match self.array(address) {
            Some(bytes) => u32::from_le_bytes(bytes),
            None => u32::from(self.read16(address)) | u32::from(self.read16(address.wrapping_add(2))) << 16,
        }
    }

    /// Returns the bytes at `address` if all of them exist.
    #[inline(always)]
    pub fn array<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        let at = address as usize;
        if at > SIZE - N {
            return None;
        }
        self.pages.cells()[at..at + N].try_into().ok()
    }

    /// Writes a byte. Does nothing past the end.
    #[inline(always)]
    pub fn write8(&mut self, address: u32, value: u8) {
        self.put(address, [value]);
    }

    /// Writes a word, low byte first.
    #[inline(always)]
    pub(crate) fn write16(&mut self, address: u32, value: u16) {
        self.put(address, value.to_le_bytes());
    }

    /// Writes a doubleword, low byte first.
    #[inline(always)]
    pub(crate) fn write32(&mut self, address: u32, value: u32) {
        self.put(address, value.to_le_bytes());
    }

    #[inline(always)]
    fn put<const N: usize>(&mut self, address: u32, bytes: [u8; N]) {
        let at = address as usize;
        if at > SIZE - N {
            return self.put_at_end(address, &bytes);
        }
        let mark = self.granule_flags[at / GRANULE];
        if mark != 0 {
            if mark & !CODE != 0 {
                self.touch(at, N);
            }
            // Programs also patch instructions with the bytes that are already there. That changes
            // no code.
            if self.code.may_hold::<N>(at) && self.pages.cells()[at..at + N] != bytes {
                self.code.note(address, N as u32);
            }
        }
        self.pages.marked()[at..at + N].copy_from_slice(&bytes);
    }

    /// Writes if all bytes exist, no decoded byte is near and the page is already marked as
    /// written. Returns whether it did.
    #[inline(always)]
    pub(crate) fn write_plain<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let at = address as usize;
        let plain = at <= SIZE - N && self.granule_flags[at / GRANULE] == 0;
        if plain {
            self.pages.marked()[at..at + N].copy_from_slice(&bytes);
        }
        plain
    }

    /// Like [`Self::write_plain`], but decoded bytes may be near if the write does not change them.
    #[inline(always)]
    pub(crate) fn write_beside_code<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let at = address as usize;
        if at > SIZE - N || self.granule_flags[at / GRANULE] != CODE {
            return false;
        }
        if self.code.may_hold::<N>(at) {
            return self.pages.cells()[at..at + N] == bytes;
        }
        self.pages.marked()[at..at + N].copy_from_slice(&bytes);
        true
    }

    /// Slow path of a write. Marks a clean page, or both pages at a boundary, as written. Counts a
    /// write that touches watched bytes.
    #[cold]
    #[inline(never)]
    fn touch(&mut self, at: usize, len: usize) {
        if self.granule_flags[at / GRANULE] & WATCHED != 0 {
            let (first, end) = (at as u32, (at + len) as u32);
            let hit = |bytes: &Range<u32>| bytes.start < end && first < bytes.end;
            self.lookout.writes += u64::from(self.lookout.bytes.iter().any(hit));
        }
        self.mark_page(at / PAGE);
        if self.granule_flags[at / GRANULE] & NEXT_CLEAN != 0 {
            self.mark_page(at / PAGE + 1);
        }
    }

    fn mark_page(&mut self, page: usize) {
        let (first, end) = (page * PAGE, (page + 1) * PAGE);
        if first >= SIZE || self.pages.is_written(first) {
            return;
        }
        self.pages.mark(first);
        self.granule_flags[first / GRANULE..end / GRANULE].iter_mut().for_each(|mark| *mark &= !CLEAN);
        if let Some(before) = (first / GRANULE).checked_sub(1) {
            self.granule_flags[before] &= !NEXT_CLEAN;
        }
    }

    #[cold]
    #[inline(never)]
    fn put_at_end(&mut self, address: u32, bytes: &[u8]) {
        for (at, &byte) in (u64::from(address)..SIZE as u64).zip(bytes) {
            self.put(at as u32, [byte]);
        }
    }

    /// Returns a copy of `len` bytes.
    pub fn read_bytes(&self, address: u32, len: usize) -> Vec<u8> {
        (address..).take(len).map(|at| self.read8(at)).collect()
    }

    /// Copies bytes into memory.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) {
        if let Some(place) = self.slice_mut(address, bytes.len()) {
            return place.copy_from_slice(bytes);
        }
        for (at, &byte) in (address..).zip(bytes) {
            self.write8(at, byte);
        }
    }

    /// Returns the `len` bytes at `address` if all of them exist.
    #[inline]
    pub fn slice(&self, address: u32, len: usize) -> Option<&[u8]> {
        let at = address as usize;
        self.pages.cells().get(at..at.checked_add(len)?)
    }

    /// Returns the `len` bytes for writing; `None` if one in or near them is decoded or watched.
    #[inline]
    pub(crate) fn slice_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        let at = address as usize;
        let end = at.checked_add(len)?;
        let granule_flags = self.granule_flags.get(at / GRANULE..end.div_ceil(GRANULE))?;
        // One pass without an early exit: the compiler turns it into a few wide instructions.
        let all = granule_flags.iter().fold(0, |all, mark| all | mark);
        if all & (CODE | WATCHED) != 0 {
            return None;
        }
        if all != 0 {
            (at / PAGE..end.div_ceil(PAGE)).for_each(|page| self.mark_page(page));
        }
        self.pages.marked().get_mut(at..end)
    }

    /// Returns the first bytes of memory, and their flags.
    #[inline]
    pub(crate) fn plain(&mut self, len: usize, direct_from: u32) -> PlainMemory<'_> {
        let code = &self.code.bytes[..];
        let cells = &mut self.pages.marked()[..len];
        PlainMemory { cells, direct_from, granule_flags: &self.granule_flags[..], code }
    }

    /// Returns all of memory.
    pub fn bytes(&self) -> &[u8] {
        self.pages.cells()
    }

    /// Marks the bytes `address..address + len` as decoded, so that writes to them are reported.
    pub(crate) fn watch_code(&mut self, address: u32, len: u32) {
        for at in (address..address.saturating_add(len)).map(|at| at as usize) {
            let Some(mask) = self.code.bytes.get_mut(at / GRANULE) else { return };
            *mask |= 1 << (at % GRANULE);
            self.granule_flags[at / GRANULE] |= CODE;
            if at % GRANULE < LONGEST_WRITE - 1 && at >= GRANULE {
                self.granule_flags[at / GRANULE - 1] |= CODE;
            }
        }
    }

    /// Whether a decoded byte has been written since [`Memory::take_code_writes`].
    #[inline(always)]
    pub(crate) fn code_written(&self) -> bool {
        self.code.written
    }

    /// Passes on and clears the ranges (first and last address) of decoded bytes that have been
    /// written. Written bytes are not watched any more. After [`Memory::report_all_code`] all watched
    /// bytes stay watched.
    pub(crate) fn take_code_writes(&mut self, mut drop_range: impl FnMut(u32, u32)) {
        for &(first, last) in &self.code.writes {
            drop_range(first, last);
        }
        self.code.writes.clear();
        self.code.written = false;
    }

    /// Starts to count writes to these bytes, and only these.
    pub fn watch_writes(&mut self, bytes: &[Range<u32>]) {
        self.granule_flags.iter_mut().for_each(|mark| *mark &= !WATCHED);
        for range in bytes {
            let (first, end) = (range.start as usize, (range.end as usize).min(SIZE));
            if first < end {
                let begin = first.saturating_sub(LONGEST_WRITE - 1) / GRANULE;
                self.granule_flags[begin..end.div_ceil(GRANULE)].iter_mut().for_each(|mark| *mark |= WATCHED);
            }
        }
        self.lookout = WatchList { bytes: bytes.to_vec(), writes: 0 };
    }

    /// The number of writes to the bytes of [`Memory::watch_writes`], by the program or the host.
    pub fn watched_writes(&self) -> u64 {
        self.lookout.writes
    }

    /// For each 4,096-byte page, whether it may have been written since the last save or restore.
    pub(crate) fn written_pages(&self) -> &[bool] {
        self.pages.written()
    }

    /// Returns memory as stored in a snapshot. The map of decoded bytes is derived and not stored.
    pub(super) fn save(&mut self) -> SavedMemory {
        let granule_flags = &mut self.granule_flags;
        self.pages.save(|page| mark_clean(granule_flags, page))
    }

    /// Returns the addresses of bytes that differ from the snapshot.
    pub(super) fn differing<'a>(&'a self, saved: &'a SavedMemory) -> impl Iterator<Item = u32> + 'a {
        /// Few bytes of a page differ: equal lines are skipped as a whole.
        const LINE: usize = 64;
        self.pages.differing(saved).flat_map(|(page, now, then)| {
            let lines = now.as_chunks::<LINE>().0.iter().zip(then.as_chunks::<LINE>().0);
            let lines = lines.zip((page * PAGE..).step_by(LINE)).filter(|((now, then), _)| now != then);
            lines.flat_map(|((now, then), start)| {
                let bytes = now.iter().zip(then).zip(start as u32..);
                bytes.filter(|((now, then), _)| now != then).map(|(_, at)| at)
            })
        })
    }

    /// Restores a snapshot. Decoded bytes that change count as written.
    pub(super) fn restore(&mut self, saved: &SavedMemory) {
        let Memory { pages, granule_flags, code, lookout: _ } = self;
        pages.restore(
            saved,
            |page, before, after| code.note_differences(page, before, after),
            |page| mark_clean(granule_flags, page),
        );
    }

    /// Reports all decoded code as written, after the address map has changed (A20).
    pub(crate) fn report_all_code(&mut self) {
        self.code.report_all();
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

/// Marks the page as equal to the last snapshot.
fn mark_clean(granule_flags: &mut [u8; GRANULES], page: usize) {
    let first = page * PAGE / GRANULE;
    granule_flags[first..first + PAGE / GRANULE].iter_mut().for_each(|mark| *mark |= CLEAN);
    if let Some(before) = first.checked_sub(1) {
        granule_flags[before] |= NEXT_CLEAN;
    }
}

/// For the state hash: memory is represented by its own hash.
impl Serialize for Memory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.pages.hash())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(memory: &mut Memory) -> Vec<(u32, u32)> {
        let mut ranges = Vec::new();
        memory.take_code_writes(|first, last| ranges.push((first, last)));
        ranges
    }

    #[test]
    fn reports_writes_to_decoded_bytes_only() {
        type Write = fn(&mut Memory);
        let rows: [(&str, Write, &[(u32, u32)]); 9] = [
            ("before", |m| m.write8(0x13F, 1), &[]),
            ("behind", |m| m.write8(0x144, 1), &[]),
            ("first", |m| m.write8(0x140, 1), &[(0x140, 0x140)]),
            ("word into it from the granule before", |m| m.write16(0x13F, 1), &[(0x140, 0x140)]),
            ("dword into it from the granule before", |m| m.write32(0x13D, 1), &[(0x140, 0x140)]),
            ("word behind", |m| m.write16(0x144, 1), &[]),
            ("dword over its end", |m| m.write32(0x142, 1), &[(0x142, 0x143)]),
            ("bytes over it", |m| m.write_bytes(0x13E, &[1; 10]), &[(0x140, 0x143)]),
            ("what is there already", |m| m.write32(0x140, 0), &[]),
        ];
        for (name, write, expected) in rows {
            let mut memory = Memory::new();
            memory.watch_code(0x140, 4);
            write(&mut memory);
            assert_eq!(memory.code_written(), !expected.is_empty(), "{name}");
            assert_eq!(reported(&mut memory), expected, "{name}");
            write(&mut memory);
            assert!(!memory.code_written(), "{name}: reported twice");
        }
    }

    #[test]
    fn what_a_restore_changes_counts_as_written() {
        let mut memory = Memory::new();
        let start = memory.save();
        for at in [0x13F, 0x141, 0x142, 0x144, 0x1001] {
            memory.write8(at, 1);
        }
        memory.watch_code(0x140, 4);
        memory.watch_code(0x1000, 2);
        memory.restore(&start);
        assert_eq!(reported(&mut memory), [(0x141, 0x142), (0x1001, 0x1001)]);
        assert_eq!(memory.read8(0x13F), 0);
        memory.write8(0x140, 1);
        assert_eq!(reported(&mut memory), [(0x140, 0x140)], "still watched");
    }

    #[test]
    fn every_way_to_write_is_undone() {
        type Write = fn(&mut Memory);
        let rows: [(&str, Write); 8] = [
            ("byte", |m| m.write8(0x2000, 1)),
            ("word over a page's end", |m| m.write16(0x1FFF, 0x0101)),
            ("dword over a page's end", |m| m.write32(0x1FFD, 0x0101_0101)),
            ("dword up to a page's end, then the next page", |m| {
                m.write32(0x1FFC, 1);
                m.write8(0x2000, 1);
            }),
            ("plain after the first", |m| {
                assert!(!m.write_plain(0x2000, [1]), "a clean page");
                m.write8(0x2000, 1);
                assert!(m.write_plain(0x2001, [1]) && m.write_plain(0x2F00, [1; 8]));
            }),
            ("bytes", |m| m.write_bytes(0x1F00, &[1; 0x2000])),
            ("slice", |m| m.slice_mut(0x1F00, 0x2000).unwrap().fill(1)),
            ("the last byte", |m| m.write16(SIZE as u32 - 1, 0x0101)),
        ];
        for (name, write) in rows {
            let mut memory = Memory::new();
            for round in 0..3 {
                let saved = memory.save();
                let (before, hash) = (memory.bytes().to_vec(), memory.pages.hash());
                write(&mut memory);
                assert!(memory.bytes() != before && memory.pages.hash() != hash, "{name} {round}");
                memory.restore(&saved);
                assert!(memory.bytes() == before && memory.pages.hash() == hash, "{name} {round}");
            }
        }
    }

    #[test]
    fn a_write_after_everything_was_reported_takes_nothing_back() {
        let mut memory = Memory::new();
        memory.watch_code(0, 2);
        memory.report_all_code();
        memory.write8(0, 1);
        assert!(reported(&mut memory).contains(&(0, u32::MAX)));
        memory.write8(1, 1);
        assert_eq!(reported(&mut memory), [(1, 1)], "still watched");
    }

    #[test]
    fn gives_no_slice_over_decoded_bytes() {
        let mut memory = Memory::new();
        memory.watch_code(0x1000, 2);
        assert!(memory.slice_mut(0xF00, 0x80).is_some());
        assert!(memory.slice_mut(0xF00, 0x180).is_none());
        assert!(memory.slice_mut(0x1040, 0x80).is_some());
        assert!(memory.slice_mut(SIZE as u32 - 4, 5).is_none());
        assert!(memory.slice(SIZE as u32 - 4, 4).is_some());
    }

    #[test]
    fn nothing_is_behind_the_end() {
        let mut memory = Memory::new();
        memory.write32(SIZE as u32 - 2, 0x4433_2211);
        assert_eq!(memory.read32(SIZE as u32 - 2), 0xFFFF_2211);
        memory.write8(u32::MAX, 1);
        assert_eq!(memory.read16(u32::MAX), 0xFFFF);
    }
}
