//! The status line below the machine's screen.

/// Returns the line for `columns`: always the states that are not the default, then hotkeys and the
/// program's name as far as there is room.
pub(super) fn line(name: &str, lines: &[String], columns: usize) -> String {
    let keys = ["F1 keys", "Ctrl-C leaves"];
    let mut parts: Vec<&str> = vec![name];
    parts.extend(lines.iter().map(String::as_str));
    parts.extend(keys);
    // The name is dropped first, then the hotkeys from the last.
    if width(&parts) > columns {
        parts.remove(0);
    }
    for _ in keys {
        if width(&parts) > columns && parts.len() > 1 {
            parts.pop();
        }
    }
    let text = format!(" {} ", parts.join(" | "));
    if text.chars().count() <= columns {
        return text;
    }
    let cut: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{cut}\u{2026}")
}

fn width(parts: &[&str]) -> usize {
    parts.iter().map(|part| part.chars().count() + 3).sum::<usize>().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_most_stays() {
        let lines = ["paused: Ctrl+F2 continues".to_owned(), "sound off".to_owned()];
        let table = [
            (80, " oxo | paused: Ctrl+F2 continues | sound off | F1 keys | Ctrl-C leaves "),
            (71, " oxo | paused: Ctrl+F2 continues | sound off | F1 keys | Ctrl-C leaves "),
            (69, " paused: Ctrl+F2 continues | sound off | F1 keys | Ctrl-C leaves "),
            (52, " paused: Ctrl+F2 continues | sound off | F1 keys "),
            (42, " paused: Ctrl+F2 continues | sound off "),
            (20, " paused: Ctrl+F2 co\u{2026}"),
            (1, "\u{2026}"),
        ];
        for (columns, expected) in table {
            assert_eq!(line("oxo", &lines, columns), expected, "{columns}");
        }
        assert_eq!(line("oxo", &[], 12), " F1 keys ");
    }
}
