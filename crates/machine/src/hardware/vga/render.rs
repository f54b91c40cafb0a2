//! The picture: a pure function of registers, memory and, for blinking, the time.
//!
//! Scan lines are counted as by the CRTC; each is then drawn as text or graphics. Lines that the
//! registers repeat (double scan, rows of several scan lines) appear once, and so do pixels of two
//! dots: one pixel of the frame is one pixel of the guest. If a split or a preset row scan begins
//! within such a group, every scan line appears.

mod line;
mod scanned;

use super::adapter::Vga;
use super::cga::{self, Cga};
use super::registers::Registers;
use line::{GraphicsColours, TextLook};

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Pixels per line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// 00RRGGBB, line by line from the top.
    pub pixels: Vec<u32>,
    /// A pixel's width and height on the monitor, reduced: (5, 6) for 320x200, (1, 1) for 640x480.
    pub pixel_aspect: (u32, u32),
    /// Colour of the border around the picture, 00RRGGBB.
    pub border: u32,
}

impl Frame {
    /// Returns the largest size of the monitor's picture within `width` by `height` square pixels.
    pub fn size_within(&self, width: usize, height: usize) -> (usize, usize) {
        let full_width = self.width * self.pixel_aspect.0.max(1) as usize;
        let full_height = self.height * self.pixel_aspect.1.max(1) as usize;
        if full_width == 0 || full_height == 0 {
            return (0, 0);
        }
        if width * full_height <= height * full_width {
            (width, (width * full_height / full_width).max(1).min(height))
        } else {
            ((height * full_width / full_height).max(1).min(width), height)
        }
    }

    /// Returns the picture scaled to `width` by `height` square pixels, or to the part that keeps
    /// its shape. Each pixel is the mean of the area it covers.
    pub fn within(&self, width: usize, height: usize) -> Frame {
        let (width, height) = self.size_within(width, height);
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels = pixels.map(|(x, y)| self.mean(x, y, width, height)).collect();
        Frame { width, height, pixels, pixel_aspect: (1, 1), border: self.border }
    }

    /// Returns the mean colour under pixel `x`, `y` of the picture scaled to `width` by `height`.
    pub fn mean(&self, x: usize, y: usize, width: usize, height: usize) -> u32 {
        let span = |at: usize, shown: usize, size: usize| {
            let start = at * size / shown;
            start..((at + 1) * size / shown).max(start + 1)
        };
        let (columns, lines) = (span(x, width, self.width), span(y, height, self.height));
        let count = (columns.len() * lines.len()) as u32;
        let mut sums = [0_u32; 3];
        for line in lines {
            for &pixel in &self.pixels[line * self.width..][columns.clone()] {
                for (sum, shift) in sums.iter_mut().zip([16, 8, 0]) {
                    *sum += pixel >> shift & 0xFF;
                }
            }
        }
        let [red, green, blue] = sums.map(|sum| (sum + count / 2) / count);
        red << 16 | green << 8 | blue
    }
}

/// The start address of one scan line, and its line in the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScanLine {
    /// Address counter at the left edge.
    pub(super) counter: u16,
    /// Line in the row. Always 0 in graphics whose addresses do not depend on it.
    pub(super) row_scan: u8,
    /// The number of pixels by which the line is moved to the left.
    pub(super) panning: usize,
}

/// The parameters with which lines are drawn while no register changes.
struct Pen {
    ink: Ink,
    /// A line, including the pixels that panning may move into it.
    whole: Vec<u32>,
}

enum Ink {
    /// One colour everywhere: the picture is off.
    One(u32),
    Text(TextLook),
    Graphics(GraphicsColours),
    Cga(cga::Look),
}

/// The CRTC's counters, from the top of a frame.
struct Counters {
    /// Address counter at the left edge, without byte panning.
    counter: u16,
    row_scan: u8,
    /// Whether this is the second of two equal scan lines.
    second_half: bool,
    /// Whether the line is below a split that ends panning.
    unpanned: bool,
}

impl Counters {
    fn at_top(vga: &Vga) -> Counters {
        let (counter, row_scan) = match &vga.cga {
            Some(cga) => (cga.start_address(), 0),
            None => (vga.registers.crtc.start_address(), vga.registers.crtc.preset_row_scan()),
        };
        Counters { counter, row_scan, second_half: false, unpanned: false }
    }

    fn next(&mut self, vga: &Vga, number: u32) -> ScanLine {
        match &vga.cga {
            Some(cga) => self.next_of_cga(cga),
            None => self.next_of_vga(&vga.registers, number),
        }
    }

    fn next_of_cga(&mut self, cga: &Cga) -> ScanLine {
        let line = ScanLine { counter: self.counter, row_scan: self.row_scan, panning: 0 };
        if self.row_scan == cga.row_height() - 1 {
            self.row_scan = 0;
            self.counter = self.counter.wrapping_add(cga.columns());
        } else {
            self.row_scan = (self.row_scan + 1) & 0x1F;
        }
        line
    }

    fn next_of_vga(&mut self, registers: &Registers, number: u32) -> ScanLine {
        let (crtc, attribute) = (&registers.crtc, &registers.attribute);
        let (byte_panning, panning) = match self.unpanned {
            true => (0, 0),
            false => (crtc.byte_panning(), attribute.panning(registers.sequencer.nine_dots())),
        };
        let uniform = registers.is_graphics() && crtc.rows_are_uniform();
        let line = ScanLine {
            counter: self.counter.wrapping_add(byte_panning),
            row_scan: if uniform { 0 } else { self.row_scan },
            panning,
        };
        if number == crtc.line_compare() {
            let unpanned = self.unpanned || attribute.panning_ends_at_split();
            *self = Counters { counter: 0, row_scan: 0, second_half: false, unpanned };
        } else if crtc.double_scan() && !self.second_half {
            self.second_half = true;
        } else {
            self.second_half = false;
            if self.row_scan == crtc.row_height() - 1 {
                self.row_scan = 0;
                self.counter = self.counter.wrapping_add(crtc.row_offset());
            } else {
                self.row_scan = (self.row_scan + 1) & 0x1F;
            }
        }
        line
    }
}

impl Vga {
    /// Returns the picture for the current registers, `now_ns` nanoseconds after power-on.
    pub fn frame(&self, now_ns: u64) -> Frame {
        let lines = self.scan_lines();
        let group = self.equal_lines(&lines);
        let kept: Vec<ScanLine> = lines.iter().copied().step_by(group).collect();
        let width = self.width();
        let mut pixels = vec![0; width * kept.len()];
        let mut pen = self.pen(now_ns);
        for (number, (line, out)) in kept.iter().zip(pixels.chunks_exact_mut(width)).enumerate() {
            self.draw(&mut pen, number * group, *line, out);
        }
        Frame {
            width,
            height: kept.len(),
            pixels,
            pixel_aspect: self.pixel_aspect(group),
            border: self.border(),
        }
    }

    fn border(&self) -> u32 {
        if let Some(cga) = &self.cga {
            return cga.border();
        }
        self.registers.dac.rgb(self.registers.attribute.overscan())
    }

    /// Returns the parameters for drawing lines, valid while no register changes.
    fn pen(&self, now_ns: u64) -> Pen {
        let ink = if let Some(cga) = &self.cga {
            Ink::Cga(self.cga_look(cga, now_ns))
        } else if !self.registers.crtc.retraces() || self.registers.sequencer.screen_off() {
            Ink::One(0)
        } else if self.registers.attribute.palette_released() {
            Ink::One(self.border())
        } else if self.is_graphics() {
            Ink::Graphics(self.graphics_colours(now_ns))
        } else {
            Ink::Text(self.text_look(now_ns))
        };
        // One character more than is shown: panning uses a part of it.
        Pen { ink, whole: vec![0; self.width() + self.pixels_a_character()] }
    }

    fn draw(&self, pen: &mut Pen, number: usize, line: ScanLine, out: &mut [u32]) {
        let visible = self.registers.crtc.vertical_blank_start() as usize;
        match &pen.ink {
            Ink::One(colour) => return out.fill(*colour),
            Ink::Cga(look) => {
                if let Some(cga) = &self.cga {
                    cga.draw(&self.planes, (line.counter, line.row_scan), look, out);
                }
                return;
            }
            _ if number >= visible => return out.fill(0),
            Ink::Graphics(colours) => self.draw_graphics(line, colours, &mut pen.whole),
            Ink::Text(look) => self.draw_text(line, look, &mut pen.whole),
        }
        out.copy_from_slice(&pen.whole[line.panning..][..out.len()]);
    }

    /// Returns the pixels per character clock: 8 or 9 dots, or half as many pixels of two dots.
    pub(super) fn pixels_a_character(&self) -> usize {
        if let Some(cga) = &self.cga {
            return cga.pixels_a_character();
        }
        match (
            self.is_graphics() && self.registers.attribute.pixels_of_8_bits(),
            self.registers.sequencer.nine_dots(),
        ) {
            (true, _) => 4,
            (false, true) => 9,
            (false, false) => 8,
        }
    }

    pub(super) fn width(&self) -> usize {
        let characters = match &self.cga {
            Some(cga) => u32::from(cga.columns()).max(1),
            None => self.registers.crtc.horizontal_displayed(),
        };
        characters as usize * self.pixels_a_character()
    }

    /// Returns the scan lines displayed.
    fn lines(&self) -> u32 {
        self.cga.as_ref().map_or_else(|| self.registers.crtc.vertical_displayed(), Cga::lines)
    }

    /// Returns the displayed scan lines, counted as by the CRTC.
    pub(super) fn scan_lines(&self) -> Vec<ScanLine> {
        let mut counters = Counters::at_top(self);
        (0..self.lines()).map(|number| counters.next(self, number)).collect()
    }

    /// Returns the scan lines from the top of a row to the top of the next.
    pub(super) fn scan_lines_a_row(&self) -> usize {
        if let Some(cga) = &self.cga {
            return cga.row_height().into();
        }
        usize::from(self.registers.crtc.row_height()) * if self.registers.crtc.double_scan() { 2 } else { 1 }
    }

    /// Returns the scan lines per line of pixels, if none begins within a group.
    fn scan_lines_a_pixel(&self) -> usize {
        if self.cga.is_some() {
            return 1;
        }
        let uniform = self.is_graphics() && self.registers.crtc.rows_are_uniform();
        match self.registers.crtc.double_scan() {
            _ if uniform => self.scan_lines_a_row(),
            true => 2,
            false => 1,
        }
    }

    /// Returns how many successive scan lines are equal, so that one represents them.
    pub(super) fn equal_lines(&self, lines: &[ScanLine]) -> usize {
        let group = self.scan_lines_a_pixel();
        let whole = lines.len().is_multiple_of(group);
        let equal = lines.chunks(group).all(|chunk| chunk.iter().all(|line| *line == chunk[0]));
        if whole && equal { group } else { 1 }
    }

    /// Returns a pixel's shape on a 4:3 monitor. A line has the duration of 640 dots of the 25 MHz
    /// clock or 720 of the 28 MHz clock. The monitor stretches 350, 400 or 480 scan lines to its
    /// height, selected by the polarity of the sync signals.
    fn pixel_aspect(&self, lines_a_pixel: usize) -> (u32, u32) {
        let (dots_a_screen, lines_a_screen) = self.kind.screen(self.registers.misc);
        let half_clock = if self.registers.sequencer.half_dot_clock() { 2 } else { 1 };
        let two_dots = if self.is_graphics() && self.registers.attribute.pixels_of_8_bits() { 2 } else { 1 };
        let dots = self.cga.as_ref().map_or(half_clock * two_dots, Cga::dots_a_pixel);
        // Width 4 * dots / dots_a_screen, height 3 * lines / lines_a_screen.
        let width = 4 * dots * lines_a_screen;
        let height = 3 * lines_a_pixel as u32 * dots_a_screen;
        let divisor = greatest_common_divisor(width, height);
        (width / divisor, height / divisor)
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
