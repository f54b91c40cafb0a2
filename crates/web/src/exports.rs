//! The functions of the WebAssembly module that a page calls.
//!
//! The page requests a buffer ([`oxbox_alloc`]), writes a request as JSON followed by its bytes,
//! calls [`oxbox_ask`], and reads the answer at the addresses that the other four functions return.
#![allow(
    unsafe_code,
    reason = "`no_mangle` is an unsafe attribute, and the page finds functions by their names"
)]

use super::requests::{Answer, Host, answer};
use std::cell::RefCell;

/// The state between two calls. A WebAssembly module has one thread.
#[derive(Default)]
struct ModuleState {
    host: Host,
    request: Vec<u8>,
    answer: Answer,
}

thread_local! {
    static DESK: RefCell<ModuleState> = RefCell::default();
}

// SAFETY of `no_mangle`: two functions that export one name would be undefined behaviour. All names
// here start with `oxbox_`, and no other crate in the module exports such a name (the linker
// refuses duplicates).
//
// Pointers: the page may write to the address from `oxbox_alloc`, within the requested length, until
// it calls `oxbox_alloc` or `oxbox_ask`. It may read an answer at the addresses below until the next
// `oxbox_ask`. After each call it creates its views of the memory again, because the memory may
// have grown. Rust cannot check the page.

/// Returns a buffer for a request. `bytes` is the length of its JSON and of its bytes.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_alloc(bytes: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        desk.request.clear();
        desk.request.resize(bytes, 0);
        desk.request.as_mut_ptr()
    })
}

/// Answers the request, whose first `text` bytes are JSON and whose other bytes are data.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_ask(text: usize) {
    DESK.with_borrow_mut(|desk| {
        let request = std::mem::take(&mut desk.request);
        let (text, bytes) = request.split_at(text.min(request.len()));
        desk.answer = answer(&mut desk.host, text, bytes);
    });
}

/// Returns the address of the answer's JSON.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_text() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.text.as_ptr())
}

/// Returns its length.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_text_length() -> usize {
    DESK.with_borrow(|desk| desk.answer.text.len())
}

/// Returns the address of the answer's bytes.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_bytes() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.bytes.as_ptr())
}

/// Returns their number.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_bytes_length() -> usize {
    DESK.with_borrow(|desk| desk.answer.bytes.len())
}
