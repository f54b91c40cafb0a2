//! The environment in which expressions are evaluated.

use super::node::Fact;
use crate::hardware::linear;
use oxbox_cpu::Registers;

/// The values that an expression reads: registers, memory, and the names of a program.
pub trait Scope {
    /// The registers.
    fn registers(&self) -> &Registers;

    /// Reads a byte by its linear address; `None` if it cannot be read here.
    fn read(&mut self, address: u32) -> Option<u8>;

    /// Returns the meaning of a name of the program.
    fn symbol(&self, name: &str) -> Option<Named>;

    /// Whether a fact about the run holds; `None` if it cannot be asked here.
    fn fact(&mut self, _: &Fact) -> Option<bool> {
        None
    }
}

/// The meaning of a name of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A place, as segment and offset.
    Place(u16, u16),
    /// A number of the program.
    Constant(u16),
    /// A number of any size, which cannot be part of an address.
    Number(i64),
}

/// A place in memory that an expression names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The segment.
    pub segment: u16,
    /// The offset of the first byte.
    pub offset: u16,
    /// Size in bytes: 1, 2 or 4; the default without `byte` or `dword` is 2.
    pub bytes: u16,
}

impl Place {
    /// Returns the linear address of the first byte.
    pub fn address(self) -> u32 {
        linear(self.segment, self.offset)
    }
}
