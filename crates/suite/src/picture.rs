//! Comparison of pictures with golden pictures.

use oxbox_media::picture::Picture;

/// Returns the difference from the expected picture in one line; `None` if they are equal.
pub(super) fn difference(found: &Picture, expected: &Picture) -> Option<String> {
    if (found.width, found.height) != (expected.width, expected.height) {
        return Some(format!(
            "the picture has {} by {} pixels, not {} by {}",
            found.width, found.height, expected.width, expected.height
        ));
    }
    let differing = (0..found.pixels.len()).filter(|&at| found.pixels[at] != expected.pixels[at]);
    let places: Vec<(usize, usize)> = differing.map(|at| (at % found.width, at / found.width)).collect();
    let &(x, y) = places.first()?;
    let at = y * found.width + x;
    let left = places.iter().map(|place| place.0).min()?;
    let right = places.iter().map(|place| place.0).max()?;
    Some(format!(
        "{} of {} pixels differ, in columns {left} to {right} and lines {y} to {}; the first at ({x}, {y}): {:06X}, not {:06X}",
        places.len(),
        found.pixels.len(),
        places.last()?.1,
        found.pixels[at],
        expected.pixels[at]
    ))
}

/// Returns the expected picture in pale grey, with differences in red.
pub(super) fn marked(found: &Picture, expected: &Picture) -> Picture {
    let mut marked = expected.clone();
    for (at, pixel) in marked.pixels.iter_mut().enumerate() {
        let (x, y) = (at % expected.width, at / expected.width);
        let there = (x < found.width).then(|| found.pixels.get(y * found.width + x)).flatten();
        let [_, r, g, b] = pixel.to_be_bytes();
        let grey = (u32::from(r) * 2 + u32::from(g) * 5 + u32::from(b)) / 8 / 3 + 160;
        *pixel = if there == Some(pixel) { grey << 16 | grey << 8 | grey } else { 0xD0_10_20 };
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(pixels: [u32; 4]) -> Picture {
        Picture { width: 2, height: 2, pixels: pixels.to_vec(), aspect: (5, 6) }
    }

    #[test]
    fn a_picture_survives_the_file_and_a_difference_is_placed() {
        let golden = picture([0x112233, 0xFFAA00, 0, 0xFFFFFF]);
        let read = Picture::decode(&golden.encode().unwrap()).unwrap();
        assert_eq!(read.pixels, golden.pixels);
        assert_eq!(difference(&read, &golden), None);
        let other = picture([0x112233, 0xFFAA00, 0, 0xFFFFFE]);
        assert_eq!(
            difference(&other, &golden).unwrap(),
            "1 of 4 pixels differ, in columns 1 to 1 and lines 1 to 1; the first at (1, 1): FFFFFE, not FFFFFF"
        );
        assert_eq!(marked(&other, &golden).pixels, [0xAAAAAA, 0xD8D8D8, 0xA0A0A0, 0xD01020]);
        let small = Picture { width: 1, height: 1, pixels: vec![0], aspect: (1, 1) };
        assert_eq!(difference(&small, &golden).unwrap(), "the picture has 1 by 1 pixels, not 2 by 2");
        assert!(Picture::decode(b"no picture").is_err());
    }
}
