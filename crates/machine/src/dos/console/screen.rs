//! One character to the screen, as INT 10h function 0Eh does it.

use crate::{bios::video, hardware::Hardware};

/// Attribute in graphics modes: white, as the CON driver asks for.
const WHITE: u8 = 0x07;

/// Shows a byte at the cursor of the page that the BIOS shows.
pub(super) fn teletype(hw: &mut Hardware, byte: u8) {
    teletype_coloured(hw, byte, WHITE);
}

/// The same in another colour, where the mode is a graphics mode.
pub(super) fn teletype_coloured(hw: &mut Hardware, byte: u8, colour: u8) {
    let page = video::active_page(hw);
    video::teletype(hw, byte, colour, page);
}
