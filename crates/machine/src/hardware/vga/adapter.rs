//! The chip with its memory, and its ports.

use super::access::{
    Access, BIT_MASK, ENABLE_SET_RESET, FUNCTION, MAP_MASK, MODE, MODES, READ_MAP, SET_RESET,
};
use super::cga::Cga;
use super::colours;
use super::history::{Change, History, Shown};
use super::kind::Adapter;
use super::planes::{Planes, SavedPlanes};
use super::registers::Registers;
use serde::{Deserialize, Serialize};

/// Bits of a CGA's status that are always set: no light pen pressed, four bits not driven.
const CGA_STATUS: u8 = 0xF4;
/// The switches of an EGA that is the only adapter, with an Enhanced Color Display for all its
/// modes. A set bit is an open switch.
const EGA_SWITCHES: u8 = 0x09;

/// The chip and its memory. Serialised for the state hash.
#[derive(Debug, Clone, Serialize)]
pub struct Vga {
    /// Which adapter it is. Not part of the state.
    #[serde(skip)]
    pub(super) kind: Adapter,
    /// The registers of a CGA; the chip's own are then unused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cga: Option<Cga>,
    pub(super) registers: Registers,
    pub(super) planes: Planes,
    /// The four bytes of the last read.
    pub(super) latch: u32,
    #[serde(skip)]
    pub(super) access: Access,
    /// The register values used for the last frames. Not part of the chip's state.
    #[serde(skip)]
    pub(super) history: History,
    /// Whether every read goes through the address map, which records it. Not part of the state.
    #[serde(skip)]
    pub(super) reads_watched: bool,
    /// The time at which frame 0 began, in nanoseconds since power-on. A search may change it; not
    /// part of the state.
    #[serde(skip)]
    pub(super) frames_begin_ns: u64,
}

/// The chip and its memory as stored in a snapshot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::hardware) struct SavedVga {
    kind: Adapter,
    cga: Option<Cga>,
    registers: Registers,
    planes: SavedPlanes,
    latch: u32,
    history: History,
    frames_begin_ns: u64,
}

impl SavedVga {
    /// Returns the number of pages that are not shared with another state.
    pub(in crate::hardware) fn pages_beyond(&self, other: &SavedVga) -> usize {
        self.planes.pages_beyond(&other.planes)
    }

    /// Removes the planes, and returns their difference from another state's.
    pub(in crate::hardware) fn take_planes(&mut self, base: &SavedVga) -> Vec<u8> {
        std::mem::replace(&mut self.planes, SavedPlanes::nothing()).beyond(&base.planes)
    }

    /// Returns the characters of the first text page, if the mode is a text mode.
    pub(in crate::hardware) fn characters(&self) -> Vec<u8> {
        /// Pages with 512 characters each: a text page has 2,000.
        const PAGES: usize = 4;
        self.planes.first_lane(PAGES)
    }

    /// Restores the planes from a difference. Returns false if it does not fit.
    pub(in crate::hardware) fn put_planes(&mut self, base: &SavedVga, stored: &[u8]) -> bool {
        base.planes.with(stored).map(|planes| self.planes = planes).is_some()
    }
}

impl Default for Vga {
    fn default() -> Self {
        Vga::new()
    }
}

impl Vga {
    /// Returns the chip after power-on: all registers are zero, the picture is off, and nothing
    /// answers at A0000h until the BIOS has set a mode.
    pub fn new() -> Self {
        Vga {
            kind: Adapter::Vga,
            cga: None,
            registers: Registers::new(),
            planes: Planes::new(),
            latch: 0,
            access: Access::default(),
            history: History::default(),
            reads_watched: false,
            frames_begin_ns: 0,
        }
    }

    /// Replaces the adapter before power-on.
    pub(crate) fn fit(&mut self, kind: Adapter) {
        *self = Vga::new();
        self.kind = kind;
        if kind == Adapter::Cga {
            self.cga = Some(Cga::default());
            self.registers.enabled = false;
        }
    }

    /// Returns the kind of adapter.
    pub fn kind(&self) -> Adapter {
        self.kind
    }

    /// Sets the character ROM of a CGA: glyphs of eight lines.
    pub(crate) fn fit_characters(&mut self, glyphs: &[u8]) {
        for (code, glyph) in (0u16..256).zip(glyphs.chunks_exact(8)) {
            for (line, &dots) in (0u16..).zip(glyph) {
                let cell = self.planes.at_mut(code * 32 + line);
                *cell = *cell & 0xFF00_FFFF | u32::from(dots) << 16;
            }
        }
    }

    /// Saves the state, `now_ns` nanoseconds after power-on.
    pub(in crate::hardware) fn save(&mut self, now_ns: u64) -> SavedVga {
        let Vga {
            kind,
            cga,
            registers,
            planes,
            latch,
            access: _,
            history,
            reads_watched: _,
            frames_begin_ns,
        } = self;
        SavedVga {
            kind: *kind,
            cga: cga.clone(),
            registers: registers.clone(),
            planes: planes.save(),
            latch: *latch,
            history: history.save(now_ns),
            frames_begin_ns: *frames_begin_ns,
        }
    }

    pub(in crate::hardware) fn restore(&mut self, saved: &SavedVga) {
        self.kind = saved.kind;
        self.cga.clone_from(&saved.cga);
        self.registers.clone_from(&saved.registers);
        self.planes.restore(&saved.planes);
        self.latch = saved.latch;
        self.access = Access::default();
        self.history.clone_from(&saved.history);
        self.frames_begin_ns = saved.frames_begin_ns;
    }

    /// Makes a frame begin now.
    pub(crate) fn begin_frame(&mut self, now_ns: u64) {
        self.frames_begin_ns = now_ns;
    }

    /// Whether all planes equal those of the snapshot.
    pub(in crate::hardware) fn holds(&self, saved: &SavedVga) -> bool {
        self.planes.equal(&saved.planes)
    }

    /// Sets whether each read of video memory goes through the address map.
    pub(in crate::hardware) fn watch_reads(&mut self, watched: bool) {
        if self.reads_watched != watched {
            self.reads_watched = watched;
            self.access = Access::default();
        }
    }

    /// Clears the screen, moves the cursor to its start and clears the latches. The fonts of text
    /// modes stay, and a CGA's characters in any mode.
    pub(crate) fn blank(&mut self) {
        let stays = if self.is_graphics() && self.cga.is_none() { 0 } else { 0xFFFF_0000 };
        self.planes.mask(stays);
        self.latch = 0;
        self.set_cursor_address(0);
    }

    /// For each page of 1,024 plane addresses, whether it may have been written since the last
    /// snapshot or restore.
    pub(crate) fn written_pages(&self) -> &[bool] {
        self.planes.written()
    }

    /// IN of one byte from a port 3B0h to 3DFh, `now_ns` nanoseconds after power-on. Returns FFh
    /// where nothing answers.
    pub(crate) fn input(&mut self, port: u16, now_ns: u64) -> u8 {
        if let Some(cga) = &self.cga {
            return if port == 0x3DA { CGA_STATUS | self.raster().status(now_ns) } else { cga.input(port) };
        }
        let at = self.registers.relocated(port);
        if !self.kind.reads(at, self.registers.crtc.index) {
            return 0xFF;
        }
        if self.kind == Adapter::Ega && at == 0x3C2 {
            return (EGA_SWITCHES >> (self.registers.misc >> 2 & 3) & 1) << 4;
        }
        self.read_back(port, now_ns)
    }

    /// Like [`input`](Self::input), with all registers readable: a BIOS knows what it has written.
    pub(crate) fn read_back(&mut self, port: u16, now_ns: u64) -> u8 {
        let registers = &mut self.registers;
        if !registers.enabled && port != 0x3C3 {
            return 0xFF;
        }
        match registers.relocated(port) {
            0x3C0 => registers.attribute.index(),
            0x3C1 => registers.attribute.read(),
            // Input status 0: the sense line of a colour monitor; no vertical interrupt is ever pending.
            0x3C2 => 0x10,
            0x3C3 => u8::from(registers.enabled),
            0x3C4 => registers.sequencer.index,
            0x3C5 => registers.sequencer.read(),
            0x3C6 => registers.dac.mask,
            0x3C7 => registers.dac.state(),
            0x3C8 => registers.dac.write_index(),
            0x3C9 => registers.dac.read(),
            0x3CA => registers.feature,
            0x3CC => registers.misc,
            0x3CE => registers.graphics.index,
            0x3CF => registers.graphics.read(),
            0x3D4 => registers.crtc.index,
            0x3D5 => self.crtc_read(),
            0x3DA => {
                registers.attribute.reset_flip_flop();
                self.raster().status(now_ns)
            }
            _ => 0xFF,
        }
    }

    /// OUT of one byte to a port 3B0h to 3DFh, at a time in nanoseconds after power-on. Lines drawn
    /// before that time keep the old value.
    #[inline(never)]
    pub(crate) fn output_at(&mut self, port: u16, value: u8, now_ns: impl FnOnce() -> u64) {
        let Some(register) = self.shown_by(port) else { return self.output(port, value) };
        let before = self.shown(register);
        self.output(port, value);
        let after = self.shown(register);
        if before != after {
            self.history.note(Change { ns: now_ns(), register, before, after });
        }
    }

    /// Returns the part of the picture's state that a write of a byte to a port may change.
    fn shown_by(&self, port: u16) -> Option<Shown> {
        match &self.cga {
            Some(cga) => cga.shown_by(port),
            None => self.registers.shown_by(port),
        }
    }

    /// Returns a register's part of the picture's state.
    fn shown(&self, register: Shown) -> u32 {
        match &self.cga {
            Some(cga) => cga.shown(register).into(),
            None => self.registers.shown(register),
        }
    }

    /// Sets a register's part of the picture's state.
    pub(super) fn show(&mut self, register: Shown, value: u32) {
        match &mut self.cga {
            Some(cga) => cga.show(register, value as u8),
            None => self.registers.show(register, value),
        }
    }

    /// Draws all of the picture from the current values.
    pub(crate) fn begin_anew(&mut self) {
        self.history.forget();
    }

    /// OUT of one byte to a port 3B0h to 3DFh. It affects the whole picture at once.
    pub(crate) fn output(&mut self, port: u16, value: u8) {
        if let Some(cga) = &mut self.cga {
            return cga.output(port, value);
        }
        let Some(bits) = self.bits_written(port) else { return };
        let value = value & bits;
        let registers = &mut self.registers;
        if !registers.enabled && port != 0x3C3 {
            return;
        }
        match registers.relocated(port) {
            0x3C0 => registers.attribute.write(value),
            0x3C2 => registers.misc = value,
            0x3C3 => registers.enabled = value & 1 != 0,
            0x3C4 => registers.sequencer.index = value & 0x07,
            0x3C5 => registers.sequencer.write(value),
            0x3C6 => registers.dac.mask = value,
            0x3C7 => registers.dac.set_read_index(value),
            0x3C8 => registers.dac.set_write_index(value),
            0x3C9 => registers.dac.write(value),
            0x3CE => registers.graphics.index = value & 0x0F,
            0x3CF => registers.graphics.write(value),
            0x3D4 => registers.crtc.index = value & 0x3F,
            0x3D5 => registers.crtc.write(value),
            0x3DA => registers.feature = value & 0x03,
            _ => {}
        }
        if let 0x3C2 | 0x3C3 | 0x3C5 | 0x3CF = port {
            self.access.refresh(port, &self.registers);
        }
        if port == 0x3C2 && self.kind == Adapter::Ega {
            self.switch_monitor();
        }
    }

    /// Returns the bits of a byte that a port writes to its register.
    fn bits_written(&self, port: u16) -> Option<u8> {
        if self.kind == Adapter::Vga {
            return Some(0xFF);
        }
        let Registers { sequencer, graphics, crtc, attribute, .. } = &self.registers;
        let at = self.registers.relocated(port);
        let index = match at {
            0x3C5 => sequencer.index,
            0x3CF => graphics.index,
            _ => crtc.index,
        };
        self.kind.written(at, index, attribute.data_next.then(|| attribute.index() & 0x1F))
    }

    /// Handles a change of an EGA's sync polarity: its monitor uses six bits of colour or four.
    fn switch_monitor(&mut self) {
        let six_bits = self.registers.misc >> 6 == 2;
        for index in 0..64 {
            let [red, green, blue] =
                if six_bits { colours::six_bits(index) } else { colours::four_of_six_bits(index) };
            self.registers.dac.set_components(index, u32::from_be_bytes([0, red, green, blue]));
        }
    }

    /// OUT of a byte that programs write for every pixel or colour, if it does not change the picture: the
    /// index of the sequencer or the graphics controller, one of the few registers that control the
    /// processor's writes, or the DAC. Returns false, with nothing changed, for other ports.
    #[inline(always)]
    pub(in crate::hardware) fn fast_output(&mut self, port: u16, value: u8) -> bool {
        if !self.registers.enabled {
            return false;
        }
        match port {
            0x3C4 => self.registers.sequencer.index = value & 0x07,
            0x3CE => self.registers.graphics.index = value & 0x0F,
            0x3C5 => return self.write_sequencer_at_once(self.registers.sequencer.index, value),
            0x3CF => return self.write_graphics_at_once(self.registers.graphics.index, value),
            0x3C8 if self.kind == Adapter::Vga => self.registers.dac.set_write_index(value),
            0x3C9 if self.kind == Adapter::Vga && !self.registers.dac.completes_colour() => {
                self.registers.dac.write(value);
            }
            _ => return false,
        }
        true
    }

    /// Like [`fast_output`](Self::fast_output), for a word: index and value.
    #[inline(always)]
    pub(in crate::hardware) fn output_pair_at_once(&mut self, port: u16, pair: u16) -> bool {
        let [index, value] = pair.to_le_bytes();
        match port {
            0x3C4 if self.registers.enabled => self.write_sequencer_at_once(index & 0x07, value),
            0x3CE if self.registers.enabled => self.write_graphics_at_once(index & 0x0F, value),
            _ => false,
        }
    }

    #[inline(always)]
    fn write_sequencer_at_once(&mut self, index: u8, value: u8) -> bool {
        if index != MAP_MASK {
            return false;
        }
        self.registers.sequencer.index = index;
        self.registers.sequencer.write(value);
        self.access.refresh_lanes(&self.registers);
        true
    }

    #[inline(always)]
    fn write_graphics_at_once(&mut self, index: u8, value: u8) -> bool {
        let graphics = &mut self.registers.graphics;
        let changed = graphics.value_at(index) ^ value;
        let may_write = match index {
            SET_RESET | READ_MAP | BIT_MASK => true,
            ENABLE_SET_RESET | FUNCTION => self.kind == Adapter::Vga,
            MODE => self.kind == Adapter::Vga && changed & !MODES == 0 && !self.reads_watched,
            _ => changed == 0,
        };
        if !may_write {
            return false;
        }
        graphics.index = index;
        if changed != 0 {
            graphics.write(value);
            match index {
                READ_MAP => self.access.refresh_shifts(&self.registers),
                SET_RESET | BIT_MASK => self.access.refresh_data(&self.registers),
                MODE => self.access.refresh_modes(&self.registers),
                _ => self.access.refresh_write(&self.registers),
            }
        }
        true
    }

    /// Registers 22h and 24h are undocumented, but IBM's chip has them: the latch of the plane
    /// selected for reads, and the flip-flop.
    fn crtc_read(&self) -> u8 {
        let Registers { crtc, graphics, attribute, .. } = &self.registers;
        match crtc.index {
            0x22 => self.latch.to_le_bytes()[usize::from(graphics.read_map())],
            0x24 => u8::from(attribute.data_next) << 7,
            _ => crtc.read(),
        }
    }

    /// Writes CRTC registers 0Eh and 0Fh, index included: the console does it for every character.
    #[inline]
    pub(crate) fn set_cursor_address(&mut self, address: u16) {
        if let Some(cga) = &mut self.cga {
            return cga.set_cursor_address(address);
        }
        self.registers.crtc.set_cursor_address(address);
    }

    /// Whether a graphics picture is shown (otherwise text).
    pub(crate) fn is_graphics(&self) -> bool {
        self.cga.as_ref().map_or_else(|| self.registers.is_graphics(), Cga::is_graphics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_access_is_in_no_snapshot_and_comes_back() {
        let mut vga = Vga::new();
        vga.output(0x3C2, 0x03);
        vga.write8(0xA_0000, 0);
        assert_ne!(vga.access, Access::default());
        let bytes = postcard::to_allocvec(&vga.save(0)).unwrap();
        let saved: SavedVga = postcard::from_bytes(&bytes).unwrap();
        let mut other = Vga::new();
        other.restore(&saved);
        assert_eq!(other.access, Access::default());
        assert_eq!(postcard::to_allocvec(&other.save(0)).unwrap(), bytes);
        assert_eq!(postcard::to_allocvec(&other).unwrap(), postcard::to_allocvec(&vga).unwrap());
    }
}
