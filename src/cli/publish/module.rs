//! Removes the parts of a WebAssembly module that only debuggers read.
//!
//! Source: WebAssembly Core Specification, 5.5: eight bytes, then sections with an id, a length in
//! LEB128 and that many bytes.

use super::Failure;

/// `\0asm` and version 1.
const BEGINNING: &[u8; 8] = b"\0asm\x01\0\0\0";

/// Names and line numbers, which are not executed.
const CUSTOM: u8 = 0;

/// The function that the page calls.
const EXPORT: &[u8] = b"oxbox_ask";

/// Returns the module without its custom sections. Fails if it is not a module, or not the page's.
pub(super) fn stripped(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let is_cut = || Failure::Host("the WebAssembly module is truncated or damaged".to_owned());
    let mut rest = bytes
        .strip_prefix(BEGINNING)
        .ok_or_else(|| Failure::Host("the file is not a WebAssembly module of version 1".to_owned()))?;
    let mut module = BEGINNING.to_vec();
    while let [id, ..] = *rest {
        let (length, at) = leb128(&rest[1..]).ok_or_else(is_cut)?;
        let end =
            usize::try_from(length).ok().and_then(|length| length.checked_add(1 + at)).ok_or_else(is_cut)?;
        let section = rest.get(..end).ok_or_else(is_cut)?;
        if id != CUSTOM {
            module.extend_from_slice(section);
        }
        rest = &rest[end..];
    }
    if !module.windows(EXPORT.len()).any(|window| window == EXPORT) {
        return Err(Failure::Host(
            "the WebAssembly module was not built from the crate oxbox-web".to_owned(),
        ));
    }
    Ok(module)
}

/// Returns a number and the bytes that it takes.
fn leb128(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(sections: &[(u8, &[u8])]) -> Vec<u8> {
        let section = |&(id, bytes): &(u8, &[u8])| [&[id, bytes.len() as u8 | 0x80, 0][..], bytes].concat();
        [BEGINNING.to_vec(), sections.iter().flat_map(section).collect()].concat()
    }

    #[test]
    fn custom_sections_are_left_out() {
        let whole =
            module(&[(1, b"types"), (0, b"\x04name"), (7, b"..oxbox_ask.."), (0, b"\x0b.debug_line")]);
        let stripped = stripped(&whole).map_err(|error| error.to_string());
        assert_eq!(stripped, Ok(module(&[(1, b"types"), (7, b"..oxbox_ask..")])));
    }

    #[test]
    fn what_is_no_module_is_refused() {
        let whole = module(&[(7, b"..oxbox_ask..")]);
        for (bytes, why) in [
            (&b""[..], "not a WebAssembly module"),
            (b"\0asm\x02\0\0\0", "not a WebAssembly module"),
            (&whole[..whole.len() - 1], "truncated"),
            (&whole[..10], "truncated"),
            (BEGINNING, "not built from the crate oxbox-web"),
        ] {
            let error = stripped(bytes).expect_err(why).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
