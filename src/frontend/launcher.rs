//! The launcher: the games, the programs that were opened last, and those of a folder, in a window or in the terminal.
//!
//! The appearance is a pure function of the menu, as a [`Page`]; the effect of a key or a click on
//! the menu is another. The command line opens the chosen item.

use std::path::{Path, PathBuf};

use super::page::{Answer, BRIGHT, CHOSEN, PLAIN, Page, WHITE};
use oxbox::games::Game;
use oxbox::hardware::vga::Frame;
use oxbox::machine::Key;
use oxbox::toolchain::is_source;

/// Column and row of the list, and its columns and rows.
const LIST: (usize, usize) = (3, 3);
const LIST_SIZE: (usize, usize) = (36, 19);
const PICTURE: (usize, usize) = (42, 2);
const PICTURE_SIZE: (usize, usize) = (36, 13);
/// The position of the description of the selected item, and its width.
const ABOUT: (usize, usize) = (42, 16);
const ABOUT_WIDTH: usize = 36;
/// The maximum width of a line about an error.
const TROUBLE_WIDTH: usize = 76;

#[derive(Clone)]
pub(crate) enum Item {
    Game(&'static Game),
    Program(PathBuf),
}

/// A part of the list, under a heading.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The menu may have changed.
    Stay,
    /// The user opens the selected item.
    Open,
    Leave,
}

pub(crate) struct Menu {
    sections: Vec<Section>,
    search: String,
    /// The index of the selected item among those that are shown.
    chosen: usize,
}

enum Line<'a> {
    Heading(&'a str),
    Item(&'a Item),
}

impl Item {
    fn title(&self) -> String {
        match self {
            Item::Game(game) => game.title.to_owned(),
            Item::Program(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Returns the searched text, in lower case.
    fn words(&self) -> String {
        match self {
            Item::Game(game) => format!("{} {} {} {}", game.name, game.title, game.author, game.year),
            Item::Program(path) => path.display().to_string(),
        }
        .to_lowercase()
    }
}

impl Menu {
    pub(crate) fn new(sections: Vec<Section>) -> Menu {
        Menu { sections, search: String::new(), chosen: 0 }
    }

    /// Replaces the sections, and keeps the selection.
    pub(crate) fn set_sections(&mut self, sections: Vec<Section>) {
        self.sections = sections;
        self.chosen = self.chosen.min(self.items().len().saturating_sub(1));
    }

    pub(crate) fn chosen(&self) -> Option<&Item> {
        self.items().get(self.chosen).copied()
    }

    fn matches(&self, item: &Item) -> bool {
        let words = item.words();
        self.search.split_whitespace().all(|wanted| words.contains(wanted))
    }

    fn items(&self) -> Vec<&Item> {
        self.sections.iter().flat_map(|section| &section.items).filter(|item| self.matches(item)).collect()
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        for section in &self.sections {
            let items: Vec<&Item> = section.items.iter().filter(|item| self.matches(item)).collect();
            if !items.is_empty() {
                lines.push(Line::Heading(&section.title));
                lines.extend(items.into_iter().map(Line::Item));
            }
        }
        lines
    }

    pub(crate) fn answer(&mut self, answer: Answer) -> Choice {
        match answer {
            Answer::Key(key) => self.key(key),
            Answer::HitArea(number) if number == self.chosen => Choice::Open,
            Answer::HitArea(number) => self.mark(number),
        }
    }

    fn mark(&mut self, number: usize) -> Choice {
        self.chosen = number.min(self.items().len().saturating_sub(1));
        Choice::Stay
    }

    fn key(&mut self, key: Key) -> Choice {
        let count = self.items().len();
        let name = key.to_string();
        match name.to_ascii_uppercase().as_str() {
            "UP" => self.mark(if self.chosen == 0 { count } else { self.chosen - 1 }),
            "DOWN" | "TAB" => self.mark(if self.chosen + 1 >= count { 0 } else { self.chosen + 1 }),
            "PGUP" => self.mark(self.chosen.saturating_sub(LIST_SIZE.1)),
            "PGDN" => self.mark(self.chosen + LIST_SIZE.1),
            "HOME" => self.mark(0),
            "END" => self.mark(count),
            "ENTER" | "KPENTER" if count > 0 => Choice::Open,
            "SP" if count > 0 && self.search.is_empty() => Choice::Open,
            "SP" => self.search_for(' '),
            "ESC" if self.search.is_empty() => Choice::Leave,
            "ESC" => {
                self.search.clear();
                self.mark(0)
            }
            "BKSP" => {
                self.search.pop();
                self.mark(0)
            }
            _ => match (name.chars().next(), name.chars().count()) {
                (Some(digit @ '1'..='9'), 1)
                    if self.search.is_empty() && digit as usize - '0' as usize <= count =>
                {
                    self.mark(digit as usize - '1' as usize);
                    Choice::Open
                }
                (Some(character), 1) => self.search_for(character),
                _ => Choice::Stay,
            },
        }
    }

    fn search_for(&mut self, character: char) -> Choice {
        if self.search.len() < ABOUT_WIDTH {
            self.search.extend(character.to_lowercase());
        }
        self.mark(0)
    }

    pub(crate) fn page(&self, picture: Option<&Frame>) -> Page {
        let mut page = Page::new("oxbox");
        if self.search.is_empty() {
            page.put(LIST.0, 1, WHITE, "Which one? Type to search.");
        } else {
            page.put(LIST.0, 1, WHITE, &format!("Search: {}\u{2588}", self.search));
        }
        self.put_list(&mut page);
        if let Some(picture) = picture {
            page.picture(PICTURE, PICTURE_SIZE, picture.clone());
        }
        match self.chosen() {
            Some(item) => put_about(&mut page, item),
            None => page.put(LIST.0, LIST.1, PLAIN, "No matches. Esc clears the search."),
        }
        put_keys(&mut page);
        page
    }

    fn put_list(&self, page: &mut Page) {
        let lines = self.lines();
        let mut number = 0;
        // The line of the selected item, and the first line shown so that it is visible.
        let items_before =
            |line: usize| lines[..line].iter().filter(|line| matches!(line, Line::Item(_))).count();
        let marked = (0..lines.len())
            .find(|&line| matches!(lines[line], Line::Item(_)) && items_before(line) == self.chosen)
            .unwrap_or(0);
        let first = (marked + 2).saturating_sub(LIST_SIZE.1);
        for (line, content) in lines.iter().enumerate() {
            let row =
                (LIST.1 + line).checked_sub(first).filter(|row| (LIST.1..LIST.1 + LIST_SIZE.1).contains(row));
            match content {
                Line::Heading(title) => {
                    if let Some(row) = row {
                        page.put(LIST.0, row, WHITE, &cut(title, LIST_SIZE.0));
                    }
                }
                Line::Item(item) => {
                    if let Some(row) = row {
                        put_item(page, row, number, item, number == self.chosen, self.search.is_empty());
                    }
                    number += 1;
                }
            }
        }
    }
}

fn put_item(page: &mut Page, row: usize, number: usize, item: &Item, chosen: bool, numbered: bool) {
    let title = cut(&item.title(), LIST_SIZE.0 - 4);
    page.put(LIST.0 + 3, row, PLAIN, &title);
    if number < 9 && numbered {
        page.put(LIST.0 + 1, row, BRIGHT, &(number + 1).to_string());
    }
    if chosen {
        page.paint(LIST.0, row, LIST_SIZE.0, CHOSEN);
    }
    page.spot((LIST.0, row), (LIST_SIZE.0, 1), number);
}

fn put_about(page: &mut Page, item: &Item) {
    let (column, row) = ABOUT;
    match item {
        Item::Game(game) => {
            page.put(column, row, WHITE, &cut(&format!("{}, {}", game.author, game.year), ABOUT_WIDTH));
            let row = page.paragraph(column, row + 1, ABOUT_WIDTH, PLAIN, game.about);
            if row < LIST.1 + LIST_SIZE.1 {
                page.paragraph(column, row, ABOUT_WIDTH, BRIGHT, game.keys);
            }
        }
        Item::Program(path) => {
            let row = page.paragraph(column, row, ABOUT_WIDTH, WHITE, &path.display().to_string());
            let size =
                std::fs::metadata(path).map_or(String::new(), |about| format!("{} bytes", about.len()));
            page.put(column, row, PLAIN, &size);
        }
    }
}

fn put_keys(page: &mut Page) {
    page.put(LIST.0, 23, BRIGHT, "\u{2191} \u{2193} Enter");
    page.put(LIST.0 + 10, 23, PLAIN, "or the mouse opens,");
    page.put(LIST.0 + 30, 23, BRIGHT, "Esc");
    page.put(LIST.0 + 34, 23, PLAIN, "leaves;");
    page.put(LIST.0 + 42, 23, BRIGHT, "F1");
    page.put(LIST.0 + 45, 23, PLAIN, "in a game: oxbox's keys");
}

/// Returns the page about an item that could not be opened.
pub(crate) fn trouble(title: &str, text: &str) -> Page {
    let mut page = Page::new(title);
    let mut row = 2;
    for line in text.lines() {
        if row > 20 {
            break;
        }
        // Only lines that are too long are wrapped: in others blanks are significant.
        if line.chars().count() > TROUBLE_WIDTH {
            row = page.paragraph(2, row, TROUBLE_WIDTH, WHITE, line);
        } else {
            page.put(2, row, WHITE, line);
            row += 1;
        }
    }
    page.put(2, 23, BRIGHT, "Enter");
    page.put(8, 23, PLAIN, "opens it again,");
    page.put(24, 23, BRIGHT, "Esc");
    page.put(28, 23, PLAIN, "goes back to the list");
    page
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(2)).collect();
    format!("{kept}..")
}

/// Returns the programs, and sources of programs, in a folder, by name.
pub(crate) fn programs_in(folder: &Path) -> Vec<Item> {
    let is_program = |path: &PathBuf| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let is_known = ["com", "exe", "bat", "img"].contains(&extension.as_str()) || is_source(path);
        is_known && path.is_file()
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_program).collect();
    paths.sort();
    paths.into_iter().map(Item::Program).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxbox::games::GAMES;

    fn menu() -> Menu {
        let games = Section { title: "Games".to_owned(), items: GAMES.iter().map(Item::Game).collect() };
        let paths = ["/a/HELLO.COM", "/a/game.asm", "/b/TETRIS.EXE"];
        let items = paths.iter().map(|path| Item::Program(PathBuf::from(path))).collect();
        Menu::new(vec![games, Section { title: "Recent".to_owned(), items }])
    }

    #[test]
    fn keys_mark_search_and_open() {
        let table = [
            ("", 0, Choice::Stay, ""),
            ("DOWN", 1, Choice::Stay, ""),
            ("UP", 7, Choice::Stay, "TETRIS.EXE"),
            ("END", 7, Choice::Stay, "TETRIS.EXE"),
            ("END DOWN", 0, Choice::Stay, ""),
            ("ENTER", 0, Choice::Open, ""),
            ("7", 6, Choice::Open, "game.asm"),
            ("t e t", 0, Choice::Stay, "TETRIS.EXE"),
            ("A S M ENTER", 0, Choice::Open, "game.asm"),
            ("x x x ENTER", 0, Choice::Stay, ""),
            ("x x x ESC", 0, Choice::Stay, ""),
            ("h e BKSP BKSP", 0, Choice::Stay, ""),
            ("ESC", 0, Choice::Leave, ""),
        ];
        for (keys, chosen, choice, title) in table {
            let mut menu = menu();
            let mut last = Choice::Stay;
            for key in keys.split_whitespace() {
                last = menu.answer(Answer::Key(key.parse().unwrap()));
            }
            assert_eq!((menu.chosen, last), (chosen, choice), "{keys}");
            let name = menu.chosen().map(Item::title).unwrap_or_default();
            assert!(name.to_lowercase().contains(&title.to_lowercase()), "{keys}: {name}");
        }
    }

    #[test]
    fn a_click_marks_and_another_opens() {
        let mut menu = menu();
        assert_eq!(menu.answer(Answer::HitArea(3)), Choice::Stay);
        assert_eq!(menu.answer(Answer::HitArea(3)), Choice::Open);
    }

    #[test]
    fn a_long_list_shows_what_is_marked() {
        let items = (0..60).map(|n| Item::Program(PathBuf::from(format!("/a/P{n:02}.COM")))).collect();
        let mut menu = Menu::new(vec![Section { title: "Folder".to_owned(), items }]);
        for chosen in [0, 30, 59] {
            menu.mark(chosen);
            let page = menu.page(None);
            assert!(page.spots.iter().any(|spot| spot.number == chosen), "{chosen}");
            assert!(page.spots.iter().all(|spot| (3..22).contains(&spot.at.1)), "{chosen}");
        }
    }

    #[test]
    fn a_long_message_is_broken_and_a_short_one_is_not() {
        let path = "/a/path/that/is/too/long/".repeat(3) + "x.asm:9: Syntax error: mvo";
        let text = trouble("x", &format!("{path}\n     mvo\n     ^")).text();
        let lines: Vec<&str> = text.lines().map(|line| line.trim_matches(['\u{2551}', ' '])).collect();
        assert!(lines[3].ends_with("Syntax error: mvo"), "{text}");
        assert!(text.lines().nth(5).is_some_and(|line| line[3..].starts_with("      ^")), "{text}");
    }

    #[test]
    fn what_is_known_of_a_game_fits() {
        let mut menu = menu();
        for (number, game) in GAMES.iter().enumerate() {
            menu.mark(number);
            let text = menu.page(None).text();
            for word in game.about.split_whitespace().chain(game.keys.split_whitespace()) {
                assert!(text.contains(word), "{}: {word}", game.name);
            }
        }
    }
}
