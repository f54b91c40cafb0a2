//! Pages and drawings without external files: every line of a game, the arena, a tune.
//!
//! A page is well-formed XML as well as HTML, follows the reader's light or dark scheme, and makes
//! no network requests.

pub(super) mod arena;
pub(super) mod live;
pub(super) mod piano_roll;
mod picture;
pub(super) mod referee;
mod screens;
mod tree;
pub(super) mod verify;

use oxbox::media::markup;

const STYLE: &str = include_str!("pages/page.css");

fn page(title: &str, style: &str, body: &str) -> String {
    markup::page(title, &(STYLE.to_owned() + style), body)
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_thousands() {
        let table = [(0, "0"), (999, "999"), (1000, "1,000"), (255_168, "255,168"), (1_000_000, "1,000,000")];
        table.iter().for_each(|&(number, expected)| assert_eq!(grouped(number), expected));
    }
}
