//! How a picture fills a window: the monitor's 4:3, whole multiples of guest pixels, black around.
//!
//! Every guest pixel is a whole number of window pixels wide, and high where that keeps the shape; a window smaller than
//! the picture shows it thinned out. Pure functions of sizes and pixels.

use oxbox::hardware::vga::Frame;

/// Where the picture stands in the window, in window pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    /// Left edge.
    pub(crate) left: usize,
    /// Upper edge.
    pub(crate) top: usize,
    /// Width.
    pub(crate) width: usize,
    /// Height.
    pub(crate) height: usize,
}

/// The height at which a picture of true shape is drawn when `across` window pixels are given to a guest pixel.
///
/// A whole number of window lines a guest line where the shape is then within 5 %; otherwise (text of 720x400 wants 1.35
/// lines for each) the exact height, and [`draw`] blends the window lines that two guest lines share.
fn height_at(frame: &Frame, across: usize) -> usize {
    let (x, y) = (frame.pixel_aspect.0.max(1) as usize, frame.pixel_aspect.1.max(1) as usize);
    let exact = (across * y) as f64 / x as f64;
    let whole = exact.round().max(1.0);
    if (whole / exact - 1.0).abs() <= 0.05 {
        frame.height * whole as usize
    } else {
        (frame.height as f64 * exact).round() as usize
    }
}

/// Where a picture goes in a window of this size: in the middle, enlarged by the largest factor that fits. In a window too
/// small for the picture itself, as large as fits.
pub(crate) fn place(frame: &Frame, width: usize, height: usize) -> Placement {
    let most = (width / frame.width.max(1)).min(64);
    let enlarged = (1..=most).rev().map(|across| (frame.width * across, height_at(frame, across)));
    let fitting = enlarged.into_iter().find(|&(_, high)| high <= height && high >= frame.height);
    let (shown_width, shown_height) = fitting.unwrap_or_else(|| shrunk(frame, width, height));
    Placement {
        left: (width - shown_width) / 2,
        top: (height - shown_height) / 2,
        width: shown_width,
        height: shown_height,
    }
}

/// The largest size of the picture's shape in the window.
fn shrunk(frame: &Frame, width: usize, height: usize) -> (usize, usize) {
    let (x, y) = (frame.pixel_aspect.0.max(1) as usize, frame.pixel_aspect.1.max(1) as usize);
    let (full_width, full_height) = (frame.width * x, frame.height * y);
    if width * full_height <= height * full_width {
        (width, (width * full_height / full_width.max(1)).min(height))
    } else {
        ((height * full_width / full_height.max(1)).min(width), height)
    }
}

/// The size of a window that shows the picture with `across` window pixels a guest pixel.
pub(crate) fn window_size(frame: &Frame, across: usize) -> (usize, usize) {
    (frame.width * across, height_at(frame, across))
}

/// Draws the picture into a window of `width` by `height` pixels, black where it is not.
pub(crate) fn draw(frame: &Frame, width: usize, height: usize, window: &mut Vec<u32>) {
    let place = place(frame, width, height);
    window.clear();
    window.resize(width * height, 0);
    if place.width == 0 || place.height == 0 || frame.pixels.is_empty() {
        return;
    }
    let mut drawn: Option<(Blend, usize)> = None;
    for y in 0..place.height {
        let blend = Blend::of_line(y, place.height, frame.height);
        let start = (place.top + y) * width + place.left;
        match drawn {
            Some((same, at)) if same == blend => window.copy_within(at..at + place.width, start),
            _ => blend.draw(frame, &mut window[start..start + place.width]),
        }
        drawn = Some((blend, start));
    }
}

/// What a window line shows: a guest line, or parts of two.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Blend {
    /// The upper guest line.
    upper: usize,
    /// How much of the next one is mixed in, of 256.
    lower_share: u32,
}

impl Blend {
    /// The guest lines that line `y` of `shown` covers, when `lines` guest lines are shown.
    fn of_line(y: usize, shown: usize, lines: usize) -> Blend {
        let upper = y * lines / shown;
        let end = (y + 1) * lines;
        let over = end.saturating_sub((upper + 1) * shown);
        // Thinned out, a window line covers more than two guest lines: the first stands for all.
        let lower_share = if over >= lines || upper + 1 >= lines { 0 } else { (over * 256 / lines) as u32 };
        Blend { upper, lower_share }
    }

    fn draw(self, frame: &Frame, out: &mut [u32]) {
        let shown = out.len();
        let upper = &frame.pixels[self.upper * frame.width..][..frame.width];
        if self.lower_share == 0 {
            for (x, pixel) in out.iter_mut().enumerate() {
                *pixel = upper[x * frame.width / shown];
            }
            return;
        }
        let lower = &frame.pixels[(self.upper + 1) * frame.width..][..frame.width];
        for (x, pixel) in out.iter_mut().enumerate() {
            let source = x * frame.width / shown;
            *pixel = mix(upper[source], lower[source], self.lower_share);
        }
    }
}

/// Two colours mixed, `share` of 256 of the second.
fn mix(first: u32, second: u32, share: u32) -> u32 {
    let channel = |shift: u32| {
        let (a, b) = (first >> shift & 0xFF, second >> shift & 0xFF);
        ((a * (256 - share) + b * share) >> 8) << shift
    };
    channel(16) | channel(8) | channel(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: usize, height: usize, pixel_aspect: (u32, u32)) -> Frame {
        let pixels = (0..width * height).map(|i| i as u32).collect();
        Frame { width, height, pixels, pixel_aspect, border: 0 }
    }

    #[test]
    fn pictures_stand_like_this() {
        // guest size and aspect, window, and where the picture stands: left top width height
        let table = [
            ((640, 480), (1, 1), (640, 480), (0, 0, 640, 480)),
            ((640, 480), (1, 1), (1300, 970), (10, 5, 1280, 960)),
            ((320, 240), (1, 1), (1000, 800), (20, 40, 960, 720)),
            // 320x200: exact at 5 by 6, near enough at 4 by 5, blended to 4:3 at 2.
            ((320, 200), (5, 6), (1600, 1200), (0, 0, 1600, 1200)),
            ((320, 200), (5, 6), (1280, 1024), (0, 12, 1280, 1000)),
            ((320, 200), (5, 6), (720, 540), (40, 30, 640, 480)),
            ((640, 200), (5, 12), (1280, 1024), (0, 12, 1280, 1000)),
            // Text: 4:3 at each size.
            ((720, 400), (20, 27), (720, 540), (0, 0, 720, 540)),
            ((720, 400), (20, 27), (1440, 1200), (0, 60, 1440, 1080)),
            ((720, 400), (20, 27), (2160, 1620), (0, 10, 2160, 1600)),
            // Too small a window: all of it, thinned out.
            ((640, 480), (1, 1), (320, 300), (0, 30, 320, 240)),
            ((640, 480), (1, 1), (400, 240), (40, 0, 320, 240)),
        ];
        for ((w, h), aspect, (width, height), (left, top, shown_w, shown_h)) in table {
            let expected = Placement { left, top, width: shown_w, height: shown_h };
            assert_eq!(place(&frame(w, h, aspect), width, height), expected, "{w}x{h} in {width}x{height}");
        }
    }

    #[test]
    fn each_pixel_becomes_a_block_and_the_rest_is_black() {
        let picture =
            Frame { width: 2, height: 2, pixels: vec![1, 2, 3, 4], pixel_aspect: (1, 1), border: 0 };
        let mut window = Vec::new();
        draw(&picture, 6, 5, &mut window);
        #[rustfmt::skip]
        assert_eq!(window, [
            0, 1, 1, 2, 2, 0,
            0, 1, 1, 2, 2, 0,
            0, 3, 3, 4, 4, 0,
            0, 3, 3, 4, 4, 0,
            0, 0, 0, 0, 0, 0,
        ]);
    }

    #[test]
    fn a_line_between_two_guest_lines_shows_both() {
        let picture = Frame {
            width: 1,
            height: 2,
            pixels: vec![0x00_00_00, 0xFF_80_40],
            pixel_aspect: (2, 3),
            border: 0,
        };
        let mut window = Vec::new();
        draw(&picture, 1, 3, &mut window);
        assert_eq!(window, [0x00_00_00, 0x7F_40_20, 0xFF_80_40]);
    }

    #[test]
    fn no_size_panics() {
        let mut window = Vec::new();
        for (w, h) in [(0, 0), (1, 1), (7, 3), (720, 400)] {
            for (width, height) in [(0, 0), (1, 1), (0, 9), (1000, 2), (3, 777)] {
                draw(&frame(w, h, (20, 27)), width, height, &mut window);
                assert_eq!(window.len(), width * height);
            }
        }
    }
}
