//! The manager's record of the board: the owner of each page, and the pages mapped into the frame.

use crate::hardware::{Bank, EXPANDED, FrameSlots, Hardware, PAGE_FRAME, linear};
use serde::{Deserialize, Serialize};

/// Size of a page in bytes.
pub(super) const PAGE: u32 = 0x4000;
pub(super) const PAGES: u16 = (EXPANDED / PAGE) as u16;
/// The number of pages of the frame.
pub(super) const SLOTS: usize = 4;
/// The maximum number of handles. Handle 0 belongs to the system and owns no pages.
pub(super) const MOST_HANDLES: usize = 64;

pub(super) mod error {
    pub(in crate::dos::ems) const BAD_HANDLE: u8 = 0x83;
    pub(in crate::dos::ems) const NO_HANDLES: u8 = 0x85;
    pub(in crate::dos::ems) const CONTEXT_IS_SAVED: u8 = 0x86;
    pub(in crate::dos::ems) const TOO_MANY: u8 = 0x87;
    pub(in crate::dos::ems) const NOT_ENOUGH: u8 = 0x88;
    pub(in crate::dos::ems) const NO_PAGES: u8 = 0x89;
    pub(in crate::dos::ems) const BAD_PAGE: u8 = 0x8A;
    pub(in crate::dos::ems) const BAD_SLOT: u8 = 0x8B;
    pub(in crate::dos::ems) const SAVED_ALREADY: u8 = 0x8D;
    pub(in crate::dos::ems) const NOTHING_SAVED: u8 = 0x8E;
    pub(in crate::dos::ems) const BAD_SUBFUNCTION: u8 = 0x8F;
    pub(in crate::dos::ems) const NO_SUCH_ATTRIBUTE: u8 = 0x91;
    pub(in crate::dos::ems) const OVERLAPS: u8 = 0x92;
    pub(in crate::dos::ems) const BEYOND_PAGES: u8 = 0x93;
    pub(in crate::dos::ems) const BAD_OFFSET: u8 = 0x95;
    pub(in crate::dos::ems) const TOO_LONG: u8 = 0x96;
    pub(in crate::dos::ems) const EXCHANGE_OVERLAPS: u8 = 0x97;
    pub(in crate::dos::ems) const BAD_TYPE: u8 = 0x98;
    pub(in crate::dos::ems) const NO_ALTERNATE_SET: u8 = 0x9B;
    pub(in crate::dos::ems) const NO_SUCH_NAME: u8 = 0xA0;
    pub(in crate::dos::ems) const NAME_EXISTS: u8 = 0xA1;
    pub(in crate::dos::ems) const WRAPS: u8 = 0xA2;
    pub(in crate::dos::ems) const DAMAGED: u8 = 0xA3;
    pub(in crate::dos::ems) const NOT_YOURS: u8 = 0xA4;
}

/// The content of a slot of the frame: a page of a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mapping {
    pub(super) handle: u16,
    pub(super) page: u16,
}

/// The mappings of the whole frame.
pub(super) type Context = [Option<Mapping>; SLOTS];

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Handle {
    pub(super) pages: Vec<u16>,
    pub(super) name: [u8; 8],
    pub(super) saved: Option<Context>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::dos) struct Ems {
    pub(in crate::dos) is_there: bool,
    pub(super) handles: Vec<Option<Handle>>,
    pub(super) mapped: Context,
    /// Whether the key of function 5Dh has been given out.
    pub(super) key_is_given: bool,
    /// Whether functions 59h and 5Bh are reserved for the operating system.
    pub(super) is_reserved: bool,
    /// Whether the current function continues elsewhere.
    #[serde(skip)]
    pub(super) jumped: bool,
}

impl Ems {
    pub(in crate::dos) fn present() -> Ems {
        Ems { is_there: true, handles: vec![Some(Handle::default())], ..Ems::default() }
    }

    pub(super) fn handle(&self, handle: u16) -> Result<&Handle, u8> {
        self.handles.get(usize::from(handle)).and_then(Option::as_ref).ok_or(error::BAD_HANDLE)
    }

    pub(super) fn handle_mut(&mut self, handle: u16) -> Result<&mut Handle, u8> {
        self.handles.get_mut(usize::from(handle)).and_then(Option::as_mut).ok_or(error::BAD_HANDLE)
    }

    pub(super) fn address(&self, mapping: Mapping) -> Result<u32, u8> {
        let page = self.handle(mapping.handle)?.pages.get(usize::from(mapping.page));
        page.map(|page| u32::from(*page) * PAGE).ok_or(error::BAD_PAGE)
    }

    /// Returns the pages without an owner.
    pub(super) fn free_pages(&self) -> Vec<u16> {
        let mut is_free = [true; PAGES as usize];
        for page in self.handles.iter().flatten().flat_map(|handle| &handle.pages) {
            if let Some(free) = is_free.get_mut(usize::from(*page)) {
                *free = false;
            }
        }
        (0..PAGES).filter(|page| is_free[usize::from(*page)]).collect()
    }

    /// Returns, for each slot, the first slot with the same page. All of them share its memory.
    fn shared(&self) -> [usize; SLOTS] {
        std::array::from_fn(|slot| {
            let first =
                self.mapped.iter().position(|mapping| mapping.is_some() && *mapping == self.mapped[slot]);
            first.unwrap_or(slot)
        })
    }

    /// Passes to the board which slots show the same page.
    fn show(&self, hw: &mut Hardware) {
        let slots: FrameSlots = self.shared().map(|slot| slot as u8);
        hw.set_frame_slots(slots);
    }

    fn own_slots(&self) -> impl Iterator<Item = usize> + use<> {
        let shared = self.shared();
        (0..SLOTS).filter(move |slot| shared[*slot] == *slot)
    }

    /// Stores the bytes of all slots to their pages.
    pub(super) fn store_all(&self, hw: &mut Hardware) {
        self.own_slots().for_each(|slot| self.store(hw, slot));
    }

    /// Loads the bytes of the pages into all slots.
    pub(super) fn load_all(&self, hw: &mut Hardware) {
        self.own_slots().for_each(|slot| self.load(hw, slot));
    }

    fn store(&self, hw: &mut Hardware, slot: usize) {
        if let Some(at) = self.mapped[slot].and_then(|mapping| self.address(mapping).ok()) {
            let bytes = hw.memory.read_bytes(slot_address(slot), PAGE as usize);
            hw.expansion.write(Bank::Expanded, at, &bytes);
        }
    }

    fn load(&self, hw: &mut Hardware, slot: usize) {
        let mut bytes = vec![0xFF; PAGE as usize];
        if let Some(at) = self.mapped[slot].and_then(|mapping| self.address(mapping).ok()) {
            hw.expansion.read(Bank::Expanded, at, &mut bytes);
        }
        hw.memory.write_bytes(slot_address(slot), &bytes);
    }

    /// Maps a page into a slot, or unmaps the slot.
    pub(super) fn map(&mut self, hw: &mut Hardware, slot: usize, mapping: Option<Mapping>) -> Result<(), u8> {
        if let Some(mapping) = mapping {
            self.address(mapping)?;
        }
        if self.mapped[slot] == mapping {
            return Ok(());
        }
        let before = self.shared();
        // The page that is unmapped, and the new one if it is also in another slot.
        for other in self.own_slots() {
            if other == slot || mapping.is_some() && self.mapped[other] == mapping {
                self.store(hw, other);
            }
        }
        self.mapped[slot] = mapping;
        for own in self.own_slots() {
            if own == slot || before[own] != own {
                self.load(hw, own);
            }
        }
        self.show(hw);
        Ok(())
    }

    pub(super) fn map_all(&mut self, hw: &mut Hardware, context: Context) -> Result<(), u8> {
        context.iter().flatten().try_for_each(|mapping| self.address(*mapping).map(|_| ()))?;
        (0..SLOTS).zip(context).try_for_each(|(slot, mapping)| self.map(hw, slot, mapping))
    }

    /// Unmaps the pages of a handle from a number, without storing them.
    pub(super) fn drop_pages(&mut self, hw: &mut Hardware, handle: u16, from: usize) {
        for slot in 0..SLOTS {
            let goes = |mapping: Mapping| mapping.handle == handle && usize::from(mapping.page) >= from;
            if self.mapped[slot].is_some_and(goes) {
                self.mapped[slot] = None;
                self.load(hw, slot);
            }
        }
        self.show(hw);
        if let Ok(owner) = self.handle_mut(handle) {
            let from = from.min(owner.pages.len());
            for page in owner.pages.drain(from..) {
                hw.expansion.clear(Bank::Expanded, u32::from(page) * PAGE, PAGE);
            }
        }
    }
}

pub(super) fn slot_address(slot: usize) -> u32 {
    linear(PAGE_FRAME, 0) + slot as u32 * PAGE
}

pub(super) fn slot_segment(slot: usize) -> u16 {
    PAGE_FRAME + slot as u16 * 0x400
}

pub(super) fn slot_at(segment: u16) -> Result<usize, u8> {
    (0..SLOTS).find(|slot| slot_segment(*slot) == segment).ok_or(error::BAD_SLOT)
}

/// Returns the mapping for a page number; FFFFh means none.
pub(super) fn mapping(handle: u16, page: u16) -> Option<Mapping> {
    (page != 0xFFFF).then_some(Mapping { handle, page })
}
