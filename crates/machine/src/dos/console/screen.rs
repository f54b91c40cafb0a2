//! Shows characters on the screen, like INT 10h function 0Eh.

use crate::{bios::video, hardware::Hardware};

/// Attribute in graphics modes: white, as used by the CON driver.
const WHITE: u8 = 0x07;

/// Shows a byte at the cursor of the displayed page.
pub(super) fn teletype(hw: &mut Hardware, byte: u8) {
    teletype_coloured(hw, byte, WHITE);
}

/// Shows several bytes.
pub(super) fn teletype_all(hw: &mut Hardware, bytes: &[u8]) {
    let page = video::active_page(hw);
    video::teletype_all(hw, bytes, WHITE, page);
}

/// Like [`teletype`], with another colour in graphics modes.
pub(super) fn teletype_coloured(hw: &mut Hardware, byte: u8, colour: u8) {
    let page = video::active_page(hw);
    video::teletype(hw, byte, colour, page);
}
