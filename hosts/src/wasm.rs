//! The interface for JavaScript: one function for each text. It returns the address of the text's
//! length (4 bytes) and bytes.

#![allow(unsafe_code, reason = "a function that JavaScript finds by name")]

fn handed_over(text: &str) -> *const u8 {
    let length = (text.len() as u32).to_le_bytes();
    // Read by JavaScript, and never freed.
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
