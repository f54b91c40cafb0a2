//! High contrast: whatever colours a program has chosen, what is lighter than its ground becomes bright, and the ground black.
//!
//! On a text screen each cell is looked at by itself, so that dark letters on a light ground stay apart from it, too. Hues stay as far as
//! they are bright: yellow is yellow, dark blue on black is light blue.

use oxbox_machine::hardware::vga::{Frame, TextScreen};

/// How much darker green and red make a colour than white, in thousandths: the weights of luminance by ITU-R BT.709.
const WEIGHTS: [(u32, u32); 3] = [(16, 213), (8, 715), (0, 72)];

/// From 0 to 255.
fn luminance(colour: u32) -> u32 {
    WEIGHTS.iter().map(|(shift, weight)| (colour >> shift & 0xFF) * weight).sum::<u32>() / 1000
}

/// The hue as bright as can be read on black; blue and red, which are dark at their brightest, with white in them.
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

/// The colours of a letter and its ground instead of these.
pub fn of_cell(front: u32, back: u32) -> (u32, u32) {
    match luminance(front).cmp(&luminance(back)) {
        std::cmp::Ordering::Less => (0, bright(back)),
        // What is not to be seen stays unseen.
        std::cmp::Ordering::Equal if front == back => (0, 0),
        _ => (bright(front), 0),
    }
}

/// Changes a picture; of a text screen, given what is on it.
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
