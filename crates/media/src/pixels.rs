//! Comparison of pictures, whatever they are stored in.

use oxbox_machine::hardware::vga::Frame;

/// Rows of pixels.
///
/// ```
/// use oxbox_media::pixels::Pixels;
///
/// let expected = Pixels { width: 2, pixels: &[0x112233, 0xFFAA00, 0, 0xFFFFFF] };
/// let found = Pixels { width: 2, pixels: &[0x112233, 0xFFAA00, 0, 0xFFFFFE] };
/// let difference = "1 of 4 pixels differs, at (1, 1): FFFFFE, not FFFFFF";
/// assert_eq!(found.difference(expected).as_deref(), Some(difference));
/// assert!(found.contains(Pixels { width: 1, pixels: &[0xFFAA00, 0xFFFFFE] }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pixels<'a> {
    /// Pixels per line.
    pub width: usize,
    /// 00RRGGBB, in lines from the top.
    pub pixels: &'a [u32],
}

impl<'a> From<&'a Frame> for Pixels<'a> {
    fn from(frame: &'a Frame) -> Self {
        Pixels { width: frame.width, pixels: &frame.pixels }
    }
}

impl Pixels<'_> {
    /// Returns the number of lines.
    pub fn height(&self) -> usize {
        self.pixels.len() / self.width.max(1)
    }

    /// Returns whether `part` is somewhere in this picture. An empty one is not.
    pub fn contains(&self, part: Pixels<'_>) -> bool {
        let (width, height) = (part.width, part.height());
        if width == 0 || height == 0 || width > self.width || height > self.height() {
            return false;
        }
        let is_at = |x: usize, y: usize| {
            part.pixels.chunks_exact(width).enumerate().all(|(line, pixels)| {
                let from = (y + line) * self.width + x;
                self.pixels[from..from + width] == *pixels
            })
        };
        (0..=self.height() - height).any(|y| (0..=self.width - width).any(|x| is_at(x, y)))
    }

    /// Returns the difference from the expected picture in one line; `None` if they are equal.
    pub fn difference(&self, expected: Pixels<'_>) -> Option<String> {
        let size = |picture: &Pixels<'_>| (picture.width, picture.height());
        if size(self) != size(&expected) {
            let [(width, height), (expected_width, expected_height)] = [size(self), size(&expected)];
            return Some(format!(
                "the picture has {width} by {height} pixels, not {expected_width} by {expected_height}"
            ));
        }
        let pairs = self.pixels.iter().zip(expected.pixels).enumerate();
        let differing: Vec<usize> = pairs.filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
        let (&first, &last) = (differing.first()?, differing.last()?);
        let place = |at: usize| (at % self.width, at / self.width);
        let columns = || differing.iter().map(|&at| place(at).0);
        let (left, right) = (columns().min()?, columns().max()?);
        let ((x, top), (_, bottom)) = (place(first), place(last));
        let many = match differing.len() {
            1 => format!("1 of {} pixels differs, at", self.pixels.len()),
            many => format!(
                "{many} of {} pixels differ, within ({left}, {top}) to ({right}, {bottom}), the first at",
                self.pixels.len()
            ),
        };
        Some(format!("{many} ({x}, {top}): {:06X}, not {:06X}", self.pixels[first], expected.pixels[first]))
    }

    /// Returns the expected picture in pale grey, with the pixels that differ in red.
    pub fn marked(&self, expected: Pixels<'_>) -> Vec<u32> {
        let mark = |(at, &pixel): (usize, &u32)| {
            let (x, y) = (at % expected.width, at / expected.width);
            let there = (x < self.width).then(|| self.pixels.get(y * self.width + x)).flatten();
            let [_, r, g, b] = pixel.to_be_bytes();
            let grey = (u32::from(r) * 2 + u32::from(g) * 5 + u32::from(b)) / 8 / 3 + 160;
            if there == Some(&pixel) { grey << 16 | grey << 8 | grey } else { 0xD0_10_20 }
        };
        expected.pixels.iter().enumerate().map(mark).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Pixels<'_> = Pixels { width: 2, pixels: &[0x112233, 0xFFAA00, 0, 0xFFFFFF] };

    #[test]
    fn a_difference_is_placed() {
        let found = |pixels| Pixels { width: 2, pixels };
        let rows: [(&[u32], &str); 3] = [
            (&[0x112233, 0xFFAA00, 0, 0xFFFFFE], "1 of 4 pixels differs, at (1, 1): FFFFFE, not FFFFFF"),
            (
                &[0x112233, 0, 1, 0xFFFFFF],
                "2 of 4 pixels differ, within (0, 0) to (1, 1), the first at (1, 0): 000000, not FFAA00",
            ),
            (&[0, 0], "the picture has 2 by 1 pixels, not 2 by 2"),
        ];
        for (pixels, expected) in rows {
            assert_eq!(found(pixels).difference(EXPECTED).as_deref(), Some(expected));
        }
        assert_eq!(EXPECTED.difference(EXPECTED), None);
    }

    #[test]
    fn differences_are_red_and_the_rest_is_pale() {
        let found = Pixels { width: 2, pixels: &[0x112233, 0xFFAA00, 0, 0xFFFFFE] };
        assert_eq!(found.marked(EXPECTED), [0xAAAAAA, 0xD8D8D8, 0xA0A0A0, 0xD01020]);
        let small = Pixels { width: 1, pixels: &[0x112233] };
        assert_eq!(small.marked(EXPECTED), [0xAAAAAA, 0xD01020, 0xD01020, 0xD01020]);
    }

    #[test]
    fn a_part_is_found_wherever_it_is() {
        let part = |width, pixels| EXPECTED.contains(Pixels { width, pixels });
        assert!(part(2, EXPECTED.pixels) && part(1, &[0xFFAA00, 0xFFFFFF]) && part(2, &[0, 0xFFFFFF]));
        assert!(!part(2, &[0xFFAA00, 0]) && !part(3, &[0x112233, 0xFFAA00, 0]));
        assert!(!part(0, &[]) && !part(2, &[]));
    }
}
