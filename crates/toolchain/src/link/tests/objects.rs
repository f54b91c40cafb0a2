//! Writes objects and libraries record by record for the linker's tests.

/// Attributes of a paragraph-aligned public segment.
pub(super) const CODE: u8 = 0x60 | PUBLIC;
pub(super) const PRIVATE: u8 = 0;
pub(super) const PUBLIC: u8 = 2 << 2;
pub(super) const STACK: u8 = 5 << 2;

/// Returns the alignment bits of a segment's attributes.
pub(super) fn align(bytes: u32) -> u8 {
    let code = match bytes {
        1 => 1,
        2 => 2,
        4 => 5,
        16 => 3,
        256 => 4,
        other => panic!("no alignment to {other} bytes"),
    };
    code << 5
}

/// An object builder. Taking the bytes completes the object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    bytes: Vec<u8>,
    names: u8,
    end: Vec<u8>,
}

impl Object {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), names: 0, end: vec![0] }.record(0x80, b"\x01T").names(&[""])
    }

    pub(super) fn record(mut self, kind: u8, contents: &[u8]) -> Self {
        self.bytes.extend(record(kind, contents));
        self
    }

    pub(super) fn names(mut self, names: &[&str]) -> Self {
        self.names += names.len() as u8;
        let contents: Vec<u8> = names.iter().flat_map(|name| string(name)).collect();
        self.record(0x96, &contents)
    }

    /// Adds SEGDEF with its names. Attribute bit 1 means 64 KiB.
    pub(super) fn segment(self, name: &str, class: &str, attributes: u8, size: u32) -> Self {
        let with_names = self.names(&[name, class]);
        let (name, class) = (with_names.names - 1, with_names.names);
        let [low, high, ..] = size.to_le_bytes();
        with_names.record(0x98, &[attributes, low, high, name, class, 1])
    }

    pub(super) fn group(self, name: &str, segments: &[u8]) -> Self {
        let with_name = self.names(&[name]);
        let members = segments.iter().flat_map(|&segment| [0xFF, segment]);
        let contents: Vec<u8> = std::iter::once(with_name.names).chain(members).collect();
        with_name.record(0x9A, &contents)
    }

    pub(super) fn external(self, name: &str) -> Self {
        self.record(0x8C, &[string(name), vec![0]].concat())
    }

    pub(super) fn public(self, group: u8, segment: u8, name: &str, offset: u16) -> Self {
        self.record(
            0x90,
            &[vec![group, segment], string(name), offset.to_le_bytes().to_vec(), vec![0]].concat(),
        )
    }

    pub(super) fn data(self, segment: u8, offset: u16, bytes: &[u8]) -> Self {
        let [low, high] = offset.to_le_bytes();
        self.record(0xA0, &[&[segment, low, high][..], bytes].concat())
    }

    pub(super) fn comment(self, class: u8, text: &[u8]) -> Self {
        self.record(0x88, &[&[0, class][..], text].concat())
    }

    /// Adds the start address as MODEND's fix data.
    pub(super) fn start(mut self, fix_data: &[u8]) -> Self {
        self.end = [&[0xC1][..], fix_data].concat();
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.bytes.clone(), record(0x8A, &self.end)].concat()
    }
}

/// Creates a library of objects with the given names in its dictionary.
pub(super) fn library(members: &[(Object, &[&str])]) -> Vec<u8> {
    const PAGE: usize = 16;
    let mut bytes = vec![0; PAGE];
    let mut dictionary = vec![0; 512];
    let (mut bucket, mut free) = (0, 38);
    for (object, names) in members {
        let page = (bytes.len() / PAGE) as u16;
        bytes.extend(object.bytes());
        bytes.resize(bytes.len().next_multiple_of(PAGE), 0);
        for name in *names {
            let entry = [string(name), page.to_le_bytes().to_vec()].concat();
            dictionary[bucket] = (free / 2) as u8;
            dictionary[free..free + entry.len()].copy_from_slice(&entry);
            bucket += 1;
            free = (free + entry.len()).next_multiple_of(2);
        }
    }
    bytes.extend([0xF1, 13, 0]);
    bytes.resize(bytes.len().next_multiple_of(PAGE), 0);
    let start = bytes.len() as u32;
    bytes[..3].copy_from_slice(&[0xF0, PAGE as u8 - 3, 0]);
    bytes[3..7].copy_from_slice(&start.to_le_bytes());
    bytes[7] = 1;
    bytes.extend(dictionary);
    bytes
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

fn string(text: &str) -> Vec<u8> {
    std::iter::once(text.len() as u8).chain(text.bytes()).collect()
}

fn record(kind: u8, contents: &[u8]) -> Vec<u8> {
    let [low, high] = (contents.len() as u16 + 1).to_le_bytes();
    let mut bytes = [&[kind, low, high][..], contents].concat();
    bytes.push(bytes.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte)));
    bytes
}
