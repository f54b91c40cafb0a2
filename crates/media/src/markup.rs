//! HTML pages, and escaping of text for HTML, SVG and XML.

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

/// Returns an HTML page that follows the reader's light or dark scheme. `title` is plain text, `style`
/// is CSS, `body` is markup; if `body` is well-formed XML, the page is.
///
/// ```
/// let page = oxbox_media::markup::page("a & b", "h1 { color: red }\n", "<h1>a</h1>\n");
/// assert!(page.contains("<title>a &amp; b</title>") && page.ends_with("<h1>a</h1>\n</main></body></html>\n"));
/// ```
pub fn page(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/>\
         <title>{}</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<style>\n{style}</style></head>\n<body><main>\n{body}\
         </main></body></html>\n",
        escaped(title)
    )
}
