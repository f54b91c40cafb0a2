//! The picture while registers change: each line is drawn with the registers' values at its start.
//!
//! The last frame that the beam has finished is shown. A change in the middle of a line takes
//! effect at the next line. The start address is latched at the vertical retrace, as in the chip.
//! The memory is the current one.

use super::super::adapter::Vga;
use super::super::history::{Change, EFFECT_HALF_FRAMES, History};
use super::super::raster::Raster;
use super::{Counters, Frame};

/// The lines of a frame as they were drawn. Their widths differ if the registers changed.
struct Lines(Vec<Vec<u32>>);

impl Vga {
    /// Returns the picture on the screen `now_ns` nanoseconds after power-on.
    pub(crate) fn shown_frame(&self, now_ns: u64) -> Frame {
        let raster = self.raster();
        let frames_ns = raster.nanoseconds(raster.frame_clocks()).saturating_mul(EFFECT_HALF_FRAMES) / 2;
        let changes = self.history.effects(now_ns.saturating_sub(frames_ns));
        if changes.is_empty() {
            return self.frame(now_ns);
        }
        let lines = self.scan(&raster, &changes, now_ns);
        let group = self.scan_lines_a_pixel();
        let group = if lines.come_in(group) { group } else { 1 };
        let width = lines.0.iter().map(Vec::len).max().unwrap_or(0);
        let pixels: Vec<u32> = lines
            .0
            .iter()
            .step_by(group)
            .flat_map(|line| (0..width).map(move |x| line[x * line.len() / width]))
            .collect();
        Frame {
            width,
            height: pixels.len().checked_div(width).unwrap_or(0),
            pixels,
            pixel_aspect: self.pixel_aspect(group),
            border: self.border(),
        }
    }

    /// Draws the last whole frame, line by line.
    fn scan(&self, raster: &Raster, changes: &[Change], now_ns: u64) -> Lines {
        let begin = raster.last_whole_frame(now_ns);
        let done_by = |clock: u64| move |change: &Change| raster.clocks(change.ns) <= clock;
        let turned_back = begin.saturating_sub(raster.clocks_after_retrace());
        let mut beam = Vga {
            kind: self.kind,
            cga: self.cga.clone(),
            registers: self.registers.clone(),
            planes: self.planes.clone(),
            latch: self.latch,
            access: self.access,
            history: History::default(),
            reads_watched: false,
            frames_begin_ns: self.frames_begin_ns,
        };
        let mut done = changes.partition_point(done_by(turned_back));
        for change in changes[done..].iter().rev() {
            beam.show(change.register, change.before);
        }
        let mut counters = Counters::at_top(&beam);
        let mut pen = beam.pen(now_ns);
        let lines = (0..self.lines()).map(|number| {
            let line_begins = begin.saturating_add(u64::from(number) * raster.line_clocks());
            let due = changes[done..].partition_point(done_by(line_begins));
            for change in &changes[done..done + due] {
                beam.show(change.register, change.after);
            }
            done += due;
            if due > 0 {
                pen = beam.pen(now_ns);
            }
            let line = counters.next(&beam, number);
            let mut pixels = vec![0; beam.width()];
            beam.draw(&mut pen, number as usize, line, &mut pixels);
            pixels
        });
        Lines(lines.collect())
    }
}

impl Lines {
    /// Whether each group of this many successive lines is equal.
    fn come_in(&self, group: usize) -> bool {
        self.0.len().is_multiple_of(group)
            && self.0.chunks(group).all(|lines| lines.iter().all(|line| *line == lines[0]))
    }
}
