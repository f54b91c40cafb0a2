//! Engines against each other.
