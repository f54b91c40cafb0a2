//! The position of the beam: dot clock, line and frame from the registers, and the retrace bits of
//! input status 1.
//!
//! Time is counted in master clocks since the beginning of frame 0: power-on, unless a search has
//! moved it. Source: IBM VGA technical reference, input status 1.

use super::adapter::Vga;
use super::cga::Cga;
use super::kind::Adapter;

/// Lengths in master clocks and scan lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Raster {
    pub(crate) clock_khz: u64,
    /// Master clocks per character.
    character: u64,
    /// Characters per line: displayed, and in total.
    displayed: u64,
    total: u64,
    /// Scan lines per frame: displayed, and in total.
    displayed_lines: u64,
    total_lines: u64,
    /// First scan line of the vertical retrace, and the number of its lines.
    retrace: (u64, u64),
    /// The time at which frame 0 began, in nanoseconds.
    begin_ns: u64,
}

impl Vga {
    pub(super) fn raster(&self) -> Raster {
        if let Some(cga) = &self.cga {
            return Raster { begin_ns: self.frames_begin_ns, ..Raster::of_cga(cga) };
        }
        let (crtc, sequencer) = (&self.registers.crtc, &self.registers.sequencer);
        let dots = if sequencer.nine_dots() { 9 } else { 8 };
        let (retrace_start, retrace_lines) = crtc.vertical_retrace();
        Raster {
            clock_khz: self.kind.clocks_khz()[usize::from(self.registers.misc >> 2 & 3)],
            character: if sequencer.half_dot_clock() { dots * 2 } else { dots },
            displayed: u64::from(crtc.horizontal_displayed()),
            total: u64::from(crtc.horizontal_total() + self.kind.beyond_horizontal_total()),
            displayed_lines: u64::from(crtc.vertical_displayed()),
            total_lines: u64::from(crtc.vertical_total()),
            retrace: (u64::from(retrace_start), u64::from(retrace_lines)),
            begin_ns: self.frames_begin_ns,
        }
    }
}

impl Vga {
    /// Returns the refresh rate in millihertz.
    pub fn refresh_millihertz(&self) -> u64 {
        let raster = self.raster();
        raster.clock_khz * 1_000_000 / raster.frame_clocks()
    }
}

impl Raster {
    fn of_cga(cga: &Cga) -> Raster {
        let (displayed, total, total_lines, (first, lines)) = cga.timing();
        Raster {
            clock_khz: Adapter::Cga.clocks_khz()[0],
            character: u64::from(cga.dots_a_character()),
            displayed: u64::from(displayed),
            total: u64::from(total),
            displayed_lines: u64::from(cga.lines()),
            total_lines: u64::from(total_lines),
            retrace: (u64::from(first), u64::from(lines)),
            begin_ns: 0,
        }
    }

    pub(super) fn line_clocks(&self) -> u64 {
        self.character * self.total
    }

    pub(super) fn frame_clocks(&self) -> u64 {
        self.line_clocks() * self.total_lines
    }

    pub(super) fn nanoseconds(&self, clocks: u64) -> u64 {
        clocks.saturating_mul(1_000_000) / self.clock_khz
    }

    /// Returns the start, in master clocks, of the last frame whose lines have all been displayed.
    pub(super) fn last_whole_frame(&self, now_ns: u64) -> u64 {
        let now = self.clocks(now_ns);
        let begin = now - now % self.frame_clocks();
        let displayed = now - begin >= self.displayed_lines * self.line_clocks();
        if displayed { begin } else { begin.saturating_sub(self.frame_clocks()) }
    }

    /// Returns the master clocks from the beginning of the vertical retrace to the next frame.
    pub(super) fn clocks_after_retrace(&self) -> u64 {
        self.total_lines.saturating_sub(self.retrace.0) * self.line_clocks()
    }

    pub(super) fn clocks(&self, now_ns: u64) -> u64 {
        let since_ns = now_ns.saturating_sub(self.begin_ns);
        let (ms, ns) = (since_ns / 1_000_000, since_ns % 1_000_000);
        ms.wrapping_mul(self.clock_khz).wrapping_add(ns * self.clock_khz / 1_000_000)
    }

    pub(super) fn frame_number(&self, now_ns: u64) -> u64 {
        self.clocks(now_ns) / self.frame_clocks()
    }

    /// Input status 1: bit 0 is set while nothing is displayed, bit 3 during the vertical retrace.
    pub(super) fn status(&self, now_ns: u64) -> u8 {
        let clock = self.clocks(now_ns) % self.frame_clocks();
        let (line, character) = (clock / self.line_clocks(), clock / self.character % self.total);
        let displaying = line < self.displayed_lines && character < self.displayed;
        let (first, lines) = self.retrace;
        let retracing = line >= first && line < first + lines;
        u8::from(!displaying) | u8::from(retracing) << 3
    }
}
