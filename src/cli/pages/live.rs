//! Links to programs in the browser: a page written by `oxbox publish`, and positions in it.

use oxbox::machine::Script;

/// The address of such a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Live(String);

impl Live {
    /// Parses an address, absolute or relative to the page with the link. Fails with a message.
    pub(crate) fn parse(text: &str) -> Result<Live, String> {
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("it is not an address, such as https://example.org/oxbox/ or site/".to_owned());
        }
        if text.contains('#') {
            return Err("it must not contain '#': the links add that part".to_owned());
        }
        // Any other beginning with a colon is a URL that the browser executes (`javascript:`).
        let scheme = text.split(['/', '?']).next().unwrap_or_default();
        if scheme.contains(':') && !["http:", "https:", "file:"].contains(&scheme) {
            return Err(
                "it must begin with http:, https: or file:, or name a folder beside the page".to_owned()
            );
        }
        Ok(Live(text.to_owned()))
    }

    /// Returns the link to a program's start, by its name in `oxbox publish`.
    pub(crate) fn program(&self, name: &str) -> String {
        format!("{}#{name}", self.0)
    }

    /// Returns the link to the position where a program waits after keys, as in `--keys`.
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
