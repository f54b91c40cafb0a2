//! The board's part of a snapshot: chips by value, memory and video memory as shared pages.
//!
//! Output (the speaker's record, the teletype log) is kept in memory and not stored. Derived data is
//! not kept.

use super::board::{FrameSlots, Hardware};
use super::disk::SavedDisks;
use super::expansion::SavedExpansion;
use super::memory::SavedMemory;
use super::vga::SavedVga;
use super::{Clock, Dma, Keyboard, Mouse, Pic, Pit, Ppi, Rtc, Speaker, TeletypeLog};
use serde::{Deserialize, Serialize};
use std::ops::Range;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SavedHardware {
    memory: SavedMemory,
    vga: SavedVga,
    clock: Clock,
    pic: Pic,
    pit: Pit,
    ppi: Ppi,
    keyboard: Keyboard,
    mouse: Mouse,
    rtc: Rtc,
    dma: Dma,
    disks: SavedDisks,
    expansion: SavedExpansion,
    page_frame: bool,
    frame_slots: FrameSlots,
    #[serde(skip)]
    speaker: Speaker,
    #[serde(skip)]
    teletype_log: TeletypeLog,
    post_code: u8,
    now: u64,
    tick: u64,
    refresh_tick: u64,
    /// The cached times of [`Hardware`]'s next events; "at once" after a stored snapshot was read.
    #[serde(skip)]
    schedule: (u64, u64, bool),
    reset_requested: bool,
    processor_mask: u32,
    address_mask: u32,
}

impl SavedHardware {
    /// Returns the number of pages of memory and disks that are not shared with another state.
    pub(crate) fn pages_beyond(&self, other: &SavedHardware) -> usize {
        let disks = self.disks.blocks_beyond(&other.disks) + self.expansion.blocks_beyond(&other.expansion);
        self.memory.pages_beyond(&other.memory) + self.vga.pages_beyond(&other.vga) + disks
    }
}

impl SavedHardware {
    /// Returns the characters of the first text page, if the mode is a text mode.
    pub(crate) fn characters(&self) -> Vec<u8> {
        self.vga.characters()
    }

    /// Removes memory and video memory, and returns their differences from another board's.
    pub(crate) fn take_memory(&mut self, base: &SavedHardware) -> [Vec<u8>; 2] {
        let memory = std::mem::replace(&mut self.memory, SavedMemory::nothing());
        [memory.beyond(&base.memory), self.vga.take_planes(&base.vga)]
    }

    /// Restores memory and video memory from the differences, and takes the other board's output.
    /// Returns false if they do not fit.
    pub(crate) fn put_memory(&mut self, base: &SavedHardware, [memory, planes]: [&[u8]; 2]) -> bool {
        self.speaker.clone_from(&base.speaker);
        self.teletype_log.clone_from(&base.teletype_log);
        let memory = base.memory.with(memory).map(|memory| self.memory = memory);
        memory.is_some() && self.vga.put_planes(&base.vga, planes)
    }
}

impl Hardware {
    pub(crate) fn save(&mut self) -> SavedHardware {
        SavedHardware {
            memory: self.memory.save(),
            vga: self.vga.save(self.clock.nanoseconds(self.now)),
            clock: self.clock.clone(),
            pic: self.pic.clone(),
            pit: self.pit.clone(),
            ppi: self.ppi.clone(),
            keyboard: self.keyboard.clone(),
            mouse: self.mouse.clone(),
            rtc: self.rtc.clone(),
            dma: self.dma.clone(),
            disks: self.disks.save(),
            expansion: self.expansion.save(),
            page_frame: self.page_frame,
            frame_slots: self.frame_slots,
            speaker: self.speaker.clone(),
            teletype_log: self.teletype_log.clone(),
            post_code: self.post_code,
            now: self.now,
            tick: self.tick,
            refresh_tick: self.refresh_tick,
            schedule: (self.quiet_until, self.next_event, self.intr_seen),
            reset_requested: self.reset_requested,
            processor_mask: self.processor_mask,
            address_mask: self.address_mask,
        }
    }

    /// Whether video memory equals the saved one.
    pub(crate) fn shows_as(&self, saved: &SavedHardware) -> bool {
        self.vga.holds(&saved.vga)
    }

    /// Whether memory equals the saved one, except for `clock`'s bytes, which change by themselves.
    pub(crate) fn remembers(&self, saved: &SavedHardware, clock: &Range<u32>) -> bool {
        self.unlike(saved).all(|at| clock.contains(&at))
    }

    /// Returns the addresses of bytes in memory that differ from the saved ones.
    pub(crate) fn unlike<'a>(&'a self, saved: &'a SavedHardware) -> impl Iterator<Item = u32> + 'a {
        self.memory.differing(&saved.memory)
    }

    /// Restores a saved state. Decoded code whose bytes are the same stays decoded.
    pub(crate) fn restore(&mut self, saved: &SavedHardware) {
        let Hardware {
            memory,
            vga,
            clock,
            pic,
            pit,
            ppi,
            keyboard,
            mouse,
            rtc,
            dma,
            disks,
            expansion,
            page_frame,
            frame_slots,
            speaker,
            teletype_log,
            post_code,
            now,
            tick,
            refresh_tick,
            quiet_until,
            next_event,
            intr_seen,
            reset_requested,
            coprocessor_reset_requested,
            processor_mask,
            address_mask,
            // Concerns the machine's whole lifetime, like its notices.
            missing_devices: _,
            // Concerns the current run, not the state.
            access_log: _,
        } = self;
        memory.restore(&saved.memory);
        if *address_mask != saved.address_mask || *frame_slots != saved.frame_slots {
            memory.report_all_code();
        }
        vga.restore(&saved.vga);
        clock.clone_from(&saved.clock);
        pic.clone_from(&saved.pic);
        pit.clone_from(&saved.pit);
        ppi.clone_from(&saved.ppi);
        keyboard.clone_from(&saved.keyboard);
        mouse.clone_from(&saved.mouse);
        rtc.clone_from(&saved.rtc);
        dma.clone_from(&saved.dma);
        disks.restore(&saved.disks);
        expansion.restore(&saved.expansion);
        *page_frame = saved.page_frame;
        *frame_slots = saved.frame_slots;
        speaker.clone_from(&saved.speaker);
        teletype_log.clone_from(&saved.teletype_log);
        (*post_code, *now, *tick, *refresh_tick) =
            (saved.post_code, saved.now, saved.tick, saved.refresh_tick);
        (*quiet_until, *next_event, *intr_seen) = saved.schedule;
        *coprocessor_reset_requested = false;
        (*reset_requested, *processor_mask, *address_mask) =
            (saved.reset_requested, saved.processor_mask, saved.address_mask);
    }
}
