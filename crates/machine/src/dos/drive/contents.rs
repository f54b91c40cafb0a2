//! The contents of a file in guest state: pages that are shared with snapshots until they are
//! written to.
//!
//! Invariant: `pages` covers `len` bytes; missing bytes of a page are zero, so a gap takes no
//! memory.

use super::shared::Shared;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Range;
use std::sync::Arc;

/// Size of a page in bytes. A write copies one page and the list of pages, which for the longest
/// file has about the same size.
const PAGE: usize = 0x4000;

static ZEROS: [u8; PAGE] = [0; PAGE];

/// The bytes of a file. Writing copies pages that a snapshot shares.
#[derive(Debug, Clone, Default)]
pub(super) struct PagedFile {
    pages: Shared<Vec<Arc<Vec<u8>>>>,
    len: usize,
}

impl From<&[u8]> for PagedFile {
    fn from(bytes: &[u8]) -> Self {
        let pages: Vec<_> = bytes.chunks(PAGE).map(|page| Arc::new(page.to_vec())).collect();
        PagedFile { pages: pages.into(), len: bytes.len() }
    }
}

impl PagedFile {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of a range, up to the end of the file.
    pub(super) fn read(&self, range: Range<usize>) -> Vec<u8> {
        let end = range.end.min(self.len);
        let mut at = range.start.min(end);
        let mut bytes = Vec::with_capacity(end - at);
        while at < end {
            let from = at % PAGE;
            let to = (from + end - at).min(PAGE);
            let page: &[u8] = self.pages.get(at / PAGE).map_or(&[], |page| page);
            let held = page.get(from..to.min(page.len())).unwrap_or_default();
            bytes.extend_from_slice(held);
            bytes.extend_from_slice(&ZEROS[..to - from - held.len()]);
            at += to - from;
        }
        bytes
    }

    /// Writes at `offset`; a gap before it is filled with zeros.
    pub(super) fn write(&mut self, offset: usize, mut bytes: &[u8]) {
        let mut at = offset;
        if at + bytes.len() > self.len {
            self.resize(at + bytes.len());
        }
        while !bytes.is_empty() {
            let from = at % PAGE;
            let (part, rest) = bytes.split_at(bytes.len().min(PAGE - from));
            if let Some(page) = self.pages.get_mut(at / PAGE) {
                let page = Arc::make_mut(page);
                if page.len() < from + part.len() {
                    page.resize(from + part.len(), 0);
                }
                page[from..from + part.len()].copy_from_slice(part);
            }
            at += part.len();
            bytes = rest;
        }
    }

    /// Truncates the file, or extends it with zeros.
    pub(super) fn resize(&mut self, len: usize) {
        let count = len.div_ceil(PAGE);
        if count != self.pages.len() {
            self.pages.resize_with(count, Arc::default);
        }
        let within = len % PAGE;
        if len < self.len
            && within != 0
            && let Some(last) = self.pages.last_mut()
        {
            Arc::make_mut(last).truncate(within);
        }
        self.len = len;
    }

    /// Returns the bytes in parts.
    #[cfg(any(unix, windows))]
    pub(super) fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        self.pages.iter().enumerate().flat_map(|(number, page)| {
            let wanted = (self.len - number * PAGE).min(PAGE);
            let held = page.len().min(wanted);
            [&page[..held], &ZEROS[..wanted - held]].into_iter().filter(|stretch| !stretch.is_empty())
        })
    }

    /// Returns the bytes of memory not shared with another.
    pub(super) fn bytes_beyond(&self, other: Option<&PagedFile>) -> usize {
        let others: &[Arc<Vec<u8>>] = other.map_or(&[], |other| &other.pages);
        if other.is_some_and(|other| self.pages.is(&other.pages)) {
            return 0;
        }
        let own = |(number, page): (usize, &Arc<Vec<u8>>)| {
            let is_shared = others.get(number).is_some_and(|other| Arc::ptr_eq(page, other));
            size_of::<Arc<Vec<u8>>>() + if is_shared { 0 } else { page.len() }
        };
        self.pages.iter().enumerate().map(own).sum()
    }
}

impl Serialize for PagedFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.read(0..self.len))
    }
}

impl<'de> Deserialize<'de> for PagedFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&serde_bytes::Bytes>::deserialize(deserializer).map(|bytes| bytes.as_ref().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// After any writes, truncations and extensions it equals a plain vector of bytes.
        #[test]
        fn it_behaves_like_a_vector(steps in prop::collection::vec((0..4 * PAGE, 0..2 * PAGE, any::<Option<u8>>()), 1..20)) {
            let (mut paged, mut plain) = (PagedFile::default(), Vec::new());
            let mut snapshots = Vec::new();
            for (at, len, byte) in steps {
                match byte {
                    Some(byte) => {
                        plain.resize(plain.len().max(at + len), 0);
                        plain[at..at + len].fill(byte);
                        paged.write(at, &vec![byte; len]);
                    }
                    None => {
                        plain.resize(at, 0);
                        paged.resize(at);
                    }
                }
                snapshots.push((paged.clone(), plain.clone()));
            }
            for (paged, plain) in &snapshots {
                prop_assert_eq!(paged.len(), plain.len());
                prop_assert!(paged.read(0..usize::MAX) == *plain);
                prop_assert!(paged.chunks().collect::<Vec<_>>().concat() == *plain);
                let middle = plain.len() / 3..plain.len() / 2;
                prop_assert!(paged.read(middle.clone()) == plain[middle]);
            }
        }
    }

    #[test]
    fn what_is_shared_takes_no_memory() {
        let mut file = PagedFile::default();
        file.write(60 << 20, b"end");
        let list = 60 * 64 * 8 + 8;
        assert_eq!(file.bytes_beyond(None), list + 3, "a gap takes none");
        let before = file.clone();
        assert_eq!(file.bytes_beyond(Some(&before)), 0);
        file.write(5 * PAGE, b"x");
        assert_eq!(file.bytes_beyond(Some(&before)), list + 1);
    }
}
