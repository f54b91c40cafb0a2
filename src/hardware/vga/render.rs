//! The picture: a pure function of registers, memory and, for blinking, the time.
//!
//! Scan lines are walked as the CRTC counts them; each is then drawn as text or graphics. Lines that the registers repeat
//! (double scan, rows of several scan lines) are given once, and so are pixels of two dots: one pixel of the frame is one
//! pixel of the guest. Only where a split or a preset row scan cuts through such a group every scan line is given.

mod line;

use super::adapter::Vga;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Pixels a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// 00RRGGBB, line after line from the top.
    pub pixels: Vec<u32>,
    /// Width and height of a pixel on the monitor, reduced: (5, 6) for 320x200, (1, 1) for 640x480.
    pub pixel_aspect: (u32, u32),
    /// Colour of the border around the picture, 00RRGGBB.
    pub border: u32,
}

impl Frame {
    /// The largest size of the monitor's picture within `width` by `height` square pixels.
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

    /// The picture in `width` by `height` square pixels or the part of them that keeps its shape: each the mean of what it covers.
    pub fn within(&self, width: usize, height: usize) -> Frame {
        let (width, height) = self.size_within(width, height);
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels = pixels.map(|(x, y)| self.mean(x, y, width, height)).collect();
        Frame { width, height, pixels, pixel_aspect: (1, 1), border: self.border }
    }

    /// The mean colour under pixel `x`, `y` of the picture drawn as `width` by `height`.
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

/// One scan line: where its memory begins and which line of the row it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScanLine {
    /// Address counter at the left edge.
    pub(super) counter: u16,
    /// Line in the row; 0 throughout in graphics whose addresses do not depend on it.
    pub(super) row_scan: u8,
    /// Pixels by which the line is moved to the left.
    pub(super) panning: usize,
}

impl Vga {
    /// The picture that is on the screen `now_ns` nanoseconds after power-on.
    pub(crate) fn frame(&self, now_ns: u64) -> Frame {
        let lines = self.scan_lines();
        let group = self.equal_lines(&lines);
        let kept: Vec<ScanLine> = lines.iter().copied().step_by(group).collect();
        let width = self.width();
        let border = self.registers.dac.rgb(self.registers.attribute.overscan());
        let mut pixels = vec![0; width * kept.len()];
        if !self.registers.crtc.retraces() || self.registers.sequencer.screen_off() {
            // Black: the pixels are.
        } else if self.registers.attribute.palette_released() {
            pixels.fill(border);
        } else {
            let visible = (self.registers.crtc.vertical_blank_start() as usize).div_ceil(group);
            let shown = kept.iter().zip(pixels.chunks_exact_mut(width)).take(visible);
            self.draw(shown, now_ns);
        }
        Frame { width, height: kept.len(), pixels, pixel_aspect: self.pixel_aspect(group), border }
    }

    /// Draws lines, each with a character more than is shown, of which panning takes what it needs.
    fn draw<'a>(&self, lines: impl Iterator<Item = (&'a ScanLine, &'a mut [u32])>, now_ns: u64) {
        let mut whole = vec![0; self.width() + self.pixels_a_character()];
        let mut show = |line: &ScanLine, out: &mut [u32], draw: &dyn Fn(ScanLine, &mut [u32])| {
            draw(*line, &mut whole);
            out.copy_from_slice(&whole[line.panning..][..out.len()]);
        };
        if self.is_graphics() {
            let colours = self.graphics_colours(now_ns);
            for (line, out) in lines {
                show(line, out, &|line, whole| self.draw_graphics(line, &colours, whole));
            }
        } else {
            let look = self.text_look(now_ns);
            for (line, out) in lines {
                show(line, out, &|line, whole| self.draw_text(line, &look, whole));
            }
        }
    }

    /// Pixels that a character clock gives: 8 or 9 dots, or half as many pixels of two dots.
    pub(super) fn pixels_a_character(&self) -> usize {
        match (
            self.is_graphics() && self.registers.attribute.pixels_of_8_bits(),
            self.registers.sequencer.nine_dots(),
        ) {
            (true, _) => 4,
            (false, true) => 9,
            (false, false) => 8,
        }
    }

    /// Pixels a line.
    pub(super) fn width(&self) -> usize {
        self.registers.crtc.horizontal_displayed() as usize * self.pixels_a_character()
    }

    /// The displayed scan lines, counted as the CRTC does.
    pub(super) fn scan_lines(&self) -> Vec<ScanLine> {
        let crtc = &self.registers.crtc;
        let uniform = self.is_graphics() && crtc.rows_are_uniform();
        let last_row_scan = crtc.row_height() - 1;
        let mut byte_panning = crtc.byte_panning();
        let mut panning = self.registers.attribute.panning(self.registers.sequencer.nine_dots());
        let mut counter = crtc.start_address();
        let mut row_scan = crtc.preset_row_scan();
        let mut second_half = false;
        let mut lines = Vec::with_capacity(crtc.vertical_displayed() as usize);
        for line in 0..crtc.vertical_displayed() {
            lines.push(ScanLine {
                counter: counter.wrapping_add(byte_panning),
                row_scan: if uniform { 0 } else { row_scan },
                panning,
            });
            if line == crtc.line_compare() {
                (counter, row_scan, second_half) = (0, 0, false);
                if self.registers.attribute.panning_ends_at_split() {
                    (byte_panning, panning) = (0, 0);
                }
            } else if crtc.double_scan() && !second_half {
                second_half = true;
            } else {
                second_half = false;
                if row_scan == last_row_scan {
                    row_scan = 0;
                    counter = counter.wrapping_add(crtc.row_offset());
                } else {
                    row_scan = (row_scan + 1) & 0x1F;
                }
            }
        }
        lines
    }

    /// Scan lines from the top of a row to the top of the next.
    pub(super) fn scan_lines_a_row(&self) -> usize {
        usize::from(self.registers.crtc.row_height()) * if self.registers.crtc.double_scan() { 2 } else { 1 }
    }

    /// How many successive scan lines are the same all over the screen, so that one stands for them.
    pub(super) fn equal_lines(&self, lines: &[ScanLine]) -> usize {
        let uniform = self.is_graphics() && self.registers.crtc.rows_are_uniform();
        let group = match self.registers.crtc.double_scan() {
            _ if uniform => self.scan_lines_a_row(),
            true => 2,
            false => 1,
        };
        let whole = lines.len().is_multiple_of(group);
        let equal = lines.chunks(group).all(|chunk| chunk.iter().all(|line| *line == chunk[0]));
        if whole && equal { group } else { 1 }
    }

    /// A pixel's shape on a 4:3 monitor. A line's time is that of 640 dots of the 25 MHz clock or 720 of the 28 MHz clock;
    /// the monitor stretches 350, 400 or 480 scan lines to its height, told by the polarity of the sync signals.
    fn pixel_aspect(&self, lines_a_pixel: usize) -> (u32, u32) {
        let dots_a_screen = if self.registers.misc >> 2 & 3 == 1 { 720 } else { 640 };
        let lines_a_screen = match self.registers.misc >> 6 {
            2 => 350,
            3 => 480,
            _ => 400,
        };
        let half_clock = if self.registers.sequencer.half_dot_clock() { 2 } else { 1 };
        let two_dots = if self.is_graphics() && self.registers.attribute.pixels_of_8_bits() { 2 } else { 1 };
        // Width 4 * dots / dots_a_screen over height 3 * lines / lines_a_screen.
        let width = 4 * half_clock * two_dots * lines_a_screen;
        let height = 3 * lines_a_pixel as u32 * dots_a_screen;
        let divisor = greatest_common_divisor(width, height);
        (width / divisor, height / divisor)
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
