//! The whole computer, and how to run it.
