//! Objects and libraries: linked or refused.
//!
//! Input: options, then files, each after its length (a word). The first two are inputs, the others
//! are default libraries.

use oxbox::toolchain::{Format, LinkInput, LinkOptions, link};

pub(crate) fn run(input: &[u8]) {
    let Some((options, mut rest)) = input.split_first() else { return };
    let mut files = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes(*length)).min(behind.len());
        let (file, next) = behind.split_at(length);
        files.push(LinkInput::new(format!("F{}", files.len()), file.to_vec()));
        rest = next;
    }
    let mut libraries = files.split_off(files.len().min(2));
    let format = [None, None, Some(Format::Com), Some(Format::Exe)][usize::from(options & 3)];
    let options = LinkOptions { format, translate_far_calls: options & 4 != 0, map: options & 8 != 0 };
    let _ = link(files, &mut |_| libraries.pop(), options);
}
