//! Services of BIOS and DOS by name.

use crate::firmware::{Names, Selector};
use crate::{bios, dos};
use std::fmt;

/// A call of BIOS or DOS: the interrupt, and AX.
///
/// Displayed with the names of Ralf Brown's interrupt list.
///
/// ```
/// use oxbox_machine::machine::Service;
///
/// assert_eq!(Service::new(0x21, 0x3D02).to_string(), "INT 21h AH=3Dh open existing file");
/// assert_eq!(Service::new(0x21, 0x4400).to_string(), "INT 21h AX=4400h IOCTL, get device information");
/// assert_eq!(Service::new(0x10, 0x0E41).to_string(), "INT 10h AH=0Eh teletype output");
/// assert_eq!(Service::new(0x20, 0).to_string(), "INT 20h terminate program");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Service {
    vector: u8,
    ax: u16,
}

impl Service {
    /// Returns the service of INT `vector` with `ax`.
    pub fn new(vector: u8, ax: u16) -> Service {
        Service { vector, ax }
    }

    /// Returns the interrupt's number.
    pub fn vector(self) -> u8 {
        self.vector
    }

    /// Returns the interrupt's name (`video`), if BIOS or DOS provides it.
    pub fn interrupt(self) -> Option<&'static str> {
        self.names().map(|names| names.interrupt)
    }

    /// Returns the function's name (`teletype output`), if the interrupt has this function.
    pub fn function(self) -> Option<&'static str> {
        self.names()?.function
    }

    /// Returns the subfunction's name (`get device information`), if the function has it.
    pub fn subfunction(self) -> Option<&'static str> {
        self.names()?.subfunction
    }

    fn names(self) -> Option<Names> {
        bios::names_of(self.vector, self.ax).or_else(|| dos::names_of(self.vector, self.ax))
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Service { vector, ax } = *self;
        write!(f, "INT {vector:02X}h")?;
        let Some(Names { interrupt, selector, function, subfunction }) = self.names() else {
            return write!(f, " AX={ax:04X}h");
        };
        match selector {
            Selector::None => return write!(f, " {interrupt}"),
            Selector::Ah => write!(f, " AH={:02X}h", ax >> 8)?,
            Selector::Ax => write!(f, " AX={ax:04X}h")?,
        }
        match function {
            Some(function) => write!(f, " {function}")?,
            None => write!(f, " unknown {interrupt} function")?,
        }
        subfunction.map_or(Ok(()), |subfunction| write!(f, ", {subfunction}"))
    }
}
