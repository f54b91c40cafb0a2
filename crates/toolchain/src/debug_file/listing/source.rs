//! Matches the rows of a listing to lines of the source.
//!
//! Line numbers in listings count the lines of the listing or are missing, so the texts are
//! compared in order. A row without a source line comes from a macro or an included file and
//! belongs to the preceding line.

use super::rows::Row;

/// Returns a source line per row; `None` if the listing belongs to another source.
pub(super) fn numbers(rows: &[Row], source: &str) -> Option<Vec<Option<u32>>> {
    let lines: Vec<(u32, String)> =
        (1..).zip(source.lines().map(squeezed)).filter(|(_, text)| !text.is_empty()).collect();
    let texts: Vec<String> = rows.iter().map(|row| squeezed(&row.text)).collect();
    let mut found: Vec<Option<usize>> = vec![None; rows.len()];
    let mut next = 0;
    let filled: Vec<usize> =
        (0..rows.len()).filter(|&row| !texts[row].is_empty() && !rows[row].is_inner).collect();
    for (order, &row) in filled.iter().enumerate() {
        let is = |line: usize, row: usize| lines.get(line).is_some_and(|(_, text)| same(text, &texts[row]));
        let at = if is(next, row) {
            Some(next)
        } else {
            // A single line may match by chance: the next one must follow, too.
            let follows = |line: usize| filled.get(order + 1).is_none_or(|&row| is(line + 1, row));
            (next..lines.len()).find(|&line| is(line, row) && follows(line))
        };
        if let Some(at) = at {
            found[row] = Some(at);
            next = at + 1;
        }
    }
    pair_up(&mut found, &filled, lines.len());
    let known = filled.iter().filter(|&&row| found[row].is_some()).count();
    if 2 * known < filled.len() {
        return None;
    }
    let mut latest = None;
    let number = |at: &Option<usize>| {
        latest = at.map(|at| lines[at].0).or(latest);
        latest
    };
    Some(found.iter().map(number).collect())
}

/// Lines changed by the assembler are between two matched lines, as many as in the source.
fn pair_up(found: &mut [Option<usize>], filled: &[usize], count: usize) {
    let mut start = 0;
    while start < filled.len() {
        if found[filled[start]].is_some() {
            start += 1;
            continue;
        }
        let end = (start..filled.len()).find(|&at| found[filled[at]].is_some()).unwrap_or(filled.len());
        let before = start.checked_sub(1).and_then(|at| found[filled[at]]).map_or(0, |line| line + 1);
        let after = filled.get(end).and_then(|&row| found[row]).unwrap_or(count);
        if after.checked_sub(before) == Some(end - start) {
            for (line, &row) in (before..after).zip(&filled[start..end]) {
                found[row] = Some(line);
            }
        }
        start = end;
    }
}

/// Removes blanks and converts to lower case.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a source line and a row are equal. Listings truncate long lines.
fn same(line: &str, row: &str) -> bool {
    const LONG: usize = 24;
    line == row || row.len() >= LONG && line.starts_with(row)
}
