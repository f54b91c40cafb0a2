//! The texts of the games' sources, for debuggers and pages.

macro_rules! sources {
    ($($file:literal,)*) => {
        &[$((concat!("asm/", $file), include_str!(concat!("../../asm/", $file)))),*]
    };
}

/// Names and contents of the files in the games' debug information.
const SOURCES: &[(&str, &str)] = sources![
    "chip/chip.asm",
    "eecs2100/board.asm",
    "eecs2100/font.asm",
    "eecs2100/main.asm",
    "eecs2100/screen.asm",
    "eecs2100/sound.asm",
    "eecs2100/vga.asm",
    "grid18/grid.asm",
    "grid18/grid18.asm",
    "include/screen.inc",
    "include/tune.inc",
    "oxo/oxo.asm",
    "ttt1/ttt1.asm",
];

/// Returns a source by its name in [`Game::debug`](super::Game::debug).
///
/// ```
/// let text = oxbox::games::source("asm/oxo/oxo.asm").unwrap();
/// assert!(text.starts_with("; OXO"));
/// assert!(oxbox::games::source("<oxbox>/tune.inc").is_some());
/// ```
pub fn source(name: &str) -> Option<&'static str> {
    // Files that are included with oxbox have a special prefix.
    let file = name.replacen("<oxbox>/", "asm/include/", 1);
    SOURCES.iter().find(|(known, _)| *known == file).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;
    use oxbox_toolchain::debug_file;

    #[test]
    fn every_line_of_a_game_can_be_shown() {
        for game in GAMES {
            let found = debug_file::read(game.debug).expect(game.name);
            assert!(found.is_of(game.program), "{}", game.name);
            assert!(found.symbols.lines().count() > 50, "{}", game.name);
            for (line, _) in found.symbols.lines() {
                let text = source(line.file).unwrap_or_else(|| panic!("{} has no text", line.file));
                assert!(text.lines().count() >= line.line as usize, "{line}");
            }
        }
    }
}
