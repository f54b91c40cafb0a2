//! The stub without disk storage (see [`IS_THERE`](super::IS_THERE)): every use is an error.

use super::{DiskError, Origin};
use std::convert::Infallible;

/// Rows in the order of insertion; uninhabited.
#[derive(Debug)]
pub(in crate::walk) struct Rows(Infallible);

impl Rows {
    pub(in crate::walk) fn new(_: usize) -> Result<Rows, DiskError> {
        Err(DiskError::new(&"this build keeps nothing on disk"))
    }

    pub(in crate::walk) fn push(&mut self, _: &[Vec<u8>]) -> Result<(), DiskError> {
        match self.0 {}
    }

    pub(in crate::walk) fn pop(&mut self) -> Result<Option<Vec<u8>>, DiskError> {
        match self.0 {}
    }

    pub(in crate::walk) fn bytes(&self) -> u64 {
        match self.0 {}
    }
}

/// Known states; uninhabited.
#[derive(Debug)]
pub(in crate::walk) struct States(Infallible);

impl States {
    pub(in crate::walk) fn new(_: usize) -> Result<States, DiskError> {
        Err(DiskError::new(&"this build keeps nothing on disk"))
    }

    pub(in crate::walk) fn extend(
        &mut self,
        _: &[(u128, u32)],
        _: impl Iterator<Item = (u32, Origin)>,
    ) -> Result<(), DiskError> {
        match self.0 {}
    }

    pub(in crate::walk) fn number(&self, _: u128) -> Result<Option<u32>, DiskError> {
        match self.0 {}
    }

    pub(in crate::walk) fn origin(&self, _: u32) -> Result<Option<Origin>, DiskError> {
        match self.0 {}
    }

    pub(in crate::walk) fn bytes(&self) -> u64 {
        match self.0 {}
    }
}
