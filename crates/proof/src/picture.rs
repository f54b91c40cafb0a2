//! Pictures of a program, for predicates and comparison.

use oxbox_media::pixels::Pixels;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A picture, with one entry per guest pixel.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Picture {
    /// Pixels per line.
    pub width: usize,
    /// 00RRGGBB, in lines from the top. Shared pictures are compared by pointer first.
    pub pixels: Arc<Vec<u32>>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} pixels", self.width, Pixels::from(self).height())
    }
}

impl<'a> From<&'a Picture> for Pixels<'a> {
    fn from(picture: &'a Picture) -> Self {
        Pixels { width: picture.width, pixels: &picture.pixels }
    }
}
