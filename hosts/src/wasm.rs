//! The door for JavaScript: a function for each text. It gives the place of the text's length (4 bytes) and bytes.

#![allow(unsafe_code, reason = "a function that JavaScript finds by name")]

fn handed_over(text: &str) -> *const u8 {
    let length = (text.len() as u32).to_le_bytes();
    // For JavaScript to read, and never given back.
    Box::leak([&length, text.as_bytes()].concat().into_boxed_slice()).as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn runs() -> *const u8 {
    handed_over(&crate::runs())
}

#[unsafe(no_mangle)]
pub extern "C" fn verify() -> *const u8 {
    handed_over(&crate::verify())
}
