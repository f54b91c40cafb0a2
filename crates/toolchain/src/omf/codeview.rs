//! CodeView 4 symbol records, which assemblers and compilers write into the segment $$SYMBOLS.
//!
//! Only symbols with an address are read. Types, scopes within procedures and compiler notes are
//! ignored. Source: Microsoft Symbol and Type Information (in the Tool Interface Standards),
//! "Symbol and type record formats".

/// The classes of debug segments, which are not linked into the program.
const DEBUG_CLASSES: [&str; 2] = ["DEBSYM", "DEBTYP"];
const SYMBOLS_CLASS: &str = "DEBSYM";
/// The signature of this format: the first four bytes of the segment.
const CODEVIEW_4: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Data,
    Label,
    /// A public symbol of unknown kind.
    Public,
    /// The start of a procedure of this length in bytes. Records up to its end belong to it.
    Procedure(u16),
    /// A parameter or local variable at this offset from BP.
    BpRelative(i16),
    /// The end of a procedure or a block.
    End,
    /// The start of a block within a procedure.
    Block,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SymbolRecord {
    pub(crate) named: Named,
    pub(crate) name: String,
    /// The offset, from the start of the segment, of the symbol's address fields. A fixup there
    /// provides their values.
    pub(crate) address_at: u32,
}

/// Returns whether segments of this class contain debug information.
pub(crate) fn is_debug_class(class: &str) -> bool {
    DEBUG_CLASSES.iter().any(|debug| class.eq_ignore_ascii_case(debug))
}

/// Returns whether segments of this class contain the records of [`records`].
pub(crate) fn is_symbols_class(class: &str) -> bool {
    class.eq_ignore_ascii_case(SYMBOLS_CLASS)
}

/// Returns the records of a symbol segment up to the first damaged one; none for another format.
pub(crate) fn records(bytes: &[u8]) -> Vec<SymbolRecord> {
    let mut found = Vec::new();
    let Some((signature, mut rest)) = bytes.split_first_chunk::<4>() else { return found };
    if u32::from_le_bytes(*signature) != CODEVIEW_4 {
        return found;
    }
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length));
        let Some((record, next)) = after.split_at_checked(length) else { break };
        let at = (bytes.len() - after.len()) as u32;
        found.extend(record_of(record, at));
        rest = next;
    }
    found
}

/// Parses a record. `at` is the offset of its type.
fn record_of(record: &[u8], at: u32) -> Option<SymbolRecord> {
    let (kind, body) = record.split_first_chunk::<2>()?;
    let word = |at: usize| Some(u16::from_le_bytes(*body.get(at..)?.first_chunk::<2>()?));
    let nameless = |named| Some(SymbolRecord { named, name: String::new(), address_at: at });
    // The offsets of address and name in the record. UASM writes some fields with the width of
    // `long` on the host that it was built for: four bytes on Windows, eight on Linux. The length
    // of the name decides, because the name ends the record.
    let (named, layouts): (_, &[(usize, usize)]) = match u16::from_le_bytes(*kind) {
        0x0006 => return nameless(Named::End),
        0x0107 => return nameless(Named::Block),
        0x0100 => (Named::BpRelative(word(0)? as i16), &[(0, 4)]),
        0x0101 | 0x0102 => (Named::Data, &[(0, 6), (0, 8), (0, 12)]),
        0x0103 => (Named::Public, &[(0, 6)]),
        0x0104 | 0x0105 => (Named::Procedure(0), &[(18, 25), (30, 37)]),
        0x0109 => (Named::Label, &[(0, 5)]),
        _ => return None,
    };
    let (address, name) = layouts.iter().find_map(|&(address, name)| {
        let (&length, name) = body.get(name..)?.split_first()?;
        (usize::from(length) == name.len()).then_some((address, name))
    })?;
    let named = match named {
        // The length precedes the offsets of debug start and end.
        Named::Procedure(_) => Named::Procedure(word(address - 6)?),
        other => other,
    };
    let name = name.iter().map(|&byte| char::from(byte)).collect();
    Some(SymbolRecord { named, name, address_at: at + 2 + address as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_read_in_the_layouts_of_all_hosts() {
        // S_LDATA16 of `ask` at offset 17Fh, with a type of 2, 4 and 8 bytes.
        for width in [2, 4, 8] {
            let mut record = vec![0x01, 0x01, 0x7F, 0x01, 0, 0];
            record.extend(vec![0; width]);
            record.extend(b"\x03ask");
            let mut segment = CODEVIEW_4.to_le_bytes().to_vec();
            segment.extend((record.len() as u16).to_le_bytes());
            segment.extend(&record);
            let expected = SymbolRecord { named: Named::Data, name: "ask".to_owned(), address_at: 8 };
            assert_eq!(records(&segment), [expected], "a type of {width} bytes");
        }
    }
}
