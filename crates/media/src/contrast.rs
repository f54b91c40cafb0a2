//! High contrast: a colour that is lighter than its background becomes bright, and the background
//! black.
//!
//! On a text screen each cell is converted separately, which also separates dark text from a light
//! background. Hues are kept as far as they are readable: yellow stays yellow, dark blue on black
//! becomes light blue.

use oxbox_machine::hardware::vga::{Frame, TextScreen};

/// The contributions of red, green and blue to luminance, in thousandths (ITU-R BT.709).
const WEIGHTS: [(u32, u32); 3] = [(16, 213), (8, 715), (0, 72)];

/// Returns the luminance, 0 to 255.
fn luminance(colour: u32) -> u32 {
    WEIGHTS.iter().map(|(shift, weight)| (colour >> shift & 0xFF) * weight).sum::<u32>() / 1000
}

/// Returns the hue at a brightness that is readable on black. Blue and red, which are dark even at
/// their maximum, are mixed with white.
fn bright(colour: u32) -> u32 {
    let most = WEIGHTS.iter().map(|(shift, _)| colour >> shift & 0xFF).max().unwrap_or(0);
    if most == 0 {
        return 0xFF_FF_FF;
    }
    let full =
        WEIGHTS.iter().fold(0, |sum, (shift, _)| sum | ((colour >> shift & 0xFF) * 255 / most) << shift);
    let missing = 160_u32.saturating_sub(luminance(full));
    WEIGHTS.iter().fold(0, |sum, (shift, _)| {
        let channel = full >> shift & 0xFF;
        sum | (channel + (255 - channel) * missing / 160) << shift
    })
}

/// Returns the colours that replace those of a character and its background.
pub fn of_cell(front: u32, back: u32) -> (u32, u32) {
    match luminance(front).cmp(&luminance(back)) {
        std::cmp::Ordering::Less => (0, bright(back)),
        // Invisible text stays invisible.
        std::cmp::Ordering::Equal if front == back => (0, 0),
        _ => (bright(front), 0),
    }
}

/// Converts a picture. `text` holds the contents of a text screen.
pub fn raise(frame: &mut Frame, text: Option<&TextScreen>) {
    match text {
        Some(text) => raise_text(frame, text),
        None => frame.pixels.iter_mut().for_each(|pixel| {
            *pixel = if luminance(*pixel) < 24 { 0 } else { bright(*pixel) };
        }),
    }
}

fn raise_text(frame: &mut Frame, text: &TextScreen) {
    let (wide, high) = (frame.width / text.columns.max(1), frame.height / text.rows.max(1));
    if wide == 0 || high == 0 {
        return;
    }
    for (y, line) in frame.pixels.chunks_mut(frame.width).enumerate() {
        let cells = text.row(y / high);
        for (pixels, &(_, attribute)) in line.chunks_mut(wide).zip(cells) {
            let ground = if text.blink { attribute >> 4 & 7 } else { attribute >> 4 };
            let (front, back) =
                (text.colours[usize::from(attribute & 0x0F)], text.colours[usize::from(ground)]);
            let (new_front, new_back) = of_cell(front, back);
            for pixel in pixels {
                *pixel = if *pixel == back { new_back } else { new_front };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_bright_on_black_or_black_on_bright() {
        let colours = [0x000000, 0x0000AA, 0x00AA00, 0xAA5500, 0xAAAAAA, 0x555555, 0xFFFF55, 0xFFFFFF];
        for front in colours {
            for back in colours {
                let (new_front, new_back) = of_cell(front, back);
                let (light, dark) = (luminance(new_front), luminance(new_back));
                assert!(front == back || light.abs_diff(dark) > 110, "{front:06X} on {back:06X}");
                assert!(front == back || light == 0 || dark == 0, "{front:06X} on {back:06X}");
            }
        }
        assert_eq!(of_cell(0xAAAAAA, 0x0000AA), (0xFFFFFF, 0));
        assert_eq!(of_cell(0x000000, 0xAAAAAA), (0, 0xFFFFFF));
        assert_eq!(of_cell(0xFFFF55, 0x000000), (0xFFFF55, 0));
    }

    #[test]
    fn a_picture_keeps_what_is_dark() {
        let pixels = vec![0x000000, 0x101010, 0x0000AA, 0xAA5500];
        let mut frame = Frame { width: 4, height: 1, pixels, pixel_aspect: (1, 1), border: 0 };
        raise(&mut frame, None);
        assert_eq!(frame.pixels[..2], [0, 0]);
        assert!(frame.pixels[3] > 0xFF0000);
    }
}
