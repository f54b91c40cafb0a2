//! Escaping of text for HTML, SVG and XML.

/// Replaces the five characters that have a meaning in markup or in attributes.
///
/// ```
/// assert_eq!(oxbox_media::markup::escaped("a<b & 'c'"), "a&lt;b &amp; &#39;c&#39;");
/// ```
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}
