//! Tests damaged and random files: the linker returns a message or a program and never panics.

use proptest::prelude::*;

use super::*;

/// Creates an object with every kind of record that the parser reads.
fn rich() -> Vec<u8> {
    Object::new()
        .comment(0x9F, b"lib")
        .comment(0x9E, &[])
        .segment("CODE", "CODE", CODE, 0x40)
        .segment("DATA", "DATA", align(2) | PUBLIC, 0x40)
        .segment("STACK", "STACK", align(16) | STACK, 0x40)
        .group("DGROUP", &[2, 3])
        .external("OUTSIDE")
        .record(0xB0, b"\x04NEAR\0\x62\x09\x03FAR\0\x61\x81\0\x01\x02")
        .record(0xB4, b"\x05LOCAL\0")
        .record(0xB6, b"\0\x01\x05LOCAL\x03\0\0")
        .public(0, 1, "OUTSIDE", 2)
        .comment(0xA8, &[1, 2])
        .data(1, 0, &[0x9A; 0x20])
        .record(0x9C, &[0xC4, 4, 0x56, 1, 0x08, 1, 0x54, 0xCC, 8, 0x8C, 0x84, 0x10, 0x56, 4])
        .record(0xA2, &[2, 0, 0, 2, 0, 2, 0, 3, 0, 0, 0, 2, 1, 2, 1, 0, 0, 0, 1, 3])
        .record(0x9C, &[0xC4, 9, 0x15, 1, 1])
        .names(&["C"])
        .record(0xC2, &[0, 0x10, 0, 0, 0, 0, 0, 1, 9, 1, 2, 3])
        .record(0xB2, &[1, 1, 2, 0, 5, 0])
        .record(0x94, &[0, 1, 1, 0, 0, 0, 2, 0, 4, 0])
        .record(0xC6, b"\x01A\x07OUTSIDE")
        .start(&[0x00, 1, 1, 4, 0])
        .bytes()
}

fn try_link(bytes: Vec<u8>) -> Result<Linked, ToolError> {
    let options = LinkOptions { map: true, translate_far_calls: true, ..LinkOptions::default() };
    link(vec![LinkInput::new("X.OBJ", bytes)], &mut |_| None, options)
}

#[test]
fn the_whole_object_links() {
    try_link(rich()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_truncation_is_refused() {
    let bytes = rich();
    for length in 0..bytes.len() {
        let error = try_link(bytes[..length].to_vec()).expect_err("half an object is no program");
        assert!(error.to_string().starts_with("X.OBJ:record "), "{length}: {error}");
    }
}

#[test]
fn every_truncation_of_a_library_is_survived() {
    let bytes = library(&[(Object::new().segment("A", "B", CODE, 1).public(0, 1, "P", 0), &["P"])]);
    for length in 0..bytes.len() {
        let inputs = vec![
            LinkInput::new("X.OBJ", Object::new().segment("A", "B", CODE, 1).external("P").bytes()),
            LinkInput::new("X.LIB", bytes[..length].to_vec()),
        ];
        let _ = link(inputs, &mut |_| None, LinkOptions::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = rich();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = try_link(bytes);
    }

    #[test]
    fn records_of_chance_never_panic(records in prop::collection::vec(
        (prop::sample::select(vec![0x88, 0x8C, 0x90, 0x96, 0x98, 0x99, 0x9A, 0x9C, 0x9D, 0xA0, 0xA1, 0xA2, 0xA3, 0xB0, 0xB2,
            0xB4, 0xB6, 0xB8, 0xBC, 0xC2, 0xC3, 0xC6, 0xC8, 0xCA, 0x94]),
         prop::collection::vec(prop_oneof![0u8..8, any::<u8>()], 0..24)), 0..12)) {
        let mut object = Object::new().segment("S", "C", CODE, 0x80).data(1, 0, &[0; 0x40]).external("E");
        for (kind, contents) in records {
            object = object.record(kind, &contents);
        }
        let _ = try_link(object.bytes());
    }
}
