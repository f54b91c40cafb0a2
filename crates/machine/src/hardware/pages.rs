//! Memory whose pages are shared between snapshots.
//!
//! The machine uses one flat buffer. Beside it are the pages as in the last snapshot: a save copies
//! the pages written since, a restore copies the pages that differ, and both leave all pages clean.
//! Each page's hash is kept with it.
//! Invariant: a page that is not marked as written equals its shared copy. Methods that return
//! writable cells mark them first, except for [`Pages::all_mut`], whose callers mark them.

mod difference;
#[cfg(test)]
mod tests;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{BitOr, BitXor, Range};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_64;

pub(super) const PAGE_BYTES: usize = 4096;
/// Pages per chunk. An unchanged chunk is shared as a whole.
const CHUNK: usize = 16;
/// The number of pages of the largest memory.
const MOST_PAGES: usize = 272;

pub(super) trait Cell:
    Copy + Default + Eq + BitOr<Output = Self> + BitXor<Output = Self> + 'static
{
    /// The distance of cells that contain the same kind of data: in text modes, characters are in
    /// every second cell of video memory.
    const STEP: usize;
    /// Returns a byte, the lowest at place 0.
    fn byte(self, place: usize) -> u8;
    /// Sets a byte, the lowest at place 0.
    fn set_byte(&mut self, place: usize, byte: u8);
    /// Returns a hash of a page.
    fn hash(cells: &[Self]) -> u64;
}

impl Cell for u8 {
    const STEP: usize = 1;

    fn byte(self, _: usize) -> u8 {
        self
    }

    fn set_byte(&mut self, _: usize, byte: u8) {
        *self = byte;
    }

    fn hash(cells: &[u8]) -> u64 {
        xxh3_64(cells)
    }
}

impl Cell for u32 {
    const STEP: usize = 2;

    fn byte(self, place: usize) -> u8 {
        (self >> (8 * place)) as u8
    }

    fn set_byte(&mut self, place: usize, byte: u8) {
        *self = *self & !(0xFF << (8 * place)) | u32::from(byte) << (8 * place);
    }

    fn hash(cells: &[u32]) -> u64 {
        let mut bytes = [0; PAGE_BYTES];
        for (bytes, cell) in bytes.as_chunks_mut().0.iter_mut().zip(cells) {
            *bytes = cell.to_le_bytes();
        }
        xxh3_64(&bytes)
    }
}

/// A page that snapshots share.
#[derive(Debug)]
struct Page<T, const PAGE: usize> {
    cells: [T; PAGE],
    hash: OnceLock<u64>,
    /// The bits that are set in any cell.
    bits: OnceLock<T>,
}

impl<T: Cell, const PAGE: usize> Page<T, PAGE> {
    fn new(cells: [T; PAGE]) -> Self {
        Page { cells, hash: OnceLock::new(), bits: OnceLock::new() }
    }

    fn bits(&self) -> T {
        *self.bits.get_or_init(|| self.cells.iter().fold(T::default(), |bits, cell| bits | *cell))
    }

    fn hash(&self) -> u64 {
        *self.hash.get_or_init(|| T::hash(&self.cells))
    }
}

/// A sequence of pages.
#[derive(Debug, Clone)]
struct Chunk<T, const PAGE: usize> {
    pages: [Arc<Page<T, PAGE>>; CHUNK],
    hash: OnceLock<u64>,
}

impl<T: Cell, const PAGE: usize> Chunk<T, PAGE> {
    fn hash(&self) -> u64 {
        *self.hash.get_or_init(|| hash_of_hashes(self.pages.each_ref().map(|page| page.hash())))
    }

    /// Replaces a page's cells. Shares the page before it if that has the same cells, as in blank
    /// text; reuses its own buffer if no snapshot holds it.
    fn set(&mut self, page: usize, cells: &[T; PAGE]) {
        self.hash = OnceLock::new();
        if page > 0 && self.pages[page - 1].cells == *cells {
            self.pages[page] = Arc::clone(&self.pages[page - 1]);
            return;
        }
        match Arc::get_mut(&mut self.pages[page]) {
            Some(page) => {
                page.cells.copy_from_slice(cells);
                (page.hash, page.bits) = Default::default();
            }
            None => self.pages[page] = Arc::new(Page::new(*cells)),
        }
    }
}

fn hash_of_hashes(hashes: [u64; CHUNK]) -> u64 {
    let mut bytes = [0; CHUNK * 8];
    u64_bytes(&hashes, &mut bytes);
    xxh3_64(&bytes)
}

fn u64_bytes(values: &[u64], out: &mut [u8]) {
    for (bytes, value) in out.as_chunks_mut().0.iter_mut().zip(values) {
        *bytes = value.to_le_bytes();
    }
}

#[derive(Debug, Clone)]
pub(super) struct Saved<T, const SIZE: usize, const PAGE: usize> {
    chunks: Vec<Arc<Chunk<T, PAGE>>>,
}

impl<T, const SIZE: usize, const PAGE: usize> Saved<T, SIZE, PAGE> {
    /// Returns the number of pages that are not shared with the other.
    pub(super) fn pages_beyond(&self, other: &Self) -> usize {
        self.unshared(other).count()
    }

    /// Returns an empty placeholder for memory that is stored separately.
    pub(super) fn nothing() -> Self {
        Saved { chunks: Vec::new() }
    }

    /// Returns the pages that are not shared with the other: each one's number, itself and the other's.
    fn unshared<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (usize, &'a Page<T, PAGE>, &'a Page<T, PAGE>)> {
        let chunks = self.chunks.iter().zip(&other.chunks).zip((0..).step_by(CHUNK));
        let chunks = chunks.filter(|((mine, theirs), _)| !Arc::ptr_eq(mine, theirs));
        let pages =
            chunks.flat_map(|((mine, theirs), first)| (first..).zip(mine.pages.iter().zip(&theirs.pages)));
        pages
            .filter(|(_, (mine, theirs))| !Arc::ptr_eq(mine, theirs))
            .map(|(number, (mine, theirs))| (number, &**mine, &**theirs))
    }
}

impl<T: Cell, const SIZE: usize, const PAGE: usize> Saved<T, SIZE, PAGE> {
    /// Returns the difference from `base`: the number of each page that differs, and its difference.
    pub(super) fn beyond(&self, base: &Self) -> Vec<u8> {
        let mut stored = Vec::new();
        for (number, page, other) in self.unshared(base).filter(|(_, page, other)| page.cells != other.cells)
        {
            difference::append_number(&mut stored, number);
            difference::append(&mut stored, &page.cells, &other.cells);
        }
        stored
    }

    /// Returns the lowest byte of every [`STEP`](Cell::STEP)th cell of the first pages.
    pub(super) fn first_lane(&self, pages: usize) -> Vec<u8> {
        let chunks = self.chunks.iter().flat_map(|chunk| &chunk.pages);
        chunks.take(pages).flat_map(|page| difference::lane(&page.cells, 0)).collect()
    }

    /// Applies a difference of [`beyond`](Self::beyond). `None` if it does not fit this memory.
    pub(super) fn with(&self, mut stored: &[u8]) -> Option<Self> {
        let mut chunks = self.chunks.clone();
        while !stored.is_empty() {
            let number = difference::number(&mut stored)?;
            let chunk = Arc::make_mut(chunks.get_mut(number / CHUNK)?);
            let mut cells = chunk.pages[number % CHUNK].cells;
            difference::apply(&mut stored, &mut cells)?;
            chunk.set(number % CHUNK, &cells);
        }
        Some(Saved { chunks })
    }
}

#[derive(Debug, Clone)]
pub(super) struct Pages<T, const SIZE: usize, const PAGE: usize> {
    cells: Box<[T; SIZE]>,
    shared: Vec<Arc<Chunk<T, PAGE>>>,
    written: [bool; MOST_PAGES],
}

impl<T: Cell, const SIZE: usize, const PAGE: usize> Pages<T, SIZE, PAGE> {
    /// All zero, all clean. Untouched memory costs the host nothing.
    pub(super) fn new() -> Self {
        const { assert!(SIZE.is_multiple_of(PAGE * CHUNK) && SIZE / PAGE <= MOST_PAGES) };
        const { assert!(PAGE * size_of::<T>() == PAGE_BYTES) };
        let cells = vec![T::default(); SIZE].into_boxed_slice();
        let cells = cells.try_into().unwrap_or_else(|_| unreachable!("the length is SIZE"));
        Pages { cells, shared: blank(SIZE / PAGE), written: [false; MOST_PAGES] }
    }

    #[inline(always)]
    pub(super) fn cells(&self) -> &[T; SIZE] {
        &self.cells
    }

    /// Returns all cells for writing to pages that are marked as written.
    #[inline(always)]
    pub(super) fn marked(&mut self) -> &mut [T; SIZE] {
        &mut self.cells
    }

    /// Returns all cells, and the flags of the first `MARKS` pages: the caller marks the page of
    /// each cell that it writes.
    #[inline(always)]
    pub(super) fn all_mut<const MARKS: usize>(&mut self) -> (&mut [T; SIZE], &mut [bool; MARKS]) {
        const { assert!(MARKS * PAGE == SIZE) };
        let written = self.written.first_chunk_mut();
        (&mut self.cells, written.unwrap_or_else(|| unreachable!("no more pages than there may be")))
    }

    #[inline(always)]
    pub(super) fn mark(&mut self, cell: usize) {
        self.written[cell / PAGE] = true;
    }

    pub(super) fn mark_run(&mut self, run: Range<usize>) {
        if run.is_empty() {
            return;
        }
        let (first, last) = (run.start / PAGE, (run.end - 1) / PAGE);
        // Most runs are in one page.
        self.written[first] = true;
        if last > first {
            self.written[first + 1..=last].fill(true);
        }
    }

    pub(super) fn is_written(&self, cell: usize) -> bool {
        self.written[cell / PAGE]
    }

    /// For each page, whether it is marked as written.
    pub(super) fn written(&self) -> &[bool] {
        &self.written[..SIZE / PAGE]
    }

    /// Returns the bits that are set in any cell of a page; `None` if it is marked as written.
    pub(super) fn bits(&self, page: usize) -> Option<T> {
        let is_clean = !self.written[page];
        is_clean.then(|| self.shared[page / CHUNK].pages[page % CHUNK].bits())
    }

    fn page(&self, page: usize) -> &[T; PAGE] {
        page_of(&self.cells, page)
    }

    /// Returns memory as stored in a snapshot. Calls `cleaned` for each page whose mark it
    /// clears.
    pub(super) fn save(&mut self, mut cleaned: impl FnMut(usize)) -> Saved<T, SIZE, PAGE> {
        for (chunk, first) in self.shared.iter_mut().zip((0..).step_by(CHUNK)) {
            if !self.written[first..first + CHUNK].contains(&true) {
                continue;
            }
            for page in (0..CHUNK).filter(|page| std::mem::take(&mut self.written[first + page])) {
                let cells = page_of(&self.cells, first + page);
                if chunk.pages[page].cells != *cells {
                    Arc::make_mut(chunk).set(page, cells);
                }
                cleaned(first + page);
            }
        }
        Saved { chunks: self.shared.clone() }
    }

    /// Restores a snapshot. Calls `differs` for each page whose cells change, with the cells before
    /// and after, and `cleaned` for each page whose mark it clears.
    pub(super) fn restore(
        &mut self,
        saved: &Saved<T, SIZE, PAGE>,
        mut differs: impl FnMut(usize, &[T; PAGE], &[T; PAGE]),
        mut cleaned: impl FnMut(usize),
    ) {
        for ((mine, theirs), first) in self.shared.iter_mut().zip(&saved.chunks).zip((0..).step_by(CHUNK)) {
            let same = Arc::ptr_eq(mine, theirs);
            if same && !self.written[first..first + CHUNK].contains(&true) {
                continue;
            }
            for page in 0..CHUNK {
                let written = std::mem::take(&mut self.written[first + page]);
                if written {
                    cleaned(first + page);
                } else if same || Arc::ptr_eq(&mine.pages[page], &theirs.pages[page]) {
                    continue;
                }
                let (before, after) = (page_of_mut(&mut self.cells, first + page), &theirs.pages[page].cells);
                if before != after {
                    differs(first + page, before, after);
                    *before = *after;
                }
            }
            if !same {
                *mine = Arc::clone(theirs);
            }
        }
    }

    pub(super) fn equals(&self, saved: &Saved<T, SIZE, PAGE>) -> bool {
        self.differing(saved).next().is_none()
    }

    /// Returns the pages that differ from the snapshot, each with both contents.
    pub(super) fn differing<'a>(
        &'a self,
        saved: &'a Saved<T, SIZE, PAGE>,
    ) -> impl Iterator<Item = (usize, &'a [T; PAGE], &'a [T; PAGE])> {
        let chunks = self.shared.iter().zip(&saved.chunks).zip((0..).step_by(CHUNK));
        chunks.flat_map(move |((mine, theirs), first)| {
            let same = Arc::ptr_eq(mine, theirs);
            (0..CHUNK).filter_map(move |page| {
                let clean = !self.written[first + page];
                if clean && (same || Arc::ptr_eq(&mine.pages[page], &theirs.pages[page])) {
                    return None;
                }
                let (now, then) = (self.page(first + page), &theirs.pages[page].cells);
                (now != then).then_some((first + page, now, then))
            })
        })
    }

    /// Returns a hash of all cells. The cost depends on the data written since the last save or
    /// restore.
    pub(super) fn hash(&self) -> u64 {
        let mut hashes = [0; MOST_PAGES / CHUNK];
        for ((chunk, hash), first) in self.shared.iter().zip(&mut hashes).zip((0..).step_by(CHUNK)) {
            let written = &self.written[first..first + CHUNK];
            *hash = if written.contains(&true) {
                hash_of_hashes(std::array::from_fn(|page| {
                    if written[page] { T::hash(self.page(first + page)) } else { chunk.pages[page].hash() }
                }))
            } else {
                chunk.hash()
            };
        }
        let mut bytes = [0; MOST_PAGES / CHUNK * 8];
        u64_bytes(&hashes, &mut bytes);
        xxh3_64(&bytes)
    }
}

fn page_of<T, const SIZE: usize, const PAGE: usize>(cells: &[T; SIZE], page: usize) -> &[T; PAGE] {
    cells.as_chunks().0.get(page).unwrap_or_else(|| unreachable!("a page of this memory"))
}

fn page_of_mut<T, const SIZE: usize, const PAGE: usize>(
    cells: &mut [T; SIZE],
    page: usize,
) -> &mut [T; PAGE] {
    cells.as_chunks_mut().0.get_mut(page).unwrap_or_else(|| unreachable!("a page of this memory"))
}

/// Returns this many pages of zeros, all of which share one page.
fn blank<T: Cell, const PAGE: usize>(pages: usize) -> Vec<Arc<Chunk<T, PAGE>>> {
    let page = Arc::new(Page::new([T::default(); PAGE]));
    let chunk = Arc::new(Chunk { pages: std::array::from_fn(|_| Arc::clone(&page)), hash: OnceLock::new() });
    vec![chunk; pages / CHUNK]
}

/// The stored form of [`Saved::nothing`].
const NOTHING: &[u8] = &[0];

/// Stored as the difference from a memory of zeros.
impl<T: Cell, const SIZE: usize, const PAGE: usize> Serialize for Saved<T, SIZE, PAGE> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.chunks.is_empty() {
            return serializer.serialize_bytes(NOTHING);
        }
        serializer.serialize_bytes(&self.beyond(&Saved { chunks: blank(SIZE / PAGE) }))
    }
}

impl<'de, T: Cell, const SIZE: usize, const PAGE: usize> Deserialize<'de> for Saved<T, SIZE, PAGE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored: &serde_bytes::Bytes = Deserialize::deserialize(deserializer)?;
        if **stored == *NOTHING {
            return Ok(Saved::nothing());
        }
        let blank = Saved { chunks: blank(SIZE / PAGE) };
        blank.with(stored).ok_or_else(|| D::Error::custom("the page is unknown or truncated"))
    }
}
