//! The help page: oxbox's own keys.

use super::hotkeys;
use super::page::{BRIGHT, PLAIN, Page, WHITE};

/// The page that F1 shows.
pub(super) fn page() -> Page {
    let mut page = Page::new("oxbox: keys");
    page.put(6, 2, WHITE, "on this page");
    page.put(22, 2, WHITE, "at any time");
    page.put(38, 2, WHITE, "what it does");
    let mut row = 4;
    for (key, letter, what) in hotkeys::lines() {
        page.put(11, row, BRIGHT, &letter.to_string());
        page.put(22, row, BRIGHT, &key);
        page.put(38, row, PLAIN, what);
        row += 1;
    }
    page.put(10, row, BRIGHT, "F1");
    page.put(38, row, PLAIN, "give the program an F1");
    page.put(9, row + 1, BRIGHT, "Esc");
    page.put(38, row + 1, PLAIN, "back to the program");
    let text = "The program stands still while this page is shown. All other keys are the program's own. \
                In a terminal Ctrl-C leaves oxbox at once, and Ctrl-] is another way to this page.";
    page.paragraph(6, row + 4, 68, PLAIN, text);
    page
}
