//! The command `oxbox`.
fn main() {}
