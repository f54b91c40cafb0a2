//! A serde serializer that passes bytes to a sink, without the fields that it has been told to
//! skip.
//!
//! The sink is a hash, or a list of every value with its place, to show how two machines differ.

use crate::machine::hash::BufferedHash;
use serde::ser::{self, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Fields of a struct to be skipped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skip {
    pub(super) of: &'static str,
    pub(super) fields: &'static [&'static str],
    /// The bit of the struct's name, and those of the fields'.
    bit: u64,
    bits: u64,
}

impl Skip {
    pub(super) const fn new(of: &'static str, fields: &'static [&'static str]) -> Skip {
        let (mut bits, mut number) = (0, 0);
        while number < fields.len() {
            bits |= bit_of(fields[number]);
            number += 1;
        }
        Skip { of, fields, bit: bit_of(of), bits }
    }
}

/// Returns one of 64 bits for a name. Two names may share one; most have a bit that no list sets.
#[inline(always)]
const fn bit_of(name: &str) -> u64 {
    let [first, .., last] = name.as_bytes() else { return 1 };
    1 << ((name.len() * 37 + *first as usize * 5 + *last as usize * 3) % 64)
}

pub(super) trait Sink {
    fn bytes(&mut self, bytes: &[u8]);

    /// Starts a field or element; it lasts up to [`leave`](Self::leave).
    fn enter(&mut self, _: Place) {}

    /// Ends the field or element.
    fn leave(&mut self) {}
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Field(&'static str),
    Element(usize),
}

impl Sink for BufferedHash {
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// Collects every value with its place, such as `Struct.field.3`.
#[derive(Debug, Default)]
pub(super) struct Listing {
    place: Vec<Place>,
    pub(super) values: BTreeMap<String, Vec<u8>>,
}

impl Sink for Listing {
    fn bytes(&mut self, bytes: &[u8]) {
        let place: Vec<String> = self
            .place
            .iter()
            .map(|place| match place {
                Place::Field(name) => (*name).to_owned(),
                Place::Element(number) => number.to_string(),
            })
            .collect();
        self.values.entry(place.join(".")).or_default().extend_from_slice(bytes);
    }

    fn enter(&mut self, place: Place) {
        self.place.push(place);
    }

    fn leave(&mut self) {
        self.place.pop();
    }
}

pub(super) struct Hashing<'a, K> {
    sink: K,
    skip: &'a [&'static [Skip]],
    /// The bits of the structs in the lists.
    named: u64,
}

/// Hashing cannot fail, but serde needs an error type.
#[derive(Debug)]
pub(super) struct Never;

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value cannot be hashed")
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Never
    }
}

impl<'a, K: Sink> Hashing<'a, K> {
    pub(super) fn new(sink: K, skip: &'a [&'static [Skip]]) -> Self {
        let named = skip.iter().copied().flatten().fold(0, |named, skip| named | skip.bit);
        Hashing { sink, skip, named }
    }

    pub(super) fn finish(self) -> K {
        self.sink
    }

    /// Returns the bits of a struct's skipped fields.
    #[inline(always)]
    fn skipped(&self, of: &str) -> u64 {
        if self.named & bit_of(of) == 0 {
            0
        } else {
            self.lists_with(of).fold(0, |bits, skip| bits | skip.bits)
        }
    }

    /// Returns the entry of a struct in each list that contains it.
    fn lists_with(&self, of: &str) -> impl Iterator<Item = &Skip> {
        let bit = bit_of(of);
        self.skip.iter().copied().flatten().filter(move |skip| skip.bit == bit && skip.of == of)
    }

    #[cold]
    fn skips(&self, of: &str, field: &str) -> bool {
        self.lists_with(of).any(|skip| skip.fields.contains(&field))
    }
}

pub(super) struct Struct<'s, 'a, K> {
    hashing: &'s mut Hashing<'a, K>,
    of: &'static str,
    /// The bits of its skipped fields.
    skipped: u64,
}

/// Elements, numbered in order.
pub(super) struct Elements<'s, 'a, K> {
    hashing: &'s mut Hashing<'a, K>,
    number: usize,
}

type Done = Result<(), Never>;

macro_rules! numbers {
    ($($method:ident $number:ty),*) => {
        $(#[inline(always)]
        fn $method(self, value: $number) -> Done {
            self.sink.bytes(&value.to_le_bytes());
            Ok(())
        })*
    };
}

impl<'s, 'a, K: Sink> ser::Serializer for &'s mut Hashing<'a, K> {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Elements<'s, 'a, K>;
    type SerializeTuple = Elements<'s, 'a, K>;
    type SerializeTupleStruct = Elements<'s, 'a, K>;
    type SerializeTupleVariant = Elements<'s, 'a, K>;
    type SerializeMap = Elements<'s, 'a, K>;
    type SerializeStruct = Struct<'s, 'a, K>;
    type SerializeStructVariant = Struct<'s, 'a, K>;

    numbers!(
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_u8 u8,
        serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128, serialize_i128 i128,
        serialize_f32 f32, serialize_f64 f64
    );

    fn serialize_bool(self, value: bool) -> Done {
        self.serialize_u8(value.into())
    }

    fn serialize_char(self, value: char) -> Done {
        self.serialize_u32(value.into())
    }

    fn serialize_str(self, value: &str) -> Done {
        self.serialize_bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Done {
        // The length before the bytes: otherwise bytes could move from one value to the next
        // without changing the hash.
        self.sink.bytes(&(value.len() as u64).to_le_bytes());
        self.sink.bytes(value);
        Ok(())
    }

    fn serialize_none(self) -> Done {
        self.serialize_u8(0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        self.sink.bytes(&[1]);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Done {
        self.serialize_u32(index)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Done {
        self.sink.bytes(&index.to_le_bytes());
        value.serialize(self)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, Never> {
        self.sink.bytes(&(len.unwrap_or(0) as u64).to_le_bytes());
        Ok(Elements { hashing: self, number: 0 })
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeSeq, Never> {
        Ok(Elements { hashing: self, number: 0 })
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeSeq, Never> {
        Ok(Elements { hashing: self, number: 0 })
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeSeq, Never> {
        self.sink.bytes(&index.to_le_bytes());
        Ok(Elements { hashing: self, number: 0 })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeSeq, Never> {
        self.serialize_seq(len)
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'s, 'a, K>, Never> {
        let skipped = self.skipped(name);
        Ok(Struct { hashing: self, of: name, skipped })
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Struct<'s, 'a, K>, Never> {
        self.sink.bytes(&index.to_le_bytes());
        let skipped = self.skipped(name);
        Ok(Struct { hashing: self, of: name, skipped })
    }
}

macro_rules! elements {
    ($($of:ident $method:ident),*) => {
        $(impl<K: Sink> ser::$of for Elements<'_, '_, K> {
            type Ok = ();
            type Error = Never;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                self.element(value)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

elements!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

impl<K: Sink> Elements<'_, '_, K> {
    #[inline(always)]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.hashing.sink.enter(Place::Element(self.number));
        self.number += 1;
        value.serialize(&mut *self.hashing)?;
        self.hashing.sink.leave();
        Ok(())
    }
}

impl<K: Sink> ser::SerializeMap for Elements<'_, '_, K> {
    type Ok = ();
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        self.element(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.element(value)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

macro_rules! fields {
    ($($of:ident),*) => {
        $(impl<K: Sink> ser::$of for Struct<'_, '_, K> {
            type Ok = ();
            type Error = Never;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, field: &'static str, value: &T) -> Done {
                if self.skipped & bit_of(field) != 0 && self.hashing.skips(self.of, field) {
                    return Ok(());
                }
                self.hashing.sink.enter(Place::Field(field));
                value.serialize(&mut *self.hashing)?;
                self.hashing.sink.leave();
                Ok(())
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);
