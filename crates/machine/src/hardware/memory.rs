//! RAM, which of its bytes have been decoded, and which pages the last snapshot still holds as they are.
//!
//! 1 MiB and the HMA, addressed physically: the A20 gate, ROM and video memory are the address map's business. Every
//! write, whoever makes it, looks at one table of marks: it sends writes near decoded code, so that changed code is noticed, and
//! the first write to a clean page, so that the next save knows of it, past the quick way.

use super::pages::{Pages, Saved};
use oxbox_cpu::PlainMemory;
use serde::{Serialize, Serializer};
use std::ops::Range;

/// The linear address of `segment:offset`.
pub fn linear(segment: u16, offset: u16) -> u32 {
    u32::from(segment) * 16 + u32::from(offset)
}

/// Bytes of memory: 1 MiB and the 64 KiB that FFFF:0010 and up reach.
pub(crate) const SIZE: usize = 0x11_0000;
/// Bytes a granule of the map of decoded bytes stands for: few, since programs have variables beside their code.
const GRANULE: usize = PlainMemory::GRANULE;
const GRANULES: usize = SIZE / GRANULE;
/// Bytes of a page.
const PAGE: usize = 4096;
/// Mark of a granule: a byte of it, or one of the first few of the next, has been decoded.
const CODE: u8 = PlainMemory::BESIDE_CODE;
/// Mark of a granule: its page is clean.
const CLEAN: u8 = 0x02;
/// Mark of a page's last granule: the next page is clean.
const NEXT_CLEAN: u8 = 0x04;
/// Mark of a granule: a byte of it, or one of the first few of the next, is looked after.
const LOOKED_AFTER: u8 = 0x08;
/// Bytes that are written at once at most: an interrupt pushes six.
const LONGEST_WRITE: usize = 8;
/// Written ranges kept one by one; more are reported as a write to everything.
const MOST_WRITES: usize = 4096;

/// RAM as a snapshot holds it.
pub(super) type SavedMemory = Saved<u8, SIZE, PAGE>;

/// 1 MiB and the HMA. Host code (BIOS, DOS, loader) uses these methods too, so that a write to decoded code is
/// noticed whoever makes it.
#[derive(Debug, Clone)]
pub struct Memory {
    pages: Pages<u8, SIZE, PAGE>,
    /// Not 0: a write that begins in this granule is not a plain one. One look here is enough for a write of up to
    /// [`LONGEST_WRITE`].
    granule_flags: Box<[u8; GRANULES]>,
    code: CodeMap,
    lookout: Lookout,
}

/// Bytes that somebody looks after, and how often they have been written. No state: nothing of it is saved or restored.
#[derive(Debug, Clone, Default)]
struct Lookout {
    bytes: Vec<Range<u32>>,
    writes: u64,
}

/// Which bytes have been decoded, and which of those have been written since.
#[derive(Debug, Clone)]
struct CodeMap {
    /// A bit for each decoded byte of a granule.
    bytes: Box<[u16; GRANULES]>,
    writes: Vec<(u32, u32)>,
    written: bool,
}

/// A table of a value for each granule. What stays zero costs the host no memory.
fn granules<T: Copy>(value: T) -> Box<[T; GRANULES]> {
    let table = vec![value; GRANULES].into_boxed_slice();
    table.try_into().unwrap_or_else(|_| unreachable!("the length is GRANULES"))
}

/// By a place in a granule: the bits of `N` bytes from there on.
const fn masks<const N: usize>() -> [u16; GRANULE] {
    let mut masks = [0; GRANULE];
    let mut at = 0;
    while at < GRANULE {
        masks[at] = (((1 << N) - 1) << at) as u16;
        at += 1;
    }
    masks
}

impl CodeMap {
    fn new() -> Self {
        CodeMap { bytes: granules(0), writes: Vec::new(), written: false }
    }

    /// False when none of `len` bytes is a decoded one.
    #[inline(always)]
    fn may_hold<const N: usize>(&self, at: usize) -> bool {
        self.bytes[at / GRANULE] & const { masks::<N>() }[at % GRANULE] != 0 || at % GRANULE + N > GRANULE
    }

    /// Notes a write of `len` bytes near decoded code.
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

    /// Notes a write of each decoded byte of a page that is not the same before and after.
    fn note_differences(&mut self, page: usize, before: &[u8; PAGE], after: &[u8; PAGE]) {
        /// Granules that are looked at together: most of a page is no code.
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
    /// All zero.
    pub fn new() -> Self {
        let mut granule_flags = granules(CLEAN);
        granule_flags
            .iter_mut()
            .skip(PAGE / GRANULE - 1)
            .step_by(PAGE / GRANULE)
            .for_each(|mark| *mark |= NEXT_CLEAN);
        Memory { pages: Pages::new(), granule_flags, code: CodeMap::new(), lookout: Lookout::default() }
    }

    /// Reads a byte of RAM or ROM (not of video memory). FFh past the end.
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

    /// The bytes at `address`, if all exist.
    #[inline(always)]
    pub fn array<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        let at = address as usize;
        if at > SIZE - N {
            return None;
        }
        self.pages.cells()[at..at + N].try_into().ok()
    }

    /// Writes a byte; past the end nothing.
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
            // Programs patch instructions with what is already there, too: that changes no code.
            if self.code.may_hold::<N>(at) && self.pages.cells()[at..at + N] != bytes {
                self.code.note(address, N as u32);
            }
        }
        self.pages.marked()[at..at + N].copy_from_slice(&bytes);
    }

    /// Writes only where all bytes exist, none of them is near a decoded one and the page has been written before; says whether
    /// it has done so.
    #[inline(always)]
    pub(crate) fn write_plain<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let at = address as usize;
        let plain = at <= SIZE - N && self.granule_flags[at / GRANULE] == 0;
        if plain {
            self.pages.marked()[at..at + N].copy_from_slice(&bytes);
        }
        plain
    }

    /// The same where decoded bytes may be near, but are not touched.
    #[inline(always)]
    pub(crate) fn write_beside_code<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        let at = address as usize;
        let beside =
            at <= SIZE - N && self.granule_flags[at / GRANULE] == CODE && !self.code.may_hold::<N>(at);
        if beside {
            self.pages.marked()[at..at + N].copy_from_slice(&bytes);
        }
        beside
    }

    /// The first write to a clean page, or at the end of one before a clean page: marks both as written. A write near bytes that are
    /// looked after: counts it if it meets them.
    #[cold]
    #[inline(never)]
    fn touch(&mut self, at: usize, len: usize) {
        if self.granule_flags[at / GRANULE] & LOOKED_AFTER != 0 {
            let (first, end) = (at as u32, (at + len) as u32);
            let hit = |bytes: &Range<u32>| bytes.start < end && first < bytes.end;
            self.lookout.writes += u64::from(self.lookout.bytes.iter().any(hit));
        }
        self.mark_page(at / PAGE);
        if self.granule_flags[at / GRANULE] & NEXT_CLEAN != 0 {
            self.mark_page(at / PAGE + 1);
        }
    }

    /// The page will have been written.
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

    /// Copies bytes out.
    pub fn read_bytes(&self, address: u32, len: usize) -> Vec<u8> {
        (address..).take(len).map(|at| self.read8(at)).collect()
    }

    /// Copies bytes in.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) {
        if let Some(place) = self.slice_mut(address, bytes.len()) {
            return place.copy_from_slice(bytes);
        }
        for (at, &byte) in (address..).zip(bytes) {
            self.write8(at, byte);
        }
    }

    /// `len` bytes at `address`, if all of them exist.
    #[inline]
    pub fn slice(&self, address: u32, len: usize) -> Option<&[u8]> {
        let at = address as usize;
        self.pages.cells().get(at..at.checked_add(len)?)
    }

    /// The same for writing; nothing where a byte of them has been decoded or is looked after (or nearly).
    #[inline]
    pub(crate) fn slice_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        let at = address as usize;
        let end = at.checked_add(len)?;
        let granule_flags = self.granule_flags.get(at / GRANULE..end.div_ceil(GRANULE))?;
        // One pass without a way out in the middle: the compiler makes it a few wide instructions.
        let all = granule_flags.iter().fold(0, |all, mark| all | mark);
        if all & (CODE | LOOKED_AFTER) != 0 {
            return None;
        }
        if all != 0 {
            (at / PAGE..end.div_ceil(PAGE)).for_each(|page| self.mark_page(page));
        }
        self.pages.marked().get_mut(at..end)
    }

    /// The first bytes of memory, and their marks.
    #[inline]
    pub(crate) fn plain(&mut self, len: usize) -> PlainMemory<'_> {
        let code = &self.code.bytes[..];
        PlainMemory { cells: &mut self.pages.marked()[..len], granule_flags: &self.granule_flags[..], code }
    }

    /// All of memory.
    pub fn bytes(&self) -> &[u8] {
        self.pages.cells()
    }

    /// The bytes `address..address + len` have been decoded: writes to them are to be reported.
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

    /// True when a decoded byte has been written since [`Memory::take_code_writes`].
    #[inline(always)]
    pub(crate) fn code_written(&self) -> bool {
        self.code.written
    }

    /// Hands over, and forgets, the ranges (first and last address) of decoded bytes that have been written. What a
    /// write has hit is no longer watched; after [`Memory::report_all_code`] all that was watched still is.
    pub(crate) fn take_code_writes(&mut self, mut drop_range: impl FnMut(u32, u32)) {
        for &(first, last) in &self.code.writes {
            drop_range(first, last);
        }
        self.code.writes.clear();
        self.code.written = false;
    }

    /// Counts the writes to these bytes from now on, and to no others.
    pub fn look_after(&mut self, bytes: &[Range<u32>]) {
        self.granule_flags.iter_mut().for_each(|mark| *mark &= !LOOKED_AFTER);
        for range in bytes {
            let (first, end) = (range.start as usize, (range.end as usize).min(SIZE));
            if first < end {
                let begin = first.saturating_sub(LONGEST_WRITE - 1) / GRANULE;
                self.granule_flags[begin..end.div_ceil(GRANULE)]
                    .iter_mut()
                    .for_each(|mark| *mark |= LOOKED_AFTER);
            }
        }
        self.lookout = Lookout { bytes: bytes.to_vec(), writes: 0 };
    }

    /// Writes to the bytes of [`Memory::look_after`] since then, by whomever.
    pub fn writes_seen(&self) -> u64 {
        self.lookout.writes
    }

    /// A bit for each page of 4096 bytes that may have been written since the last snapshot or restore.
    pub(crate) fn written_pages(&self) -> &[bool] {
        self.pages.written()
    }

    /// What a snapshot keeps of memory: the map of decoded bytes is derived.
    pub(super) fn save(&mut self) -> SavedMemory {
        let granule_flags = &mut self.granule_flags;
        self.pages.save(|page| mark_clean(granule_flags, page))
    }

    /// The addresses of bytes that are not what a snapshot kept.
    pub(super) fn differing<'a>(&'a self, saved: &'a SavedMemory) -> impl Iterator<Item = u32> + 'a {
        self.pages.differing(saved).flat_map(|(page, now, then)| {
            let bytes = now.iter().zip(then).zip((page * PAGE) as u32..);
            bytes.filter(|((now, then), _)| now != then).map(|(_, at)| at)
        })
    }

    /// Goes back to what a snapshot kept. Decoded bytes that were different count as written.
    pub(super) fn restore(&mut self, saved: &SavedMemory) {
        let Memory { pages, granule_flags, code, lookout: _ } = self;
        pages.restore(
            saved,
            |page, before, after| code.note_differences(page, before, after),
            |page| mark_clean(granule_flags, page),
        );
    }

    /// Reports all decoded code as written: after the address map has changed (A20).
    pub(crate) fn report_all_code(&mut self) {
        self.code.report_all();
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

/// The page is as the last snapshot holds it.
fn mark_clean(granule_flags: &mut [u8; GRANULES], page: usize) {
    let first = page * PAGE / GRANULE;
    granule_flags[first..first + PAGE / GRANULE].iter_mut().for_each(|mark| *mark |= CLEAN);
    if let Some(before) = first.checked_sub(1) {
        granule_flags[before] |= NEXT_CLEAN;
    }
}

/// For the state hash: memory stands in it by its own hash.
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
