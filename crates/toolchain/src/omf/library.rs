//! OMF libraries: modules at page boundaries, and a dictionary from symbols to pages.
//!
//! All dictionary entries are read at once, so the hash order does not matter. If the dictionary is
//! damaged, the modules are scanned. The extended dictionary is not needed. Source: TIS OMF 1.1,
//! appendix 2, "Library files".

use std::collections::BTreeMap;

use super::records::Records;
use super::{Module, parse};
use crate::diagnostic::Diagnostic;

const BLOCK: usize = 512;
/// The number of buckets at the start of a dictionary block, which point to its entries; a byte
/// with the free space follows.
const BUCKETS: usize = 37;

/// A library and the symbols that its modules define.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    pub(crate) file: String,
    bytes: Vec<u8>,
    /// The offset of the module that defines each symbol, by name in upper case.
    names: BTreeMap<String, usize>,
}

impl Library {
    /// Returns whether a file is a library rather than an object.
    pub(crate) fn looks_like(bytes: &[u8]) -> bool {
        bytes.first() == Some(&0xF0)
    }

    /// Reads the header and the dictionary.
    pub(crate) fn open(file: &str, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let error = |text: &str| Diagnostic::error(file, text);
        let [0xF0, low, high, rest @ ..] = bytes.as_slice() else {
            return Err(error("this is not a library"));
        };
        let page = usize::from(u16::from_le_bytes([*low, *high])) + 3;
        if !(16..=32768).contains(&page) || !page.is_power_of_two() {
            return Err(error(&format!("a library with pages of {page} bytes")));
        }
        let [a, b, c, d, blocks_low, blocks_high, ..] = rest else {
            return Err(error("the library ends in its header"));
        };
        let start = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        let blocks = usize::from(u16::from_le_bytes([*blocks_low, *blocks_high]));
        let names = match dictionary(&bytes, start, blocks, page) {
            Some(names) => names,
            None => scan(file, &bytes, page)?,
        };
        Ok(Self { file: file.into(), bytes, names })
    }

    /// Returns the offset of the module that defines a symbol.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.get(&name.to_ascii_uppercase()).copied()
    }

    /// Parses the module at an offset from [`Self::find`].
    pub(crate) fn module(&self, at: usize) -> Result<Module, Diagnostic> {
        let origin = format!("{}({})", self.file, self.module_name(at));
        parse(&self.bytes, at, &origin).map(|(module, _)| module)
    }

    /// Returns the name in a module's header, without the folders that some assemblers add.
    fn module_name(&self, at: usize) -> String {
        let header = Records::new(&self.bytes, at).next(&self.file);
        let name: String = match &header {
            Ok(raw) => raw.contents.iter().skip(1).map(|&byte| char::from(byte)).collect(),
            Err(_) => String::new(),
        };
        name.rsplit(['\\', '/', ':']).next().unwrap_or_default().into()
    }
}

/// Returns all symbols of the dictionary; `None` if it is damaged.
fn dictionary(bytes: &[u8], start: usize, blocks: usize, page: usize) -> Option<BTreeMap<String, usize>> {
    if blocks == 0 || start < page {
        return None;
    }
    let dictionary = bytes.get(start..)?.get(..blocks.checked_mul(BLOCK)?)?;
    let mut names = BTreeMap::new();
    for block in dictionary.chunks_exact(BLOCK) {
        for &word in &block[..BUCKETS] {
            if word == 0 {
                continue;
            }
            let entry = block.get(usize::from(word) * 2..)?;
            let (&length, entry) = entry.split_first()?;
            let (name, entry) = entry.split_at_checked(length.into())?;
            let at = usize::from(u16::from_le_bytes([*entry.first()?, *entry.get(1)?])) * page;
            // A module starts with THEADR or LHEADR.
            if at == 0 || at >= start || !matches!(bytes.get(at), Some(0x80 | 0x82)) {
                return None;
            }
            let name: String = name.iter().map(|&byte| char::from(byte)).collect();
            // "NAME!" is the name of the module, not a symbol.
            if !name.ends_with('!') {
                names.entry(name.to_ascii_uppercase()).or_insert(at);
            }
        }
    }
    Some(names)
}

/// Returns the symbols that the modules define, by scanning all of them.
fn scan(file: &str, bytes: &[u8], page: usize) -> Result<BTreeMap<String, usize>, Diagnostic> {
    let mut names = BTreeMap::new();
    let mut at = page;
    while matches!(bytes.get(at), Some(0x80 | 0x82)) {
        let (module, end) = parse(bytes, at, file)?;
        let publics = module.publics.iter().filter(|public| !public.local).map(|public| &public.name);
        for name in publics.chain(module.aliases.iter().map(|(alias, _)| alias)) {
            names.entry(name.to_ascii_uppercase()).or_insert(at);
        }
        at = end.next_multiple_of(page);
    }
    Ok(names)
}
