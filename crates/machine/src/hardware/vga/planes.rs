//! The memory of the VGA: four planes of 64 KiB, one `u32` per address, plane 0 in the low byte.
//!
//! It is shared with snapshots page by page: a write only marks its page.

use crate::hardware::pages::{Pages, Saved};
use oxbox_cpu::{PLANE, PLANE_PAGE};
use serde::{Serialize, Serializer};
use std::ops::Range;

/// Addresses in a plane.
pub(super) const SIZE: usize = PLANE;
/// Addresses per page.
const PAGE: usize = PLANE_PAGE;

/// 256 KiB, indexed by plane address.
#[derive(Debug, Clone)]
pub(super) struct Planes(Pages<u32, SIZE, PAGE>);

/// The planes as stored in a snapshot.
pub(super) type SavedPlanes = Saved<u32, SIZE, PAGE>;

impl Planes {
    pub(super) fn new() -> Self {
        Planes(Pages::new())
    }

    /// Returns the bytes of the four planes at an address.
    #[inline(always)]
    pub(super) fn at(&self, address: u16) -> u32 {
        self.0.cells()[usize::from(address)]
    }

    /// Returns the bytes of the four planes at an address, for writing.
    #[inline(always)]
    pub(super) fn at_mut(&mut self, address: u16) -> &mut u32 {
        self.0.mark(usize::from(address));
        &mut self.0.marked()[usize::from(address)]
    }

    /// Returns all addresses, and for each page whether it is marked as written: the caller marks
    /// the pages that it writes.
    #[inline]
    pub(super) fn all_mut(&mut self) -> (&mut [u32; SIZE], &mut [bool; SIZE / PAGE]) {
        self.0.all_mut()
    }

    /// Returns a range of addresses. Empty if it exceeds the planes.
    #[inline]
    pub(super) fn run(&self, run: Range<usize>) -> &[u32] {
        &self.0.cells()[run.start.min(SIZE)..run.end.min(SIZE)]
    }

    /// Returns a range of addresses for writing. Empty if it exceeds the planes.
    #[inline]
    pub(super) fn run_mut(&mut self, run: Range<usize>) -> &mut [u32] {
        let run = run.start.min(SIZE)..run.end.min(SIZE);
        self.0.mark_run(run.clone());
        &mut self.0.marked()[run]
    }

    /// Clears the bits of all addresses that are not in the mask. Pages that do not change stay
    /// shared with snapshots.
    pub(super) fn mask(&mut self, mask: u32) {
        for number in 0..SIZE / PAGE {
            if self.0.bits(number).is_some_and(|bits| bits & !mask == 0) {
                continue;
            }
            let page = number * PAGE..(number + 1) * PAGE;
            if self.run(page.clone()).iter().any(|cell| cell & !mask != 0) {
                self.run_mut(page).iter_mut().for_each(|cell| *cell &= mask);
            }
        }
    }

    /// Copies a range of addresses, all of which must exist, to another position.
    pub(super) fn copy(&mut self, run: Range<usize>, to: usize) {
        self.0.mark_run(to..to + run.len());
        self.0.marked().copy_within(run, to);
    }

    /// For each page of 1,024 addresses, whether it may have been written since the last save.
    pub(super) fn written(&self) -> &[bool] {
        self.0.written()
    }

    pub(super) fn save(&mut self) -> SavedPlanes {
        self.0.save(|_| {})
    }

    pub(super) fn equal(&self, saved: &SavedPlanes) -> bool {
        self.0.equals(saved)
    }

    pub(super) fn restore(&mut self, saved: &SavedPlanes) {
        self.0.restore(saved, |_, _, _| {}, |_| {});
    }
}

/// For the state hash: the planes are represented by their own hash.
impl Serialize for Planes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0.hash())
    }
}
