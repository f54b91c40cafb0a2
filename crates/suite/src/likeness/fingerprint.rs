//! Fingerprints of instruction sequences by winnowing.
//!
//! Source: Schleimer, Wilkerson and Aiken, Winnowing: Local Algorithms for Document Fingerprinting,
//! SIGMOD 2003 (as used by MOSS). Each [`GRAM`] consecutive instructions are hashed, and of each
//! [`WINDOW`] consecutive hashes the smallest is kept. So every passage of `GRAM + WINDOW - 1`
//! instructions that two programs share gives a common fingerprint, and no passage shorter than
//! `GRAM` does.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use super::instruction::{Normal, Operand, What};

/// The number of consecutive instructions per hash.
pub(super) const GRAM: usize = 5;

/// The number of consecutive hashes of which one is kept.
pub(super) const WINDOW: usize = 3;

/// Returns the hash of consecutive instructions. Registers and addresses are numbered in the order
/// of first use, so that exchanged registers and moved data change nothing.
pub(super) fn hash<'a>(gram: impl Iterator<Item = &'a Normal>) -> u64 {
    let mut bytes = Vec::with_capacity(GRAM * 8);
    let (mut registers, mut places) = (Vec::new(), Vec::new());
    for normal in gram {
        match normal.what {
            What::Plain(mnemonic) => {
                bytes.push(1);
                bytes.extend((mnemonic as u16).to_le_bytes());
            }
            What::Branch(group) => bytes.extend([2, group]),
            What::Interrupt(vector, service) => bytes.extend([3, vector, service]),
        }
        for operand in &normal.operands {
            match *operand {
                Operand::General(number, size) => {
                    bytes.extend([4, order(&mut registers, number), size]);
                }
                Operand::Fixed(number) => {
                    bytes.push(5);
                    bytes.extend(number.to_le_bytes());
                }
                Operand::Value(value) => {
                    bytes.push(6);
                    bytes.extend(value.to_le_bytes());
                }
                Operand::Place(place) => bytes.extend([7, order(&mut places, place)]),
                Operand::Direct(place, size) => bytes.extend([8, order(&mut places, place), size]),
                Operand::Indexed { base, index, displaced, size } => {
                    bytes.extend([9, u8::from(displaced), size]);
                    for register in base.into_iter().chain(index) {
                        bytes.push(order(&mut registers, register));
                    }
                }
            }
        }
    }
    xxh3_64(&bytes)
}

/// Returns the number of an item in the order of first use.
fn order<T: PartialEq>(known: &mut Vec<T>, thing: T) -> u8 {
    let number = known.iter().position(|other| *other == thing).unwrap_or_else(|| {
        known.push(thing);
        known.len() - 1
    });
    number as u8
}

/// Keeps the smallest of each [`WINDOW`] consecutive hashes, or fewer. `None` separates sequences.
pub(super) fn winnow(hashes: &[Option<u64>]) -> BTreeSet<u64> {
    let rows = hashes.split(Option::is_none).filter(|row| !row.is_empty());
    let windows = rows.flat_map(|row| row.windows(WINDOW.min(row.len())));
    windows.filter_map(|window| window.iter().flatten().min()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::Mnemonic;
    use proptest::prelude::*;

    fn moved(to: u8, from: u8, place: u32) -> [Normal; 2] {
        let plain = |operands| Normal { what: What::Plain(Mnemonic::Mov), operands };
        [
            plain(vec![Operand::General(to, 2), Operand::General(from, 2)]),
            plain(vec![Operand::Direct(place, 2), Operand::General(from, 2)]),
        ]
    }

    #[test]
    fn registers_and_addresses_are_renamed_and_not_confused() {
        let of = |instructions: &[Normal]| hash(instructions.iter());
        assert_eq!(of(&moved(0, 3, 0x200)), of(&moved(6, 1, 0x345)));
        assert_ne!(of(&moved(0, 3, 0x200)), of(&moved(0, 0, 0x200)));
    }

    proptest! {
        /// Tests the paper's guarantee: a passage of this length is found at any position.
        #[test]
        fn shared_passages_are_found(
            passage in prop::collection::vec(any::<u64>(), WINDOW..30),
            before in prop::collection::vec(any::<u64>(), 0..20),
            after in prop::collection::vec(any::<u64>(), 0..20),
        ) {
            let row = |hashes: &[&[u64]]| -> Vec<Option<u64>> { hashes.concat().into_iter().map(Some).collect() };
            let whole = winnow(&row(&[&before, &passage, &after]));
            prop_assert!(!whole.is_disjoint(&winnow(&row(&[&passage]))));
        }
    }
}
