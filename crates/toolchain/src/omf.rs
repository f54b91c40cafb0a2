//! Object modules and libraries (OMF), the linker's input from assemblers and compilers.
//!
//! A [`Module`] is a parsed module whose indices are all checked, so that later stages need no
//! bounds checks. Memory is bounded: contents never exceed the segment sizes, nor those of a
//! real-mode program. Source: Tool Interface Standards, Relocatable Object Module Format (OMF)
//! Specification 1.1.

pub(crate) mod codeview;
mod comdat;
mod fixup;
mod iterated;
pub(crate) mod library;
mod lines;
mod module;
mod parse;
mod reader;
mod records;

pub(crate) use module::{
    Base, Combine, Communal, External, Fixup, Frame, Group, Location, Module, Public, Record, Segment,
    Selection, Target,
};
pub(crate) use parse::parse;
