//! Animated GIFs. Each frame stores only the rectangle that has changed.

use gif::{DisposalMethod, Encoder, Repeat};
use oxbox_machine::hardware::vga::Frame;
use std::collections::BTreeMap;
use std::io;

/// The duration of the last frame in milliseconds.
pub const LAST_MS: u64 = 3000;

/// An encoder for animated GIFs. A frame is written when the next one determines its duration.
///
/// ```
/// # #[cfg(any(feature = "cli", feature = "web"))] {
/// use oxbox_media::animation::Animation;
/// use oxbox_machine::hardware::vga::Frame;
///
/// let grey = |level: u32| Frame { width: 2, height: 1, pixels: vec![level * 0x01_01_01; 2], pixel_aspect: (1, 1), border: 0 };
/// let mut animation = Animation::new(1 << 20);
/// assert!(animation.add(grey(0), 0)?);
/// assert!(!animation.add(grey(0), 10)?, "it is shown already");
/// assert!(animation.add(grey(255), 25)?);
/// assert!(animation.into_bytes(100)?.starts_with(b"GIF89a"));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Default)]
pub struct Animation {
    /// Approximate limit of the file size in bytes.
    largest: usize,
    encoder: Option<Encoder<Vec<u8>>>,
    shown: Option<Frame>,
    /// The changed part of `shown`, and its time in hundredths of a second.
    pending: Option<(gif::Frame<'static>, u64)>,
    size: (u16, u16),
    pictures: usize,
}

impl Animation {
    /// Creates an encoder without frames. Frames that exceed `largest` bytes are dropped.
    pub fn new(largest: usize) -> Animation {
        Animation { largest, ..Animation::default() }
    }

    /// Returns the encoder. The first frame sets the size of the film.
    fn encoder(&mut self, frame: &Frame) -> io::Result<&mut Encoder<Vec<u8>>> {
        if self.encoder.is_none() {
            self.size = (frame.width as u16, frame.height as u16);
            let mut encoder = Encoder::new(Vec::new(), self.size.0, self.size.1, &[]).map_err(trouble)?;
            encoder.set_repeat(Repeat::Infinite).map_err(trouble)?;
            self.encoder = Some(encoder);
        }
        self.encoder.as_mut().ok_or_else(|| io::Error::other("no picture"))
    }

    fn write_pending(&mut self, now: u64) -> io::Result<()> {
        let (Some((mut frame, since)), Some(encoder)) = (self.pending.take(), &mut self.encoder) else {
            return Ok(());
        };
        if encoder.get_ref().len() > self.largest {
            return Ok(());
        }
        frame.delay = u16::try_from(now.saturating_sub(since)).unwrap_or(u16::MAX);
        encoder.write_frame(&frame).map_err(trouble)
    }

    /// Adds the screen at a time in hundredths of a second. Returns false if it equals the previous
    /// one.
    ///
    /// # Errors
    /// Fails if the picture has no pixels.
    pub fn add(&mut self, frame: Frame, now: u64) -> io::Result<bool> {
        if frame.width == 0 || frame.height == 0 {
            return Err(io::Error::other("the screen is off"));
        }
        if self.pictures == 1 && (frame.width as u16, frame.height as u16) != self.size {
            // The only frame was the screen that DOS left: the film starts in the mode that the
            // program has chosen.
            *self = Animation::new(self.largest);
        }
        self.encoder(&frame)?;
        // A picture of a different size is fitted to the size of the first.
        let frame = fitted(frame, self.size);
        let Some(changed) = changed(self.shown.as_ref(), &frame) else { return Ok(false) };
        // A picture at the same time becomes part of the next frame.
        if matches!(self.pending, Some((_, since)) if since == now) {
            return Ok(false);
        }
        self.write_pending(now)?;
        self.pending = Some((part(&frame, changed), now));
        self.pictures += 1;
        self.shown = Some(frame);
        Ok(true)
    }

    /// Returns the bytes of the file. The last frame is shown until `end`, in hundredths of a
    /// second.
    ///
    /// # Errors
    /// Fails without frames.
    pub fn into_bytes(mut self, end: u64) -> io::Result<Vec<u8>> {
        self.write_pending(end)?;
        let encoder = self.encoder.take().ok_or_else(|| io::Error::other("the screen was never on"))?;
        encoder.into_inner().map_err(trouble)
    }
}

fn trouble(error: gif::EncodingError) -> io::Error {
    io::Error::other(error)
}

/// Scales a picture to the size of the film by repeating or dropping pixels.
fn fitted(frame: Frame, (width, height): (u16, u16)) -> Frame {
    let (width, height) = (usize::from(width), usize::from(height));
    if (frame.width, frame.height) == (width, height) {
        return frame;
    }
    let line = |y: usize| &frame.pixels[y * frame.height / height * frame.width..][..frame.width];
    let pixels =
        (0..height).flat_map(|y| (0..width).map(move |x| line(y)[x * frame.width / width])).collect();
    Frame { width, height, pixels, ..frame }
}

/// Left, top, width, height.
type Rectangle = (usize, usize, usize, usize);

/// Returns the smallest rectangle that contains all differences; `None` without differences.
fn changed(before: Option<&Frame>, now: &Frame) -> Option<Rectangle> {
    let Some(before) = before else { return Some((0, 0, now.width, now.height)) };
    let rows = || before.pixels.chunks(now.width).zip(now.pixels.chunks(now.width));
    let top = rows().position(|(old, new)| old != new)?;
    let bottom = now.height - rows().rev().position(|(old, new)| old != new)?;
    let differs = |x: usize| rows().any(|(old, new)| old[x] != new[x]);
    let left = (0..now.width).position(differs)?;
    let right = (0..now.width).rposition(differs)? + 1;
    Some((left, top, right - left, bottom - top))
}

/// Encodes a part of a picture. Beyond GIF's 256 colours, the nearest of these are used.
fn part(frame: &Frame, (left, top, width, height): Rectangle) -> gif::Frame<'static> {
    let mut palette: Vec<u32> = Vec::new();
    let mut indices: BTreeMap<u32, u8> = BTreeMap::new();
    let mut buffer = Vec::with_capacity(width * height);
    for row in frame.pixels.chunks(frame.width).skip(top).take(height) {
        for &pixel in &row[left..left + width] {
            let index = *indices.entry(pixel).or_insert_with(|| match u8::try_from(palette.len()) {
                Ok(index) => {
                    palette.push(pixel);
                    index
                }
                Err(_) => nearest(&palette, pixel),
            });
            buffer.push(index);
        }
    }
    let colours: Vec<u8> = palette.iter().flat_map(|pixel| pixel.to_be_bytes().into_iter().skip(1)).collect();
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: width as u16,
        height: height as u16,
        palette: Some(colours),
        buffer: buffer.into(),
        dispose: DisposalMethod::Keep,
        ..gif::Frame::default()
    }
}

fn nearest(palette: &[u32], pixel: u32) -> u8 {
    let distance = |colour: u32| -> u32 {
        let parts = colour.to_be_bytes().into_iter().zip(pixel.to_be_bytes());
        parts.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let near = (0..palette.len()).min_by_key(|&index| distance(palette[index]));
    near.and_then(|index| u8::try_from(index).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: usize, pixels: &[u32]) -> Frame {
        let height = pixels.len() / width;
        Frame { width, height, pixels: pixels.to_vec(), pixel_aspect: (1, 1), border: 0 }
    }

    #[test]
    fn what_has_changed_is_found() {
        let before = frame(3, &[0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let table: [(&[u32], Option<Rectangle>); 4] = [
            (&[0, 0, 0, 0, 0, 0, 0, 0, 0], None),
            (&[1, 0, 0, 0, 0, 0, 0, 0, 0], Some((0, 0, 1, 1))),
            (&[0, 0, 0, 0, 0, 2, 0, 3, 0], Some((1, 1, 2, 2))),
            (&[0, 0, 4, 0, 0, 0, 4, 0, 0], Some((0, 0, 3, 3))),
        ];
        for (pixels, expected) in table {
            assert_eq!(changed(Some(&before), &frame(3, pixels)), expected, "{pixels:?}");
        }
        assert_eq!(changed(None, &before), Some((0, 0, 3, 3)));
    }

    #[test]
    fn colours_beyond_256_become_the_nearest() {
        let pixels: Vec<u32> = (0..257).collect();
        let part = part(&frame(257, &pixels), (0, 0, 257, 1));
        assert_eq!(part.palette.map(|palette| palette.len()), Some(256 * 3));
        assert_eq!(part.buffer[255], 255);
        assert_eq!(part.buffer[256], 0, "000100h is as near to black as to 0000FFh is far");
    }

    #[test]
    fn the_file_holds_the_pictures() {
        let pictures: [&[u32]; 3] = [&[7; 4], &[7, 0xFF0000, 7, 7], &[7, 0xFF0000, 0x00FF00, 9]];
        let mut film = Animation::new(1 << 20);
        film.add(frame(1, &[5]), 0).unwrap(); // the screen before the program's own
        for (pixels, now) in pictures.into_iter().zip([0, 10, 25]) {
            film.add(frame(2, pixels), now).unwrap();
        }
        let bytes = film.into_bytes(330).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        let mut screen = [0; 4];
        for (pixels, delay) in pictures.into_iter().zip([10, 15, 305]) {
            let part = decoder.read_next_frame().unwrap().unwrap();
            assert_eq!(part.delay, delay);
            let (left, top) = (usize::from(part.left), usize::from(part.top));
            for (number, rgba) in part.buffer.chunks(4).enumerate() {
                let (x, y) = (number % usize::from(part.width), number / usize::from(part.width));
                screen[(top + y) * 2 + left + x] = u32::from_be_bytes([0, rgba[0], rgba[1], rgba[2]]);
            }
            assert_eq!(screen, pixels);
        }
        assert!(decoder.read_next_frame().unwrap().is_none());
    }

    #[test]
    fn a_picture_of_another_size_is_fitted() {
        let small = frame(2, &[1, 2, 3, 4]);
        assert_eq!(fitted(small, (4, 2)).pixels, [1, 1, 2, 2, 3, 3, 4, 4]);
    }
}
