//! Tests of the linker.
