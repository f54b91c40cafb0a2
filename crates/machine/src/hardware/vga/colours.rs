//! What monitors make of digital colours: six bits rgbRGB on the Enhanced Color Display, four bits IRGB on the CGA's. Components as
//! the DAC has them, 0 to 63.

/// The 64 colours of six bits rgbRGB: capital letters two thirds, small ones one third.
pub(crate) fn six_bits(index: u8) -> [u8; 3] {
    [2, 1, 0].map(|bit| (index >> bit & 1) * 42 + (index >> (bit + 3) & 1) * 21)
}

/// The CGA's sixteen colours: bit 3 brightens, and dark yellow is brown.
pub(crate) fn four_bits(index: u8) -> [u8; 3] {
    if index & 0x0F == 6 {
        return [42, 21, 0];
    }
    [2, 1, 0].map(|bit| (index >> bit & 1) * 42 + (index >> 3 & 1) * 21)
}

/// The same behind six bits, as an EGA sends them to a monitor with 200 lines: bit 4 brightens.
pub(crate) fn four_of_six_bits(index: u8) -> [u8; 3] {
    four_bits(index & 7 | index >> 1 & 8)
}

/// Components as 00RRGGBB, 63 as FFh.
pub(super) fn rgb(components: [u8; 3]) -> u32 {
    components.iter().fold(0, |rgb, &v| rgb << 8 | u32::from(v << 2 | v >> 4))
}
