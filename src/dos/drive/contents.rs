//! What a file holds in guest state: snapshots share it until somebody writes.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The bytes of a file. Writing copies them if a snapshot holds them too.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents(Arc<Vec<u8>>);

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Contents(Arc::new(bytes))
    }
}

impl Deref for Contents {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Contents {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        Arc::make_mut(&mut self.0)
    }
}

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self)
    }
}

impl<'de> Deserialize<'de> for Contents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Contents;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of a file")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Contents, E> {
                Ok(bytes.to_vec().into())
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
