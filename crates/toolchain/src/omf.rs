//! Relocatable object modules and libraries (OMF): what an assembler or compiler of the time hands to a linker.
//!
//! A [`Module`] is one parsed module with every index checked, so that what follows needs no bounds checks of its
//! own. Memory is bounded: contents never exceed the segments' sizes, and those a real-mode program's.
//! Source: Tool Interface Standards, Relocatable Object Module Format (OMF) Specification 1.1.

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
