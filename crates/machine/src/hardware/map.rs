//! The address and port map of the PC: dispatches each access to its device.
//!
//! There is one match for memory, one for port reads and one for port writes. Most devices are 8
//! bits wide: a wider access is split into byte accesses to consecutive ports, low byte first, as
//! on the bus.

use std::ops::Range;

use super::access_log::{BIOS_DATA, SideEffect};
use super::board::{A20, Hardware, IRQ_COPROCESSOR, OWN_SLOTS};
use super::keyboard::Effect;
use super::port_numbers::{decoded, moves_no_line, reads_change_nothing, writes_change_nothing};
use oxbox_cpu::{Bus, DirectMemory, Width};

/// The end of the interrupt vectors and of the BIOS data area, where reads are recorded.
const LOW: u32 = 0x500;
/// Doublewords below this address are interrupt vectors.
const VECTORS_END: u32 = BIOS_DATA - 3;
/// The end of conventional memory and the start of video memory.
const VIDEO: u32 = 0xA_0000;
/// A word access to video memory must begin below this address.
const LAST_VIDEO_BYTE: u32 = ROM - 1;
/// The end of video memory and the start of ROM (adapters and BIOS).
const ROM: u32 = 0xC_0000;
/// The segment and the address of an expanded memory board's page frame. The frame ends where the
/// BIOS begins.
pub(crate) const PAGE_FRAME: u16 = 0xE000;
const FRAME: u32 = 0xE_0000;
/// Size in bytes of one of the frame's four slots.
const SLOT: u32 = 0x4000;
/// The BIOS's segment. Firmware traps are recognised only here.
const BIOS_ROM: u32 = 0xF_0000;
/// The end of the first megabyte and the start of the high memory area.
const HIGH: u32 = A20;
/// The end of memory: the last address that real mode reaches is 10FFEFh.
const END: u32 = 0x11_0000;

/// The value read from unmapped addresses and ports: the bus has pull-ups.
const OPEN_BUS: u8 = 0xFF;

impl Bus for Hardware {
    #[inline(always)]
    fn read8(&mut self, address: u32) -> u8 {
        if is_plain::<1>(address) { self.memory.read8(address) } else { self.read_outside(address) }
    }

    #[inline(always)]
    fn read16(&mut self, address: u32) -> u16 {
        if is_plain::<2>(address) { self.memory.read16(address) } else { self.read16_outside(address) }
    }

    #[inline(always)]
    fn read32(&mut self, address: u32) -> u32 {
        if is_plain::<4>(address) { self.memory.read32(address) } else { self.read32_outside(address) }
    }

    #[inline]
    fn fetch8(&mut self, address: u32) -> u8 {
        match address & self.address_mask {
            video @ VIDEO..ROM => {
                self.access_log.screen = true;
                self.vga.fetch8(video)
            }
            low @ 0..LOW => self.memory.read8(low),
            _ => self.read8(address),
        }
    }

    #[inline(always)]
    fn write8(&mut self, address: u32, value: u8) {
        if address < VIDEO { self.memory.write8(address, value) } else { self.write_above(address, value) }
    }

    #[inline(always)]
    fn write16(&mut self, address: u32, value: u16) {
        if address < VIDEO - 1 {
            self.memory.write16(address, value);
        } else {
            self.write16_above(address, value);
        }
    }

    #[inline(always)]
    fn write32(&mut self, address: u32, value: u32) {
        if address < VIDEO - 3 {
            self.memory.write32(address, value);
        } else {
            self.write32_above(address, value);
        }
    }

    #[inline(always)]
    fn fast_read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        if is_plain::<N>(address) { self.memory.array(address) } else { None }
    }

    #[inline(always)]
    fn fast_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        address <= VIDEO - N as u32 && self.memory.write_plain(address, bytes)
    }

    #[inline(always)]
    fn write_beside_code<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        address <= VIDEO - N as u32 && self.memory.write_beside_code(address, bytes)
    }

    // In video memory neither the A20 gate nor the wrap at 1 MiB changes an address.
    #[inline(always)]
    fn device_read<const N: usize>(&mut self, address: u32) -> Option<[u8; N]> {
        self.vga.read_at_once(address)
    }

    #[inline(always)]
    fn device_write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> bool {
        self.vga.write_at_once(address, bytes)
    }

    fn input(&mut self, port: u16, width: Width, now: u64) -> u32 {
        (0..bytes(width)).fold(0, |value, index| {
            value | u32::from(self.input8(port.wrapping_add(index), now)) << (8 * index)
        })
    }

    fn output(&mut self, port: u16, width: Width, value: u32, now: u64) {
        for index in 0..bytes(width) {
            self.output8(port.wrapping_add(index), (value >> (8 * index)) as u8, now);
        }
    }

    #[inline(always)]
    fn fast_output(&mut self, port: u16, width: Width, value: u32, now: u64) -> bool {
        let done = match width {
            Width::Byte => self.vga.fast_output(port, value as u8),
            Width::Word => self.vga.output_pair_at_once(port, value as u16),
            Width::Dword => false,
        };
        if done {
            self.planar_registers_written(now);
        }
        done
    }

    #[inline]
    fn planar_registers_written(&mut self, now: u64) {
        self.missing_devices.note_display(0x3C4);
        self.now = self.now.max(now);
    }

    fn clock_was_read(&mut self) {
        self.access_log.clock = true;
    }

    fn coprocessor_error(&mut self, now: u64) {
        self.pass_to_port(now);
        self.pic.set_irq(IRQ_COPROCESSOR, true);
        self.settle();
    }

    fn next_event(&self) -> u64 {
        self.next_event
    }

    fn is_trap(&self, address: u32) -> bool {
        (BIOS_ROM..HIGH).contains(&address)
    }

    #[inline(always)]
    fn physical(&self, address: u32) -> u32 {
        address & self.address_mask
    }

    fn is_cacheable(&self, address: u32) -> bool {
        match self.physical(address) {
            FRAME..BIOS_ROM => self.frame_slots == OWN_SLOTS,
            physical => matches!(physical, 0..VIDEO | ROM..END),
        }
    }

    fn watch_code(&mut self, address: u32, len: u32) {
        // Byte by byte, since the range may contain the wrap.
        for index in 0..len {
            let physical = self.physical(address.wrapping_add(index));
            self.memory.watch_code(physical, 1);
        }
    }

    #[inline(always)]
    fn code_written(&self) -> bool {
        self.memory.code_written()
    }

    fn take_code_writes(&mut self, drop_range: impl FnMut(u32, u32)) {
        self.memory.take_code_writes(drop_range);
    }

    #[inline]
    fn direct_memory(&mut self) -> Option<DirectMemory<'_>> {
        let direct_from = if self.access_log.of_bios_data { LOW } else { 0 };
        let plain = self.memory.plain(VIDEO as usize, direct_from);
        Some(DirectMemory { plain, planar: Some(self.vga.planar()) })
    }

    #[inline]
    fn ram(&self, address: u32, len: usize) -> Option<&[u8]> {
        let plain = lies_in(LOW..VIDEO, address, len)
            || lies_in(ROM..HIGH, address, len) && self.frame_slots == OWN_SLOTS;
        if plain { self.memory.slice(address, len) } else { None }
    }

    #[inline]
    fn ram_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        let is_frame =
            self.page_frame && self.frame_slots == OWN_SLOTS && lies_in(FRAME..BIOS_ROM, address, len);
        if lies_in(0..VIDEO, address, len) || is_frame { self.memory.slice_mut(address, len) } else { None }
    }

    fn fill_device(&mut self, address: u32, element: &[u8], count: u32) -> bool {
        let is_video = lies_in(VIDEO..ROM, address, count as usize * element.len());
        if is_video {
            self.vga.fill_elements(address, element, count);
        }
        is_video
    }

    fn copy_to_device(&mut self, source: u32, target: u32, size: u32, count: u32) -> bool {
        let len = size as usize * count as usize;
        if !lies_in(VIDEO..ROM, target, len) {
            return false;
        }
        if lies_in(LOW..VIDEO, source, len) {
            let Some(bytes) = self.memory.slice(source, len) else { return false };
            self.vga.write_bytes(target, bytes);
            return true;
        }
        if !lies_in(VIDEO..ROM, source, len) {
            return false;
        }
        // A word access uses the latches once, two byte accesses use them twice. So only bytes are
        // copied as a run, or cells of text. A doubleword is read as a whole before it is written.
        let is_apart = size <= 2 || target <= source || target - source >= len as u32;
        let done = match size {
            1 => {
                self.vga.copy(source, target, count);
                true
            }
            _ => is_apart && self.vga.copy_cells(source, target, len as u32 / 2),
        };
        self.access_log.screen |= done;
        done
    }

    fn copy_from_device(&mut self, source: u32, target: u32, len: u32) -> bool {
        let len = len as usize;
        if !lies_in(VIDEO..ROM, source, len) || !lies_in(LOW..VIDEO, target, len) {
            return false;
        }
        let Some(bytes) = self.memory.slice_mut(target, len) else { return false };
        self.access_log.screen = true;
        self.vga.read_bytes(source, bytes);
        true
    }
}

/// Whether `N` bytes are RAM above the BIOS data area and below video memory.
#[inline(always)]
fn is_plain<const N: usize>(address: u32) -> bool {
    address.wrapping_sub(LOW) <= const { VIDEO - LOW - N as u32 }
}

fn lies_in(range: Range<u32>, address: u32, len: usize) -> bool {
    address >= range.start && u64::from(address) + len as u64 <= u64::from(range.end)
}

fn bytes(width: Width) -> u16 {
    match width {
        Width::Byte => 1,
        Width::Word => 2,
        Width::Dword => 4,
    }
}

impl Hardware {
    #[inline(never)]
    fn read16_outside(&mut self, address: u32) -> u16 {
        match self.physical(address) {
            video @ VIDEO..LAST_VIDEO_BYTE => {
                self.access_log.screen = true;
                self.vga.read16(video)
            }
            _ => u16::from_le_bytes([self.read8(address), self.read8(address.wrapping_add(1))]),
        }
    }

    #[inline(never)]
    fn write16_above(&mut self, address: u32, value: u16) {
        match self.physical(address) {
            video @ VIDEO..LAST_VIDEO_BYTE => self.vga.write16(video, value),
            _ => {
                self.write8(address, value as u8);
                self.write8(address.wrapping_add(1), (value >> 8) as u8);
            }
        }
    }

    #[inline(never)]
    fn read32_outside(&mut self, address: u32) -> u32 {
        if address < VECTORS_END {
            return self.memory.read32(address);
        }
        u32::from(self.read16(address)) | u32::from(self.read16(address.wrapping_add(2))) << 16
    }

    #[inline(never)]
    fn write32_above(&mut self, address: u32, value: u32) {
        self.write16(address, value as u16);
        self.write16(address.wrapping_add(2), (value >> 16) as u16);
    }

    #[inline(never)]
    fn read_outside(&mut self, address: u32) -> u8 {
        match address & self.address_mask {
            video @ VIDEO..ROM => {
                self.access_log.screen = true;
                self.vga.read8(video)
            }
            frame @ FRAME..BIOS_ROM => self.memory.read8(self.in_frame(frame)),
            low @ 0..LOW => {
                self.access_log.note_bios_data(low);
                self.memory.read8(low)
            }
            memory @ LOW..END => self.memory.read8(memory),
            _ => OPEN_BUS,
        }
    }

    #[inline(never)]
    fn write_above(&mut self, address: u32, value: u8) {
        match address & self.address_mask {
            video @ VIDEO..ROM => self.vga.write8(video, value),
            frame @ FRAME..BIOS_ROM if self.page_frame => self.memory.write8(self.in_frame(frame), value),
            ROM..HIGH => {}
            memory @ 0..END => self.memory.write8(memory, value),
            _ => {}
        }
    }

    /// Translates an address in the page frame to the address of the mapped memory.
    fn in_frame(&self, address: u32) -> u32 {
        let slot = (address - FRAME) / SLOT;
        address + u32::from(self.frame_slots[slot as usize & 3]) * SLOT - slot * SLOT
    }

    fn input8(&mut self, port: u16, now: u64) -> u8 {
        if moves_no_line(port) {
            self.now = self.now.max(now);
            return self.read_port(port);
        }
        let port = decoded(port);
        let caught_up = self.pass_to_port(now);
        let value = self.read_port(port);
        if caught_up || !reads_change_nothing(port) {
            self.settle();
        }
        value
    }

    /// OUT of one byte to a port of the display adapter, at the current virtual time.
    #[inline(always)]
    pub(crate) fn output_to_display(&mut self, port: u16, value: u8) {
        let (clock, now) = (&self.clock, self.now);
        self.vga.output_at(port, value, || clock.nanoseconds(now));
    }

    #[inline]
    fn output8(&mut self, port: u16, value: u8, now: u64) {
        if moves_no_line(port) {
            self.now = self.now.max(now);
            self.missing_devices.note_display(port);
            return self.output_to_display(port, value);
        }
        self.output_to_other(port, value, now);
    }

    #[inline(never)]
    fn output_to_other(&mut self, port: u16, value: u8, now: u64) {
        let port = decoded(port);
        let caught_up = self.pass_to_port(now);
        self.write_port(port, value);
        if caught_up || !writes_change_nothing(port) || self.speaker_port_read() {
            self.settle();
        }
    }

    #[inline(always)]
    fn read_port(&mut self, port: u16) -> u8 {
        match port {
            0x00..=0x0F | 0x81..=0x8F | 0xC0..=0xDF => self.dma.input(port),
            0x20 | 0x21 | 0xA0 | 0xA1 => self.pic.input(port),
            0x40..=0x43 => {
                self.access_log.timer = true;
                self.count_ticks();
                self.count_refresh();
                self.record_sound();
                self.pit.input(port, self.tick)
            }
            0x60 => {
                self.keyboard.count_guest_read();
                let ns = self.nanoseconds();
                self.access_log.stale_key |= self.keyboard.is_read(ns);
                self.keyboard.read_data(ns)
            }
            0x61 => {
                self.note_speaker_port_read();
                self.count_ticks();
                self.count_refresh();
                self.ppi.read(self.pit.sound().out_as_read(self.tick))
            }
            0x64 => self.keyboard.read_status(self.nanoseconds()),
            0x71 => {
                self.access_log.clock = true;
                self.rtc.read(self.nanoseconds())
            }
            0x80 => self.post_code,
            0x92 => u8::from(self.keyboard.a20()) << 1,
            0x3B0..=0x3DF => {
                self.access_log.timer |= matches!(port, 0x3BA | 0x3DA);
                self.access_log.screen |= matches!(port, 0x3B5 | 0x3D5);
                self.vga.input(port, self.clock.nanoseconds(self.now))
            }
            _ => {
                self.missing_devices.note(port);
                OPEN_BUS
            }
        }
    }

    /// Writes a byte to a port of another device than the display adapter.
    #[inline(always)]
    fn write_port(&mut self, port: u16, value: u8) {
        match port {
            0x00..=0x0F | 0x81..=0x8F | 0xC0..=0xDF => self.dma.output(port, value),
            0x20 | 0x21 | 0xA0 | 0xA1 => self.pic.output(port, value),
            0x40..=0x43 => {
                self.count_ticks();
                self.count_refresh();
                self.record_sound();
                self.pit.output(port, value, self.tick);
            }
            0x60 => {
                // Resend, if it is a command.
                self.access_log.stale_key |= value == 0xFE;
                let effect = self.keyboard.write_data(value, self.nanoseconds());
                self.apply(effect);
            }
            0x61 => {
                self.count_ticks();
                self.record_sound();
                self.ppi.write(value);
                self.pit.set_sound_gate(self.ppi.timer_gate(), self.tick);
            }
            0x64 => {
                let effect = self.keyboard.write_command(value, self.nanoseconds());
                self.apply(effect);
            }
            0x70 => self.rtc.select(value),
            0x71 => {
                if self.rtc.selects_time() {
                    self.note_side_effect(SideEffect::Clock);
                }
                self.rtc.write(value, self.nanoseconds());
            }
            0x80 => self.post_code = value,
            0x92 => {
                self.set_a20(value & 2 != 0);
                if value & 1 != 0 {
                    self.apply(Effect::Reset);
                }
            }
            // Clears the latch that holds the coprocessor's error. Port F1h also resets the
            // coprocessor.
            0xF0 => self.pic.set_irq(IRQ_COPROCESSOR, false),
            0xF1 => {
                self.pic.set_irq(IRQ_COPROCESSOR, false);
                self.coprocessor_reset_requested = true;
            }
            _ => self.note_write_to_none(port),
        }
    }
}
