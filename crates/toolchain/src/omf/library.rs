//! OMF libraries: modules at page boundaries, and a dictionary that tells which page defines a name.
//!
//! All of the dictionary's entries are read at once, so its hash order does not matter; where it is damaged the
//! modules themselves are asked. The extended dictionary holds nothing that is needed and is passed over.
//! Source: TIS OMF 1.1, appendix 2, "Library files".

use std::collections::BTreeMap;

use super::records::Records;
use super::{Module, parse};
use crate::diagnostic::Diagnostic;

const BLOCK: usize = 512;
/// Words at the start of a dictionary block that point to its entries, and one byte that tells where it is free.
const BUCKETS: usize = 37;

/// A library and what its modules define.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    /// The file as messages name it.
    pub(crate) file: String,
    bytes: Vec<u8>,
    /// From a name, in upper case, to the byte where its module begins.
    names: BTreeMap<String, usize>,
}

impl Library {
    /// Whether a file is a library and no object.
    pub(crate) fn looks_like(bytes: &[u8]) -> bool {
        bytes.first() == Some(&0xF0)
    }

    /// Reads the header and the dictionary.
    pub(crate) fn open(file: &str, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let error = |text: &str| Diagnostic::error(file, text);
        let [0xF0, low, high, rest @ ..] = bytes.as_slice() else {
            return Err(error("this is no library"));
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

    /// The place of the module that defines a name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.get(&name.to_ascii_uppercase()).copied()
    }

    /// The module at a place that [`Self::find`] gave.
    pub(crate) fn module(&self, at: usize) -> Result<Module, Diagnostic> {
        let origin = format!("{}({})", self.file, self.module_name(at));
        parse(&self.bytes, at, &origin).map(|(module, _)| module)
    }

    /// What a module calls itself, without the folders that some assemblers put before it.
    fn module_name(&self, at: usize) -> String {
        let header = Records::new(&self.bytes, at).next(&self.file);
        let name: String = match &header {
            Ok(raw) => raw.contents.iter().skip(1).map(|&byte| char::from(byte)).collect(),
            Err(_) => String::new(),
        };
        name.rsplit(['\\', '/', ':']).next().unwrap_or_default().into()
    }
}

/// All names of the dictionary; nothing when it is not whole.
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
            // A module begins with THEADR or LHEADR.
            if at == 0 || at >= start || !matches!(bytes.get(at), Some(0x80 | 0x82)) {
                return None;
            }
            let name: String = name.iter().map(|&byte| char::from(byte)).collect();
            // "NAME!" is the module's own name, not one that it defines.
            if !name.ends_with('!') {
                names.entry(name.to_ascii_uppercase()).or_insert(at);
            }
        }
    }
    Some(names)
}

/// The names that the modules themselves define, one module after the other.
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
