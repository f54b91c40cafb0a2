//! Where programs live in the browser: a page that `oxbox publish` has made, and its links to positions.

use oxbox::machine::Script;

/// The address of such a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Live(String);

impl Live {
    /// Reads an address, of the whole web or relative to the page that links there.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Live, String> {
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("it is no address, such as https://example.org/oxbox/ or site/".to_owned());
        }
        if text.contains('#') {
            return Err("it goes without '#' and what follows: that is what the links add".to_owned());
        }
        // What begins otherwise with a colon in it is a program of the browser (`javascript:`).
        let scheme = text.split(['/', '?']).next().unwrap_or_default();
        if scheme.contains(':') && !["http:", "https:", "file:"].contains(&scheme) {
            return Err("it begins with http:, https: or file:, or names a folder beside the page".to_owned());
        }
        Ok(Live(text.to_owned()))
    }

    /// A program from its beginning; it is called as in `oxbox publish`.
    pub(crate) fn program(&self, name: &str) -> String {
        format!("{}#{name}", self.0)
    }

    /// The position in which a program waits after keys, as `--keys` has them.
    pub(crate) fn position(&self, name: &str, keys: &str) -> String {
        let link = Script::from_keys(keys).map(|script| script.to_link()).unwrap_or_default();
        format!("{}/{link}", self.program(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_links() {
        let table = [
            ("https://example.org/oxbox/", "SP 5 1", "https://example.org/oxbox/#eecs2100/SP/5/1"),
            ("site/", "@500 +", "site/#eecs2100/@500/%2B"),
            ("../index.html?a=b:c", "", "../index.html?a=b:c#eecs2100/"),
        ];
        for (address, keys, link) in table {
            let live = Live::parse(address).expect(address);
            assert_eq!(live.position("eecs2100", keys), link);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for address in ["", "a b", "site/#oxo", "javascript:alert(1)", "data:text/html,x"] {
            assert!(Live::parse(address).is_err(), "{address}");
        }
    }
}
