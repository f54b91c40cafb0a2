//! The help page: the hotkeys of oxbox.

use super::hotkeys;
use super::page::{BRIGHT, PLAIN, Page, WHITE};

pub(super) fn page() -> Page {
    let mut page = Page::new("oxbox: keys");
    page.put(3, 1, WHITE, "on this page");
    page.put(17, 1, WHITE, "at any time");
    page.put(33, 1, WHITE, "what it does");
    let mut row = 3;
    for (key, letter, what) in hotkeys::lines() {
        page.put(8, row, BRIGHT, &letter.to_string());
        page.put(17, row, BRIGHT, &key);
        page.put(33, row, PLAIN, what);
        row += 1;
    }
    page.put(7, row, BRIGHT, "F1");
    page.put(33, row, PLAIN, "give the program an F1");
    page.put(6, row + 1, BRIGHT, "Esc");
    page.put(33, row + 1, PLAIN, "continue the program, which was paused");
    let text = "All other keys are the program's own. In a terminal Ctrl-C leaves oxbox at once, and Ctrl-] is \
                another way to this page.";
    page.paragraph(3, row + 2, 74, PLAIN, text);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_fits_the_page() {
        for (key, _, what) in hotkeys::lines() {
            assert!(key.len() <= 15 && what.len() <= 46, "{key}: {what}");
        }
    }
}
