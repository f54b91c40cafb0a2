//! The colours that monitors show for digital signals: six bits rgbRGB on the Enhanced Color
//! Display, four bits IRGB on the CGA's monitor. Components have the DAC's range, 0 to 63.

/// Returns one of 64 colours of six bits rgbRGB: capitals add two thirds, small letters a third.
pub(crate) fn six_bits(index: u8) -> [u8; 3] {
    [2, 1, 0].map(|bit| (index >> bit & 1) * 42 + (index >> (bit + 3) & 1) * 21)
}

/// Returns one of the CGA's sixteen colours: bit 3 is intensity, and dark yellow is brown.
pub(crate) fn four_bits(index: u8) -> [u8; 3] {
    if index & 0x0F == 6 {
        return [42, 21, 0];
    }
    [2, 1, 0].map(|bit| (index >> bit & 1) * 42 + (index >> 3 & 1) * 21)
}

/// Like [`four_bits`], for six bits of an EGA on a monitor with 200 lines: bit 4 is intensity.
pub(crate) fn four_of_six_bits(index: u8) -> [u8; 3] {
    four_bits(index & 7 | index >> 1 & 8)
}

/// Converts components to 00RRGGBB; 63 becomes FFh.
pub(super) fn rgb(components: [u8; 3]) -> u32 {
    components.iter().fold(0, |rgb, &v| rgb << 8 | u32::from(v << 2 | v >> 4))
}
