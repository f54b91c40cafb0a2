//! Scaling of a picture to a window: as large as possible in the monitor's 4:3 shape, with black
//! borders.
//!
//! Whole multiples of guest pixels are used if they leave little of the window unused. Otherwise
//! each window pixel is the mean of the guest pixels that it covers, so that all strokes have the
//! same width, and are sharp except where two of them share a pixel. Pure functions of sizes and
//! pixels.

use oxbox_machine::hardware::vga::Frame;

/// Whole multiples may leave 1/`UNUSED` of the largest size unused.
const UNUSED: usize = 12;

/// The position of the picture in the window, in window pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Left edge.
    pub left: usize,
    /// Upper edge.
    pub top: usize,
    /// Width.
    pub width: usize,
    /// Height.
    pub height: usize,
}

/// Returns the height of a picture in its true shape with `across` window pixels per guest pixel.
///
/// The height is a whole number of window lines per guest line if the shape is then within 5 %.
/// Otherwise it is exact: text of 720x400 needs 1.35 lines per guest line.
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

/// Returns the position of a picture in a window: centred, as large as possible, or the largest
/// whole multiple if that is not much smaller.
pub fn place(frame: &Frame, width: usize, height: usize) -> Placement {
    let (full_width, full_height) = frame.size_within(width, height);
    let most = (width / frame.width.max(1)).min(64);
    let enlarged = (1..=most).rev().map(|across| (frame.width * across, height_at(frame, across)));
    let whole = enlarged.into_iter().find(|&(_, high)| high <= height && high >= frame.height);
    let (shown_width, shown_height) = whole
        .filter(|&(wide, _)| wide + full_width / UNUSED >= full_width)
        .unwrap_or((full_width, full_height));
    Placement {
        left: (width - shown_width) / 2,
        top: (height - shown_height) / 2,
        width: shown_width,
        height: shown_height,
    }
}

/// Returns the size of a window with `across` window pixels per guest pixel.
pub fn window_size(frame: &Frame, across: usize) -> (usize, usize) {
    (frame.width * across, height_at(frame, across))
}

/// Draws the picture into a window of `width` by `height` pixels, on black.
///
/// `shown` is the picture that the window currently shows at this size, if any: lines that are
/// equal in both are not drawn again.
pub fn draw(frame: &Frame, shown: Option<&Frame>, width: usize, height: usize, window: &mut Vec<u32>) {
    let shown = shown.filter(|shown| is_shaped_as(shown, frame) && window.len() == width * height);
    if shown.is_none() {
        window.clear();
        window.resize(width * height, 0);
    }
    let place = place(frame, width, height);
    if place.width == 0 || place.height == 0 || frame.pixels.is_empty() {
        return;
    }
    let guest_line = |y: usize| &frame.pixels[y * frame.width..][..frame.width];
    let is_new =
        |y: usize| shown.is_none_or(|shown| shown.pixels[y * frame.width..][..frame.width] != *guest_line(y));
    let is_new: Vec<bool> = (0..frame.height).map(is_new).collect();
    let columns = covers(frame.width, place.width);
    let stretch =
        |y: usize| columns.iter().map(|cover| cover.colour(|x| guest_line(y)[x])).collect::<Vec<u32>>();
    let mut stretched = vec![Vec::new(); frame.height];
    for (y, cover) in covers(frame.height, place.height).iter().enumerate() {
        let lines = cover.first..=cover.last;
        if !lines.clone().any(|line| is_new[line]) {
            continue;
        }
        for line in lines {
            if stretched[line].is_empty() {
                stretched[line] = stretch(line);
            }
        }
        let start = (place.top + y) * width + place.left;
        let out = &mut window[start..start + place.width];
        match cover.only() {
            Some(one) => out.copy_from_slice(&stretched[one]),
            None => {
                for (x, pixel) in out.iter_mut().enumerate() {
                    *pixel = cover.colour(|y| stretched[y][x]);
                }
            }
        }
    }
}

/// Returns whether both pictures have the same position in every window.
fn is_shaped_as(one: &Frame, other: &Frame) -> bool {
    (one.width, one.height, one.pixel_aspect) == (other.width, other.height, other.pixel_aspect)
}

/// The guest pixels, or lines, that a window pixel, or line, covers.
#[derive(Clone, Copy)]
struct Cover {
    first: usize,
    last: usize,
    /// The shares of the first and the last one; those between have `between` each.
    shares: (u32, u32),
    between: u32,
}

/// Returns the coverage of each of `shown` window pixels over `guest` guest pixels.
fn covers(guest: usize, shown: usize) -> Vec<Cover> {
    let cover = |at: usize| {
        // In units of which a guest pixel has `shown` and a window pixel `guest`.
        let (from, to) = (at * guest, (at + 1) * guest);
        let (first, last) = (from / shown, (to - 1) / shown);
        let share = |one: usize| (to.min((one + 1) * shown) - from.max(one * shown)) as u32;
        Cover { first, last, shares: (share(first), share(last)), between: shown as u32 }
    };
    (0..shown).map(cover).collect()
}

impl Cover {
    /// Returns the covered pixel if there is only one.
    fn only(&self) -> Option<usize> {
        (self.first == self.last).then_some(self.first)
    }

    fn share(&self, one: usize) -> u32 {
        if one == self.first {
            self.shares.0
        } else if one == self.last {
            self.shares.1
        } else {
            self.between
        }
    }

    /// Returns the mean of the covered colours. Light is added by intensity, which is about the
    /// square of a colour value, so that a stroke shared by two pixels looks as bright as one in a
    /// single pixel.
    fn colour(&self, pixel: impl Fn(usize) -> u32) -> u32 {
        let colour = pixel(self.first);
        if (self.first + 1..=self.last).all(|next| pixel(next) == colour) {
            return colour;
        }
        let whole: u64 = (self.first..=self.last).map(|one| u64::from(self.share(one))).sum();
        let channel = |shift: u32| {
            let strength = |one: usize| {
                let value = u64::from(pixel(one) >> shift & 0xFF);
                value * value * u64::from(self.share(one))
            };
            let mean = (self.first..=self.last).map(strength).sum::<u64>() / whole;
            (mean.isqrt() as u32) << shift
        };
        channel(16) | channel(8) | channel(0)
    }
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
        // guest size and aspect, window, and position of the picture: left top width height
        let table = [
            ((640, 480), (1, 1), (640, 480), (0, 0, 640, 480)),
            ((640, 480), (1, 1), (1300, 970), (10, 5, 1280, 960)),
            ((320, 240), (1, 1), (1000, 800), (20, 40, 960, 720)),
            // Twice the size would leave a third of the window black.
            ((640, 480), (1, 1), (1900, 1425), (0, 0, 1900, 1425)),
            // 320x200: exact at 5 by 6, near enough at 4 by 5, blended to 4:3 at 2.
            ((320, 200), (5, 6), (1600, 1200), (0, 0, 1600, 1200)),
            ((320, 200), (5, 6), (1280, 1024), (0, 12, 1280, 1000)),
            ((320, 200), (5, 6), (720, 540), (0, 0, 720, 540)),
            ((640, 200), (5, 12), (1280, 1024), (0, 12, 1280, 1000)),
            // Text: 4:3 at each size.
            ((720, 400), (20, 27), (720, 540), (0, 0, 720, 540)),
            ((720, 400), (20, 27), (1440, 1200), (0, 60, 1440, 1080)),
            ((720, 400), (20, 27), (2160, 1620), (0, 10, 2160, 1600)),
            ((720, 400), (20, 27), (1440, 975), (70, 0, 1300, 975)),
            // A window that is too small: the whole picture, with pixels dropped.
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
        draw(&picture, None, 6, 4, &mut window);
        #[rustfmt::skip]
        assert_eq!(window, [
            0, 1, 1, 2, 2, 0,
            0, 1, 1, 2, 2, 0,
            0, 3, 3, 4, 4, 0,
            0, 3, 3, 4, 4, 0,
        ]);
    }

    #[test]
    fn a_line_between_two_guest_lines_shows_both() {
        let pixels = vec![0x00_00_00, 0xFF_80_40];
        let picture = Frame { width: 1, height: 2, pixels, pixel_aspect: (2, 3), border: 0 };
        let mut window = Vec::new();
        draw(&picture, None, 1, 3, &mut window);
        assert_eq!(window, [0x00_00_00, 0xB4_5A_2D, 0xFF_80_40]);
    }

    #[test]
    fn strokes_are_equally_bright_wherever_they_stand() {
        // White columns of one pixel, at 1.6 window pixels per guest pixel.
        let pixels: Vec<u32> = (0..50).map(|x| if x % 5 == 2 { 0xFF_FF_FF } else { 0 }).collect();
        let picture = Frame { width: 50, height: 1, pixels, pixel_aspect: (1, 1), border: 0 };
        let light = |window: &[u32]| -> u32 { window.iter().map(|pixel| (pixel & 0xFF).pow(2)).sum() };
        let columns = covers(50, 80);
        let row: Vec<u32> = columns.iter().map(|cover| cover.colour(|x| picture.pixels[x])).collect();
        let first = light(&row[..8]);
        assert!((104_000 * 97 / 100..=104_040).contains(&first), "{first} is not 1.6 times white");
        for stroke in row.chunks(8) {
            assert_eq!(light(stroke), first, "{row:X?}");
        }
    }

    #[test]
    fn what_changed_is_drawn_over_what_stands() {
        let before = frame(72, 40, (20, 27));
        let mut after = before.clone();
        after.pixels[72 * 17 + 30] = 0xFF_FF_FF;
        for (width, height) in [(144, 108), (100, 90), (200, 77), (50, 20)] {
            let (mut whole, mut changed) = (Vec::new(), Vec::new());
            draw(&after, None, width, height, &mut whole);
            draw(&before, None, width, height, &mut changed);
            assert_ne!(whole, changed, "{width}x{height}");
            draw(&after, Some(&before), width, height, &mut changed);
            assert_eq!(whole, changed, "{width}x{height}");
        }
    }

    #[test]
    fn a_picture_of_another_shape_is_drawn_whole() {
        let (mut whole, mut over) = (Vec::new(), Vec::new());
        draw(&frame(40, 25, (5, 6)), None, 100, 75, &mut whole);
        draw(&frame(72, 40, (20, 27)), None, 100, 75, &mut over);
        draw(&frame(40, 25, (5, 6)), Some(&frame(72, 40, (20, 27))), 100, 75, &mut over);
        assert_eq!(whole, over);
    }

    #[test]
    fn no_size_panics() {
        let mut window = Vec::new();
        for (w, h) in [(0, 0), (1, 1), (7, 3), (720, 400)] {
            for (width, height) in [(0, 0), (1, 1), (0, 9), (1000, 2), (3, 777)] {
                draw(&frame(w, h, (20, 27)), None, width, height, &mut window);
                assert_eq!(window.len(), width * height);
            }
        }
    }
}
