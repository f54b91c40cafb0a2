//! Sends the changes since the last picture to the terminal.
//!
//! Output is a byte string for one write, so that a slow connection shows no incomplete pictures.
//! The number of colours comes from the environment: COLORTERM for 24 bits, TERM for 256, NO_COLOR
//! for none.

use super::cells::{Cell, Colour, Grid};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{
    Attribute, Color, Print, ResetColor, SetAttribute, SetBackgroundColor, SetForegroundColor,
};
use crossterm::{QueueableCommand, queue};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColourDepth {
    /// None: NO_COLOR.
    Mono,
    /// The sixteen of ANSI.
    Sixteen,
    /// The 256 of xterm.
    Many,
    /// 24 bits.
    True,
}

impl ColourDepth {
    /// Returns the number according to the environment; sixteen for an unknown terminal.
    pub(super) fn of_environment(variable: impl Fn(&str) -> Option<String>) -> ColourDepth {
        let has = |name: &str| variable(name).filter(|value| !value.is_empty());
        if has("NO_COLOR").is_some() {
            return ColourDepth::Mono;
        }
        if matches!(has("COLORTERM").as_deref(), Some("truecolor" | "24bit")) {
            return ColourDepth::True;
        }
        let term = has("TERM").unwrap_or_default();
        let exact = ["kitty", "ghostty", "alacritty", "foot", "wezterm", "contour"];
        if term.ends_with("-direct") || exact.iter().any(|name| term.contains(name)) {
            ColourDepth::True
        } else if term.contains("256color") || cfg!(windows) {
            ColourDepth::Many
        } else {
            ColourDepth::Sixteen
        }
    }
}

/// Returns the bytes that change `old` to `new`; all of it without an old grid of that size.
pub(super) fn difference(old: Option<&Grid>, new: &Grid, depth: ColourDepth) -> Vec<u8> {
    let mut out = Vec::new();
    let old = old.filter(|old| (old.columns, old.rows) == (new.columns, new.rows));
    let mut pen: Option<Cell> = None;
    let mut at = None;
    for (index, &cell) in new.cells.iter().enumerate() {
        if old.is_some_and(|old| old.cells[index] == cell) {
            continue;
        }
        let place = (index % new.columns, index / new.columns);
        // Writing to a Vec cannot fail.
        if at != Some(place) {
            let _ = out.queue(MoveTo(place.0 as u16, place.1 as u16));
        }
        if pen.is_none_or(|pen| (pen.colours, pen.blinks) != (cell.colours, cell.blinks)) {
            set_colours(&mut out, cell, depth);
            pen = Some(cell);
        }
        let _ = out.queue(Print(shown(cell, depth)));
        at = (place.0 + 1 < new.columns).then_some((place.0 + 1, place.1));
    }
    if pen.is_some() {
        let _ = queue!(out, ResetColor, SetAttribute(Attribute::Reset));
    }
    if !out.is_empty() || old.is_none_or(|old| old.cursor != new.cursor) {
        let _ = match new.cursor {
            Some((column, row)) => queue!(out, MoveTo(column as u16, row as u16), Show),
            None => queue!(out, Hide),
        };
    }
    out
}

/// Returns the character; without colours a half block depends on brightness.
fn shown(cell: Cell, depth: ColourDepth) -> char {
    match (depth, cell) {
        (
            ColourDepth::Mono,
            Cell { character: '▀', colours: (Colour::Exact(upper), Colour::Exact(lower)), .. },
        ) => match (is_bright(upper), is_bright(lower)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        },
        _ => cell.character,
    }
}

fn is_bright(colour: u32) -> bool {
    let [_, red, green, blue] = colour.to_be_bytes().map(u32::from);
    red * 3 + green * 6 + blue > 1000
}

fn set_colours(out: &mut Vec<u8>, cell: Cell, depth: ColourDepth) {
    let (front, back) = cell.colours;
    let _ = out.queue(SetAttribute(Attribute::Reset));
    if cell.blinks {
        let _ = out.queue(SetAttribute(Attribute::SlowBlink));
    }
    if depth == ColourDepth::Mono {
        // Light on a coloured background, or dark on light, is shown reversed; bright colours are
        // shown bold.
        let Colour::Text(front_index) = front else { return };
        if matches!(back, Colour::Text(1..)) {
            let _ = out.queue(SetAttribute(Attribute::Reverse));
        } else if front_index > 8 {
            let _ = out.queue(SetAttribute(Attribute::Bold));
        }
        return;
    }
    if depth == ColourDepth::Sixteen {
        // The codes that every terminal with colours knows: 30 to 37 and 90 to 97, ten more for the
        // background.
        let (front, back) = (sgr(front), sgr(back) + 10);
        out.extend(format!("\x1b[{front};{back}m").as_bytes());
        return;
    }
    let _ = queue!(out, SetForegroundColor(ansi(front, depth)), SetBackgroundColor(ansi(back, depth)));
}

/// Returns the code of one of sixteen foreground colours.
fn sgr(colour: Colour) -> usize {
    let index = match colour {
        Colour::Text(index) => usize::from(index & 0x0F),
        Colour::Exact(rgb) => of_16(rgb),
    };
    // ANSI has red in bit 0 and blue in bit 2.
    let ansi = index >> 2 & 1 | index & 2 | (index & 1) << 2;
    if index < 8 { 30 + ansi } else { 90 + ansi }
}

/// The sixteen colours of the PC's order (blue is bit 0) by their ANSI names (red is bit 0).
const NAMED: [Color; 16] = [
    Color::Black,
    Color::DarkBlue,
    Color::DarkGreen,
    Color::DarkCyan,
    Color::DarkRed,
    Color::DarkMagenta,
    Color::DarkYellow,
    Color::Grey,
    Color::DarkGrey,
    Color::Blue,
    Color::Green,
    Color::Cyan,
    Color::Red,
    Color::Magenta,
    Color::Yellow,
    Color::White,
];

/// Returns the terminal's colour for a guest's colour.
fn ansi(colour: Colour, depth: ColourDepth) -> Color {
    match (colour, depth) {
        (Colour::Text(index), _) => NAMED[usize::from(index & 0x0F)],
        (Colour::Exact(rgb), ColourDepth::Sixteen) => NAMED[of_16(rgb)],
        (Colour::Exact(rgb), ColourDepth::True) => {
            let [_, r, g, b] = rgb.to_be_bytes();
            Color::Rgb { r, g, b }
        }
        (Colour::Exact(rgb), _) => Color::AnsiValue(of_256(rgb)),
    }
}

/// Returns the nearest of xterm's 6x6x6 cube (0, 95, 135, 175, 215, 255) or 24 greys (8 to 238).
fn of_256(rgb: u32) -> u8 {
    let [_, red, green, blue] = rgb.to_be_bytes();
    let level = |c: u8| {
        if c < 48 {
            0
        } else if c < 115 {
            1
        } else {
            (u16::from(c) - 35) / 40
        }
    };
    let shade = |level: u16| if level == 0 { 0 } else { 55 + 40 * i32::from(level) };
    let cube = [red, green, blue].map(level);
    let grey = ((u32::from(red) + u32::from(green) + u32::from(blue)) / 3).saturating_sub(3).min(235) / 10;
    let grey_shade = 8 + 10 * grey as i32;
    let distance = |shades: [i32; 3]| -> i32 {
        shades.iter().zip([red, green, blue]).map(|(a, b)| (a - i32::from(b)).pow(2)).sum()
    };
    if distance([grey_shade; 3]) < distance(cube.map(shade)) {
        232 + grey as u8
    } else {
        (16 + 36 * cube[0] + 6 * cube[1] + cube[2]) as u8
    }
}

/// Returns the nearest of the sixteen, by its PC number.
fn of_16(rgb: u32) -> usize {
    let [_, red, green, blue] = rgb.to_be_bytes();
    let bright = red.max(green).max(blue) > 0xD0;
    let bit = |c: u8| usize::from(c > if bright { 0xA8 } else { 0x54 });
    let index = bit(blue) | bit(green) << 1 | bit(red) << 2;
    match (index, bright) {
        (0, false) if red.max(green).max(blue) > 0x2A => 8,
        (7, false) if red.min(green).min(blue) < 0x70 => 8,
        (index, bright) => index | usize::from(bright) << 3,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::BLANK;
    use super::*;

    fn row(text: &str) -> Grid {
        let mut grid = Grid::blank(text.chars().count(), 1);
        grid.write(0, text, BLANK.colours);
        grid
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).replace('\x1b', "^")
    }

    #[test]
    fn only_changes_are_sent() {
        let old = row("oxbox");
        assert_eq!(text(&difference(Some(&old), &old, ColourDepth::Sixteen)), "");
        let mut new = row("oXboX");
        let sent = text(&difference(Some(&old), &new, ColourDepth::Sixteen));
        assert_eq!(sent, "^[1;2H^[0m^[37;40mX^[1;5HX^[0m^[0m^[?25l");
        new.cursor = Some((2, 0));
        let moved = text(&difference(Some(&row("oXboX")), &new, ColourDepth::Sixteen));
        assert_eq!(moved, "^[1;3H^[?25h");
    }

    #[test]
    fn another_size_sends_all() {
        let sent = text(&difference(Some(&row("ox")), &row("box"), ColourDepth::Mono));
        assert_eq!(sent, "^[1;1H^[0mbox^[0m^[0m^[?25l");
    }

    #[test]
    fn environments_have_these_colours() {
        let table: [(&[(&str, &str)], ColourDepth); 7] = [
            (&[("TERM", "xterm-kitty")], ColourDepth::True),
            (&[], ColourDepth::Sixteen),
            (&[("TERM", "xterm")], ColourDepth::Sixteen),
            (&[("TERM", "xterm-256color")], ColourDepth::Many),
            (&[("TERM", "screen"), ("COLORTERM", "truecolor")], ColourDepth::True),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "1")], ColourDepth::Mono),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "")], ColourDepth::Many),
        ];
        for (variables, depth) in table {
            let find = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
            assert_eq!(ColourDepth::of_environment(find), depth, "{variables:?}");
        }
    }

    #[test]
    fn colours_are_brought_down_to_the_nearest() {
        let table = [
            (0x000000, 16, 0),
            (0xFFFFFF, 231, 15),
            (0xFF0000, 196, 12),
            (0x0000AA, 19, 1),
            (0x555555, 240, 8),
            (0x808080, 244, 7),
            (0xAA5500, 130, 6),
            (0xAAAAAA, 248, 7),
            (0xFFFF55, 227, 14),
        ];
        for (rgb, many, sixteen) in table {
            assert_eq!((of_256(rgb), of_16(rgb)), (many, sixteen), "{rgb:06X}");
        }
    }
}
