//! What a page calls in the module of WebAssembly.
//!
//! The page asks for room ([`oxbox_room`]), writes a request in JSON and the bytes that go with it, calls [`oxbox_ask`], and reads the
//! answer from where the other four functions say.
#![allow(
    unsafe_code,
    reason = "`no_mangle` is an unsafe attribute, and the page finds functions by their names"
)]

use super::requests::{Answer, Host, answer};
use std::cell::RefCell;

/// What is kept between two calls. A module of WebAssembly has one thread.
#[derive(Default)]
struct Desk {
    host: Host,
    request: Vec<u8>,
    answer: Answer,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

// SAFETY of `no_mangle`: two functions that export one name would be undefined behaviour. All names here begin with `oxbox_`, and
// no crate that is linked into the module exports such a name (the linker refuses a second one).
//
// Pointers: the page may write to the address from `oxbox_room`, within the length that it asked for, until it calls `oxbox_room` or
// `oxbox_ask`. It may read an answer at the addresses below until the next `oxbox_ask`. After each call it makes its views of the
// memory anew, since the memory may have grown. Rust cannot check what the page does.

/// Room for a request: `bytes` is the length of its JSON and of the bytes that follow.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_room(bytes: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        desk.request.clear();
        desk.request.resize(bytes, 0);
        desk.request.as_mut_ptr()
    })
}

/// Answers the request: its first `text` bytes are JSON, what follows are bytes.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_ask(text: usize) {
    DESK.with_borrow_mut(|desk| {
        let request = std::mem::take(&mut desk.request);
        let (text, bytes) = request.split_at(text.min(request.len()));
        desk.answer = answer(&mut desk.host, text, bytes);
    });
}

/// Where the answer's JSON is.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_text() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.text.as_ptr())
}

/// How long it is.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_text_length() -> usize {
    DESK.with_borrow(|desk| desk.answer.text.len())
}

/// Where the answer's bytes are.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_bytes() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.bytes.as_ptr())
}

/// How many there are.
#[unsafe(no_mangle)]
pub(super) extern "C" fn oxbox_bytes_length() -> usize {
    DESK.with_borrow(|desk| desk.answer.bytes.len())
}
